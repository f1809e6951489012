package demo

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

var (
	numbered = regexp.MustCompile(`/(?:pulls|issues)/(\d+)(?:/|$)`)
	checkRun = regexp.MustCompile(`/check-runs/(\d+)$`)
	// pushedRef is a command of git-receive-pack: old, new and ref, in a pkt-line.
	pushedRef = regexp.MustCompile(`^[0-9a-f]{4}[0-9a-f]{40} ([0-9a-f]{40}) refs/heads/([^\x00\n ]+)`)
)

// nameIn is the promotion that a request names, or "".
func (t *tally) nameIn(r ghsim.Request, body []byte) string {
	path, err := url.PathUnescape(r.Path)
	if err != nil {
		path = r.Path
	}
	if _, branch, found := strings.Cut(path, "/git/refs/heads/"); found {
		return ofBranch(branch)
	}
	if m := numbered.FindStringSubmatch(path); m != nil {
		return t.ofPull(m[1])
	}
	if strings.HasSuffix(path, "/git-receive-pack") {
		return t.ofPush(body)
	}
	var said struct {
		ExternalID string `json:"external_id"`
		Head       string `json:"head"`
	}
	if json.Unmarshal(body, &said) == nil {
		if _, ok := promotion.ParseName(said.ExternalID); ok {
			return said.ExternalID
		}
		if name := ofBranch(said.Head); name != "" {
			return name
		}
	}
	if m := checkRun.FindStringSubmatch(path); m != nil {
		return t.ofCheck(m[1])
	}
	return ""
}

func ofBranch(branch string) string {
	_, _, name, _ := promotion.ParseBranch(branch)
	return name
}

func (t *tally) ofPull(number string) string {
	for _, pr := range t.sim.PullRequests(t.repo) {
		if strconv.Itoa(pr.Number) == number {
			return ofBranch(pr.Head)
		}
	}
	return ""
}

func (t *tally) ofCheck(id string) string {
	for _, c := range t.sim.CheckRuns(t.repo) {
		if strconv.FormatInt(c.ID, 10) == id {
			return c.ExternalID
		}
	}
	return ""
}

// ofPush reads the branch or, when that is not a promotion's own, the trailer of
// the commit that was pushed.
func (t *tally) ofPush(body []byte) string {
	m := pushedRef.FindSubmatch(body)
	if m == nil {
		return ""
	}
	if name := ofBranch(string(m[2])); name != "" {
		return name
	}
	commits, err := t.sim.History(t.repo, string(m[1]), "", 0, 1)
	if err != nil || len(commits) == 0 {
		return ""
	}
	return promotion.Trailer(commits[0].Message, promotion.TrailerPromotion)
}
