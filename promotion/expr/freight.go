package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The records below have the fields that Kargo documents; as a whole value they
// are objects with its JSON names.
type (
	commit struct {
		RepoURL   string `json:"repoURL"`
		ID        string `json:"id"`
		Branch    string `json:"branch,omitempty"`
		Tag       string `json:"tag,omitempty"`
		Message   string `json:"message,omitempty"` // first line
		Author    string `json:"author,omitempty"`  // login of who pushed it
		Committer string `json:"committer,omitempty"`
	}
	image struct {
		RepoURL string `json:"repoURL"`
		Tag     string `json:"tag,omitempty"`
		Digest  string `json:"digest,omitempty"`
	}
	chart struct {
		RepoURL string `json:"repoURL"`
		Name    string `json:"name,omitempty"`
		Version string `json:"version"`
	}
	// origin is what warehouse() gives: where freight comes from. The pipeline
	// is what Kargo calls a warehouse; a source's name is accepted too.
	origin struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	}
)

const warehouseKind = "Warehouse"

func warehouse(args ...any) (any, error) {
	name, err := texts("warehouse", args[0])
	if err != nil {
		return nil, err
	}
	return origin{Kind: warehouseKind, Name: name[0]}, nil
}

func (ev *evaluation) commitFrom(args ...any) (any, error) {
	a, err := ev.find("commitFrom", args, "git", "release")
	if a == nil || err != nil {
		return nil, err
	}
	return commit{
		RepoURL: ev.env.gitURL(a.Repo), ID: a.Commit, Branch: a.Branch, Tag: a.Tag,
		Message: a.Title, Author: a.Author, Committer: a.Author,
	}, nil
}

func (ev *evaluation) imageFrom(args ...any) (any, error) {
	a, err := ev.find("imageFrom", args, "image")
	if a == nil || err != nil {
		return nil, err
	}
	return image{RepoURL: a.Repo, Tag: a.Tag, Digest: a.Digest}, nil
}

// chartFrom takes a chart's name behind the URL of a repository that holds
// several; the artifact's Repo ends with that name.
func (ev *evaluation) chartFrom(args ...any) (any, error) {
	if len(args) > 1 {
		if name, ok := args[1].(string); ok {
			url, err := texts("chartFrom", args[0])
			if err != nil {
				return nil, err
			}
			args = append([]any{strings.TrimRight(url[0], "/") + "/" + name}, args[2:]...)
		}
	}
	a, err := ev.find("chartFrom", args, "chart")
	if a == nil || err != nil {
		return nil, err
	}
	c := chart{RepoURL: a.Repo, Version: a.Tag}
	if i := strings.LastIndex(a.Repo, "/"); strings.HasPrefix(a.Repo, "http") && i > 0 {
		c.RepoURL, c.Name = a.Repo[:i], a.Repo[i+1:]
	}
	return c, nil
}

// find returns the artifact of one of the kinds that comes from a repository,
// args[0], and, if args[1] is given, from that warehouse. It is nil when there
// is none, which is noted as the reason for the null.
func (ev *evaluation) find(function string, args []any, kinds ...string) (*promotion.Artifact, error) {
	url, err := texts(function, args[0])
	if err != nil {
		return nil, err
	}
	from, err := originOf(function, args[1:])
	if err != nil {
		return nil, err
	}
	var found []promotion.Artifact
	for _, a := range ev.env.artifacts() {
		same := slices.Contains(kinds, a.Kind) && ev.env.sameRepo(a.Kind, url[0], a.Repo)
		if same && (from == "" || from == ev.env.Pipeline || from == a.Source) {
			found = append(found, a)
		}
	}
	if len(found) == 0 {
		ev.absent = fmt.Sprintf("%s found nothing from %s in this freight%s", function, url[0], ev.carries())
		return nil, nil
	}
	return unambiguous(function, found)
}

// unambiguous refuses to choose between different versions.
func unambiguous(function string, found []promotion.Artifact) (*promotion.Artifact, error) {
	for _, a := range found[1:] {
		if a.Version() != found[0].Version() || a.Digest != found[0].Digest || a.Commit != found[0].Commit {
			return nil, fmt.Errorf("%s is ambiguous: the sources %q and %q give different versions of that repository; use freight['%s'] or warehouse('%s')",
				function, found[0].Source, a.Source, found[0].Source, found[0].Source)
		}
	}
	return &found[0], nil
}

// originOf reads the optional argument that warehouse() made, also after it
// went through a var.
func originOf(function string, args []any) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	switch o := args[0].(type) {
	case origin:
		return o.Name, nil
	case map[string]any:
		if name, ok := o["name"].(string); ok {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s takes warehouse('NAME') as its last argument, not %s", function, describe(args[0]))
}

func (e *Env) artifacts() []promotion.Artifact {
	if e.Freight == nil {
		return nil
	}
	return e.Freight.Artifacts
}

// carries lists what the freight holds, for messages.
func (ev *evaluation) carries() string {
	var repos []string
	for _, a := range ev.env.artifacts() {
		repos = append(repos, a.Kind+" "+a.Repo)
	}
	if len(repos) == 0 {
		return ""
	}
	return ", which holds " + strings.Join(repos, ", ")
}

// freightNames is the variable freight: the artifact of each source.
func freightNames(f *promotion.Freight) namespace {
	out := namespace{}
	if f == nil {
		return out
	}
	for _, a := range f.Artifacts {
		out[a.Source] = artifactNames(a)
	}
	return out
}

func artifactNames(a promotion.Artifact) namespace {
	switch a.Kind {
	case "image":
		return namespace{"repo": a.Repo, "tag": a.Tag, "digest": a.Digest}
	case "chart":
		return namespace{"repo": a.Repo, "name": a.Repo[strings.LastIndex(a.Repo, "/")+1:], "version": a.Tag}
	case "release":
		return namespace{"tag": a.Tag, "commit": a.Commit}
	}
	names := namespace{"repo": a.Repo, "commit": a.Commit}
	if a.Tag != "" {
		names["tag"] = a.Tag
	} else {
		names["branch"] = a.Branch
	}
	return names
}
