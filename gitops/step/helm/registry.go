package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// The media types of charts in registries: https://helm.sh/docs/topics/registries/
const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	chartType    = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

const maxManifest = 4 << 20

// registry is a repository of a registry, by the protocol of
// https://github.com/opencontainers/distribution-spec/blob/main/spec.md
type registry struct {
	f     *fetcher
	base  string // https://host/v2/name
	login string // host/name: whose login counts, also where tokens are handed out elsewhere
	token string
}

// fromRegistry gets a chart's archive from a registry. An exact version is asked
// for as it is; for a range the registry's tags are listed.
func (f *fetcher) fromRegistry(ctx context.Context, repository, name, constraint string) (version string, content []byte, err error) {
	at, err := url.Parse(strings.TrimSuffix(repository, "/") + "/" + name)
	if err != nil || at.Host == "" || at.Path == "" {
		return "", nil, step.Refuse("%q is no address of a registry", repository)
	}
	r := &registry{f: f, base: scheme(at.Hostname()) + at.Host + "/v2" + at.Path, login: at.Host + at.Path}
	version = constraint
	if !exact.MatchString(constraint) {
		tags, err := r.tags(ctx)
		if err != nil {
			return "", nil, err
		}
		i, err := newest(tags, constraint)
		if err != nil {
			return "", nil, step.Refuse("the chart %s in %s: %w", name, repository, err)
		}
		version = tags[i]
	}
	content, err = r.chart(ctx, version)
	return version, content, err
}

// exact is a version in full; anything else is a range.
var exact = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$`)

// scheme is https but on this machine, as other clients of registries have it.
func scheme(host string) string {
	if addr, err := netip.ParseAddr(host); host == "localhost" || err == nil && addr.IsLoopback() {
		return "http://"
	}
	return "https://"
}

// chart gets the archive of a version. A tag cannot have a plus, so Helm writes _.
func (r *registry) chart(ctx context.Context, version string) ([]byte, error) {
	raw, err := r.get(ctx, "/manifests/"+strings.ReplaceAll(version, "+", "_"), maxManifest, manifestType)
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Layers []struct{ MediaType, Digest string }
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return nil, step.Refuse("%s:%s is no manifest: %w", r.base, version, err)
	}
	for _, layer := range manifest.Layers {
		if layer.MediaType == chartType {
			return r.blob(ctx, layer.Digest)
		}
	}
	return nil, step.Refuse("%s:%s is no chart", r.base, version)
}

func (r *registry) blob(ctx context.Context, digest string) ([]byte, error) {
	content, err := r.get(ctx, "/blobs/"+digest, maxArchive, "")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	if got := "sha256:" + hex.EncodeToString(sum[:]); got != digest {
		return nil, step.Refuse("%s gave other content than was asked for: %s, not %s", r.base, got, digest)
	}
	return content, nil
}

// tags lists the versions. Registries hand out at least a thousand at once.
func (r *registry) tags(ctx context.Context) ([]string, error) {
	var all []string
	for last := ""; ; {
		raw, err := r.get(ctx, "/tags/list?n=1000"+last, maxManifest, "")
		if err != nil {
			return nil, err
		}
		var list struct{ Tags []string }
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, step.Refuse("%s has no list of tags: %w", r.base, err)
		}
		for _, tag := range list.Tags {
			all = append(all, strings.ReplaceAll(tag, "_", "+"))
		}
		if len(list.Tags) < 1000 || len(all) >= 100_000 {
			return all, nil
		}
		last = "&last=" + url.QueryEscape(list.Tags[len(list.Tags)-1])
	}
}

// get asks the registry, and for a token when it wants one.
func (r *registry) get(ctx context.Context, path string, most int64, accept string) ([]byte, error) {
	req := request{url: r.base + path, most: most, accept: accept, bearer: r.token, login: r.login}
	content, err := r.f.get(ctx, req)
	refused := new(statusError)
	if r.token != "" || !errors.As(err, &refused) || refused.code != http.StatusUnauthorized {
		return content, err
	}
	if r.token, err = r.authenticate(ctx, refused); err != nil {
		return nil, err
	}
	req.bearer = r.token
	return r.f.get(ctx, req)
}

var parameter = regexp.MustCompile(`(\w+)="([^"]*)"`)

// authenticate gets a token: https://distribution.github.io/distribution/spec/auth/token/
func (r *registry) authenticate(ctx context.Context, refused *statusError) (string, error) {
	scheme, rest, _ := strings.Cut(refused.challenge, " ")
	values := url.Values{}
	for _, m := range parameter.FindAllStringSubmatch(rest, -1) {
		values.Set(m[1], m[2])
	}
	realm := values.Get("realm")
	values.Del("realm")
	if !strings.EqualFold(scheme, "Bearer") || realm == "" {
		return "", judged(refused)
	}
	if strings.HasPrefix(r.base, "https:") && !strings.HasPrefix(realm, "https:") {
		return "", step.Refuse("%s sends for a token to %s, which is not https", r.base, realm)
	}
	raw, err := r.f.get(ctx, request{url: realm + "?" + values.Encode(), most: maxManifest, login: r.login})
	if err != nil {
		return "", err
	}
	var answer struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Token+answer.AccessToken == "" {
		return "", step.Refuse("%s gave no token", realm)
	}
	if answer.Token == "" {
		return answer.AccessToken, nil
	}
	return answer.Token, nil
}
