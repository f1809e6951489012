package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry/tag"
)

// Chart finds the newest version of a chart, or one version of it.
func (c *Client) Chart(ctx context.Context, q Query, src promotion.ChartSource) (Found, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if src.OCI() {
		return c.ociChart(ctx, q, src)
	}
	return c.indexed(ctx, q, src)
}

// ociChart looks at a chart in a registry of images. Its tags are its versions,
// with _ for the + that no tag may hold (https://helm.sh/docs/topics/registries/).
func (c *Client) ociChart(ctx context.Context, q Query, src promotion.ChartSource) (Found, error) {
	image := promotion.ImageSource{Repo: strings.TrimPrefix(strings.TrimSuffix(src.Repo, "/"), "oci://"), TagRule: promotion.TagRule{Constraint: src.Constraint}}
	l, err := c.newLook(q, image)
	if err != nil {
		return Found{}, promotion.Terminal(err)
	}
	tags, err := l.tags(ctx)
	if err != nil {
		return Found{}, err
	}
	versions := make([]string, len(tags))
	for i, t := range tags {
		versions[i] = strings.ReplaceAll(t, "_", "+")
	}
	out, version, ok := l.choose(versions)
	if !ok {
		return out, nil
	}
	d, err := l.manifest(ctx, strings.ReplaceAll(version, "+", "_"))
	if err != nil {
		return out, err
	}
	var a about
	a.read(d.Annotations)
	out.Artifact = &promotion.Artifact{Source: q.Source, Kind: promotion.ArtifactChart, Repo: src.Repo, Tag: version, Digest: d.Digest.String(), Title: a.title(), At: a.created, From: kept(a.source), Revision: kept(a.revision)}
	return out, nil
}

// choose picks the version that is asked for.
func (l *look) choose(versions []string) (out Found, version string, ok bool) {
	out.Gone = l.gone(versions)
	if l.Version != "" {
		out.Gone = ""
		return out, l.Version, slices.Contains(versions, l.Version)
	}
	newest := l.choice.Newest(versions)
	if len(newest) == 0 {
		return out, "", false
	}
	return out, newest[0], true
}

// indexed looks at a chart in an HTTP repository, by its index.yaml
// (https://helm.sh/docs/topics/chart_repository/#the-index-file).
func (c *Client) indexed(ctx context.Context, q Query, src promotion.ChartSource) (Found, error) {
	choice, err := tag.Read(promotion.TagRule{Constraint: src.Constraint})
	if err != nil {
		return Found{}, promotion.Terminal(err)
	}
	t, err := c.tenant(q.Owner)
	if err != nil {
		return Found{}, err
	}
	entries, err := t.index(ctx, src)
	if err != nil {
		return Found{}, err
	}
	versions := make([]string, len(entries))
	for i, e := range entries {
		versions[i] = e.Version
	}
	l := &look{Query: q, src: promotion.ImageSource{Repo: src.Repo + "/" + src.Name}, choice: choice}
	out, version, ok := l.choose(versions)
	if !ok {
		return out, nil
	}
	e := entries[slices.Index(versions, version)]
	out.Artifact = &promotion.Artifact{
		Source: q.Source, Kind: promotion.ArtifactChart, Repo: strings.TrimRight(src.Repo, "/") + "/" + src.Name,
		Tag: version, Digest: e.Digest, At: e.Created.UTC(),
	}
	if e.AppVersion != "" {
		out.Artifact.Title = "app version " + e.AppVersion[:min(len(e.AppVersion), longestTitle)]
	}
	return out, nil
}

// entry is one version of a chart in an index.
type entry struct {
	Version    string    `yaml:"version"`
	AppVersion string    `yaml:"appVersion"`
	Digest     string    `yaml:"digest"`
	Created    time.Time `yaml:"created"`
}

// index reads the entries of the one chart.
func (t *tenant) index(ctx context.Context, src promotion.ChartSource) ([]entry, error) {
	body, err := t.get(ctx, strings.TrimRight(src.Repo, "/")+"/index.yaml")
	if err != nil {
		return nil, err
	}
	var file struct {
		Entries map[string]yaml.Node `yaml:"entries"`
	}
	if err := yaml.Unmarshal(body, &file); err != nil {
		return nil, promotion.Terminal(fmt.Errorf("the index of %s is no index of charts: %w", src.Repo, err))
	}
	node, ok := file.Entries[src.Name]
	if !ok {
		return nil, promotion.Terminal(fmt.Errorf("the repository %s has no chart %q", src.Repo, src.Name))
	}
	var entries []entry
	if err := node.Decode(&entries); err != nil {
		return nil, promotion.Terminal(fmt.Errorf("the index of %s is wrong about %s: %w", src.Repo, src.Name, err))
	}
	return entries, nil
}

// get fetches a file of a chart repository, with the owner's credentials for it.
func (t *tenant) get(ctx context.Context, address string) ([]byte, error) {
	doing := "read " + address
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, promotion.Terminal(fmt.Errorf("%s: %w", doing, err))
	}
	req.Header.Set("User-Agent", t.client.opts.UserAgent)
	if l, ok := t.client.opts.Credentials.find(t.owner, req.URL.Host+strings.TrimSuffix(req.URL.Path, "/index.yaml")); ok {
		if l.token != "" {
			req.Header.Set("Authorization", "Bearer "+l.token)
		} else {
			req.SetBasicAuth(l.user, l.password)
		}
	}
	resp, err := t.http.Do(req)
	if err != nil {
		var wrong *url.Error
		if errors.As(err, &wrong) {
			err = wrong.Err
		}
		return nil, told(doing, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", doing, err)
	case resp.StatusCode == http.StatusOK:
		return body, nil
	case resp.StatusCode < 500:
		return nil, promotion.Terminal(fmt.Errorf("%s: the server answers %s", doing, resp.Status))
	}
	return nil, fmt.Errorf("%s: the server answers %s", doing, resp.Status)
}
