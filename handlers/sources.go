package handlers

import (
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// dispatchType is the event_type with which CI says that a source has something
// new: https://docs.github.com/en/rest/repos/repos#create-a-repository-dispatch-event
const dispatchType = "stagecoach"

type dispatchPayload struct {
	envelope // Action is the event_type
	Client   struct {
		Source string `json:"source"`
	} `json:"client_payload"`
}

// repositoryDispatch tells of CI's hint. The version in it is not taken: what there
// is, the registry says.
func (t Translator) repositoryDispatch(payload []byte) ([]promotion.Event, error) {
	p, err := decode[dispatchPayload](payload)
	if err == nil && p.Action == "" {
		err = errNoAction
	}
	if err != nil || p.Action != dispatchType {
		return nil, err
	}
	return p.one(time.Time{}, promotion.Moved{Source: p.Client.Source})
}

// release tells that the releases of the repository changed.
func (t Translator) release(payload []byte) ([]promotion.Event, error) {
	p, err := decode[envelope](payload)
	if err != nil {
		return nil, err
	}
	if p.Repository == nil {
		return nil, errNoRepository
	}
	if p.Action == "created" { // a draft, which nobody sees; published follows
		return nil, nil
	}
	return p.one(time.Time{}, promotion.Moved{Watch: promotion.WatchRelease(p.Repository.FullName)})
}

// packagePayload is our own reading of registry_package: the library does not know
// the event. A package that is linked to no repository names none.
type packagePayload struct {
	envelope
	Package struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		Type      string `json:"package_type"` // CONTAINER, npm, …
		Version   struct {
			URL string `json:"package_url"` // ghcr.io/acme/web:1.0.0
		} `json:"package_version"`
	} `json:"registry_package"`
}

// image is where the package is pulled from; empty: it is no image. GitHub names the
// address with the tag that was pushed, which may be empty; what it calls namespace is
// not always the owner alone.
func (p *packagePayload) image() string {
	if !strings.EqualFold(p.Package.Type, "container") && !strings.EqualFold(p.Package.Type, "docker") {
		return ""
	}
	if image := untagged(p.Package.Version.URL); image != "" {
		return image
	}
	if p.Package.Name == "" || p.Package.Namespace == "" {
		return ""
	}
	return "ghcr.io/" + p.Package.Namespace + "/" + p.Package.Name
}

// untagged is an address of an image without its tag or digest; empty: it is no such
// address.
func untagged(address string) string {
	address, _, _ = strings.Cut(address, "@")
	if slash := strings.LastIndex(address, "/"); slash >= 0 {
		name, _, _ := strings.Cut(address[slash+1:], ":")
		address = address[:slash+1] + name
	}
	host, path, ok := strings.Cut(address, "/")
	if !ok || path == "" || strings.HasSuffix(path, "/") || !strings.Contains(host, ".") || strings.Contains(address, "://") {
		return ""
	}
	return address
}

func (t Translator) registryPackage(payload []byte) ([]promotion.Event, error) {
	p, err := decode[packagePayload](payload)
	if err == nil && p.Package.Name == "" {
		err = errNoPackage
	}
	if err != nil || p.image() == "" || p.Repository == nil {
		return nil, err
	}
	return p.one(time.Time{}, promotion.Moved{Watch: promotion.WatchOCI(p.image())})
}

// Heard is what a delivery says of things that pipelines of any repository may
// follow. A delivery that is malformed says nothing.
func Heard(eventType string, payload []byte) []promotion.Moved {
	switch eventType {
	case "push":
		p, err := decode[pushPayload](payload)
		if err != nil || p.Repository == nil {
			return nil
		}
		return p.heard()
	case "release", "registry_package":
		events, err := map[string]func(Translator, []byte) ([]promotion.Event, error){
			"release": Translator.release, "registry_package": Translator.anyPackage,
		}[eventType](Translator{}, payload)
		if err != nil || len(events) == 0 {
			return nil
		}
		return []promotion.Moved{events[0].Body.(promotion.Moved)}
	}
	return nil
}

// anyPackage is registryPackage, also of a package that is linked to no repository.
func (t Translator) anyPackage(payload []byte) ([]promotion.Event, error) {
	p, err := decode[packagePayload](payload)
	if err != nil || p.image() == "" {
		return nil, err
	}
	return []promotion.Event{{Body: promotion.Moved{Watch: promotion.WatchOCI(p.image())}}}, nil
}

// mostTold bounds the paths that a hint tells of: it is sent to each repository that
// follows the branch.
const mostTold = 1000

// movement is what the push says of its branch, for those who follow it.
func (p *pushPayload) movement() *promotion.Movement {
	m := &promotion.Movement{Before: p.Before, After: p.After, Whole: p.complete()}
	seen := map[string]bool{}
	for _, c := range p.commits() {
		if promotion.Trailer(c.Message, promotion.TrailerPromotion) != "" {
			continue
		}
		if len(c.Paths) == 0 {
			m.Whole = false // an empty commit moves those that watch everything, or it is a merge
		}
		for _, path := range c.Paths {
			if !seen[path] {
				seen[path] = true
				m.Paths = append(m.Paths, path)
			}
		}
	}
	if len(m.Paths) > mostTold {
		m.Paths, m.Whole = nil, false
	}
	return m
}

// heard says which branch or tag moved.
func (p *pushPayload) heard() []promotion.Moved {
	repo := p.Repository.FullName
	if strings.HasPrefix(p.Ref, "refs/tags/") {
		return []promotion.Moved{{Watch: promotion.WatchTags(repo)}}
	}
	branch, ok := strings.CutPrefix(p.Ref, "refs/heads/")
	if !ok || strings.HasPrefix(branch, queuePrefix) {
		return nil
	}
	return []promotion.Moved{{Watch: promotion.WatchGit(repo), Branch: branch, Default: branch == p.Repository.DefaultBranch, Change: p.movement()}}
}
