package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var (
	allowTags  = shape{name: "allowTags", typ: promotion.TypeString, rule: badPattern, doc: "Only tags that fit this regular expression (RE2) count; default: all."}
	ignoreTags = shape{name: "ignoreTags", typ: promotion.TypeString, rule: badPattern, doc: "Tags that fit this regular expression (RE2) do not count."}
	poll       = shape{name: "poll", typ: typeDuration, doc: "How long after a look it is looked again, if no event says so before; at least 1m."}
)

var gitShape = shape{name: "git", typ: promotion.TypeObject, doc: "A branch of a repository, or its tags.", oneOf: [][]string{{"branch", "tags"}, {"paths", "tags"}, {"ignore", "tags"}}, fields: []shape{
	{name: "repo", typ: promotion.TypeString, rule: badRepo, doc: "OWNER/NAME; default: this repository. Another one must share with this one, or be public."},
	{name: "branch", typ: promotion.TypeString, rule: badBranch, doc: "The branch; default: the default branch."},
	{name: "paths", typ: promotion.TypeList, items: &globShape, doc: "Only commits that touch these make freight; default: all."},
	{name: "ignore", typ: promotion.TypeList, items: &globShape, doc: "Paths that do not count."},
	{name: "checkRun", typ: promotion.TypeBool, doc: "true: a check run on the commits of what is promoted says where it is; default: false. Another repository must share with this one."},
	{name: "tags", typ: promotion.TypeObject, doc: "Follow tags that are versions, instead of a branch.", fields: []shape{
		{name: "constraint", typ: promotion.TypeString, doc: "Versions that count: ^1.2.0, ~1.2, >=1 <3; default: all that are no prereleases."},
		allowTags, ignoreTags,
	}},
}}

var imageShape = shape{name: "image", typ: promotion.TypeObject, doc: "A container image in a registry.", fields: []shape{
	{name: "repo", typ: promotion.TypeString, required: true, rule: badImage, doc: "The image without a tag: ghcr.io/acme/web."},
	{name: "select", typ: promotion.TypeString, enum: []string{promotion.SelectSemver, promotion.SelectNewest, promotion.SelectDigest, promotion.SelectLexical},
		doc: "semver: the highest version; newest: the image that was built last; digest: what the tag that constraint names points to; lexical: the last tag in the order of the alphabet; default: semver."},
	{name: "constraint", typ: promotion.TypeString, doc: "Versions that count: ^1.2.0, ~1.2, >=1 <3; default: all that are no prereleases. With select: digest, the tag."},
	allowTags, ignoreTags,
	{name: "platform", typ: promotion.TypeString, rule: badPlatform, doc: "Only images for this platform count: linux/amd64; default: any."},
	poll,
}}

var chartShape = shape{name: "chart", typ: promotion.TypeObject, doc: "A Helm chart.", fields: []shape{
	{name: "repo", typ: promotion.TypeString, required: true, rule: badChart, doc: "The chart in a registry, oci://ghcr.io/acme/charts/web, or a repository of charts, https://charts.example.com."},
	{name: "name", typ: promotion.TypeString, doc: "The chart's name in a repository of charts."},
	{name: "constraint", typ: promotion.TypeString, doc: "Versions that count: ^1.2.0, 2.x; default: all that are no prereleases."},
	poll,
}}

var releaseShape = shape{name: "release", typ: promotion.TypeObject, doc: "The releases of a repository on this GitHub.", fields: []shape{
	{name: "repo", typ: promotion.TypeString, required: true, rule: badRepo, doc: "OWNER/NAME."},
	{name: "prereleases", typ: promotion.TypeBool, doc: "Prereleases count too; default: false."},
	{name: "constraint", typ: promotion.TypeString, doc: "Of versions: the highest that fits; default: the release that was published last, whatever its tag."},
	poll,
}}

var shareShape = shape{name: "share", typ: promotion.TypeList, filled: true, most: 100, doc: "Repositories whose pipelines may have this one as a source; a public one may be read by all.",
	items: &shape{typ: promotion.TypeString, required: true, rule: badRepo, doc: "OWNER/NAME."}}

func badPattern(s string) string {
	if _, err := regexp.Compile(s); err != nil {
		return fmt.Sprintf("%q is no regular expression of RE2 (https://github.com/google/re2/wiki/Syntax): %s", shorten(s), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return ""
}

// imageName is what Docker allows (https://github.com/distribution/reference/blob/main/reference.go).
var imageName = regexp.MustCompile(`^([a-zA-Z0-9.-]+(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)

func badImage(s string) string {
	switch last := s[strings.LastIndex(s, "/")+1:]; {
	case strings.Contains(s, "://"):
		return fmt.Sprintf("%q: write it as docker pull takes it, without %s", shorten(s), s[:strings.Index(s, "://")+3])
	case strings.ContainsAny(last, ":@"):
		return fmt.Sprintf("%q names one version; leave out what stands behind %q, and use constraint", shorten(s), last[:strings.IndexAny(last, ":@")])
	case !imageName.MatchString(s):
		return fmt.Sprintf("%q is no name of an image; write ghcr.io/acme/web", shorten(s))
	}
	return ""
}

func badChart(s string) string {
	if rest, ok := strings.CutPrefix(s, "oci://"); ok {
		if !strings.Contains(rest, "/") {
			return fmt.Sprintf("%q names a registry and no chart; write oci://ghcr.io/acme/charts/web", shorten(s))
		}
		return badImage(rest)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Sprintf("%q is no address of charts; write oci://ghcr.io/acme/charts/web, or https://charts.example.com", shorten(s))
	case u.User != nil:
		return "it holds a user or password; the operator gives credentials to the server"
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Sprintf("%q holds a ? or #; write the address in front of /index.yaml", shorten(s))
	}
	return ""
}

var platform = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+(/[a-z0-9]+)?$`)

func badPlatform(s string) string {
	if platform.MatchString(s) {
		return ""
	}
	return fmt.Sprintf("%q is no platform; write linux/amd64, or linux/arm/v7", shorten(s))
}
