package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// start is a Monday at nine, UTC.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

var repo = promotion.Repo{ID: 1, Owner: "acme", Name: "gitops", DefaultBranch: "main", Installation: 7, Private: true}

// appFile is what the source follows.
const appFile = "app/deploy.yaml"

// issue is the number of the tracking issue.
const issue = 1

// hub is the model of GitHub: what a person would see there.
type hub struct {
	now      time.Time
	config   *promotion.Pipeline  // of the default branch; nil: the file is not there
	beside   *promotion.Pipeline  // a second pipeline; nil: there is none
	image    int                  // the newest version of its image
	reshaped bool                 // the config was changed
	forced   bool                 // somebody took a commit off main
	broken   bool                 // the file cannot be read
	lines    map[string][]*commit // long-lived branches, their first parents, oldest first
	heads    map[string]*commit   // branches of promotions
	pulls    []*pull
	runs     map[string]int // our check runs: external id @ commit → how many
	// presses are what those say of presses of their buttons.
	presses map[string][]string
	// approvals are what they say of those who approved.
	approvals map[string][]string
	// commitRuns are those on commits of the source: external id @ commit.
	commitRuns map[string]*commitRun
	reacts     map[string]bool      // "comment reaction"
	said       []*said              // comments
	others     map[string][]checkAt // checks of others, by commit
	roles      map[string]string    // login → what they may do
	teams      map[string][]string  // team → logins
	number     int64                // of the newest thing made
	landed     map[string][]landing // stage → what landed there, in order
	madeOn     map[string]string    // head of a pull request → the commit of its base that it was made on
	met        map[string]bool      // heads that conflicted with their base at some time
}

type commit struct {
	sha, promotion, freight, stage, by, message string
	pipeline                                    string // of the promotion
	path                                        string // that it changed
	touch                                       touch
	bare                                        bool // its message has no trailers
	at                                          time.Time
	asked                                       string             // who asked for the promotion
	carries                                     *promotion.Freight // what its trailers say of the freight
	on                                          *commit            // of a person's on a promotion's branch: what it stands on
}

// ours is the promotion's own commit, which people's may stand on; nil: there is none.
func (c *commit) ours() *commit {
	for c != nil && c.by != "" {
		c = c.on
	}
	return c
}

type pull struct {
	number                  int
	promotion, branch, base string
	stage, freight          string
	head, state             string // state: open, merged, closed
	first                   string // the head with which it was opened
	landed                  string
	pushers                 []string
	headAt                  time.Time
	reviews                 []*review
	own                     *commit // that the promotion made
}

type review struct {
	id    int64
	by    string
	head  string
	state string // approved, dismissed
	at    time.Time
}

// said is a comment with commands.
type said struct {
	id       int64
	by       string
	at       time.Time
	number   int
	cmds     []promotion.Command
	heads    map[int]string // pull request → its head when this was written
	replies  int
	listened bool // it came where commands are listened to
	event    promotion.Event
}

type checkAt struct {
	promotion.CheckChanged
	at time.Time
}

type landing struct {
	promotion, freight, sha, by string
	at                          time.Time
}

func newHub(config *promotion.Pipeline) *hub {
	h := &hub{
		now: start, config: config, lines: map[string][]*commit{}, heads: map[string]*commit{}, runs: map[string]int{}, presses: map[string][]string{}, approvals: map[string][]string{}, commitRuns: map[string]*commitRun{}, reacts: map[string]bool{},
		others: map[string][]checkAt{}, landed: map[string][]landing{}, madeOn: map[string]string{}, met: map[string]bool{},
		roles: map[string]string{"octocat": "write", "monalisa": "write", "hubot": "read"}, teams: map[string][]string{"sre": {"monalisa"}},
	}
	h.lines["main"] = []*commit{{sha: hash("first"), path: "README.md", at: start}}
	for i := range mostStages {
		h.lines["env/"+stageName(i)] = []*commit{{sha: hash("env", stageName(i)), path: "README.md", at: start}}
	}
	return h
}

// hash is a commit's hash, of any words.
func hash(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:20])
}

func (h *hub) id() int64 { h.number++; return 100 + h.number }

func (h *hub) tip(branch string) string {
	if line := h.lines[branch]; len(line) > 0 {
		return line[len(line)-1].sha
	}
	return ""
}

// add puts a commit on a long-lived branch and tells of the push.
func (h *hub) add(branch string, c *commit, pusher string) promotion.Event {
	before := h.tip(branch)
	c.at = h.now
	h.lines[branch] = append(h.lines[branch], c)
	h.noteDirty()
	if c.promotion != "" {
		h.landed[c.stage] = append(h.landed[c.stage], landing{c.promotion, c.freight, c.sha, c.by, h.now})
	}
	return h.event(promotion.Pushed{
		Branch: branch, Before: before, After: c.sha, Pusher: pusher, Complete: true,
		Commits: []promotion.PushedCommit{{SHA: c.sha, Message: c.message, Author: c.by, Paths: []string{c.path}}},
	})
}

func (h *hub) event(body promotion.EventBody) promotion.Event {
	return promotion.Event{Repo: repo, Cause: fmt.Sprint("guid-", h.id()), At: h.now, Body: body}
}

// freightOf is the freight of a source commit.
func freightOf(sha string) string {
	return promotion.FreightID([]promotion.Artifact{{Source: "app", Kind: "git", Repo: repo.FullName(), Branch: "main", Commit: sha}})
}

// source is what a look at the source finds: the newest commit of others on main,
// if the app changed since the one that was judged last. "": nothing new.
func (h *hub) source(since string) string {
	newest, touched := "", false
	for _, c := range slices.Backward(h.lines["main"]) {
		if c.sha == since {
			break
		}
		if c.promotion != "" {
			continue
		}
		if newest == "" {
			newest = c.sha
		}
		touched = touched || c.path == appFile
	}
	if !touched {
		return ""
	}
	return newest
}

// merge merges a pull request. Merged with words of somebody's own the commit has
// no trailers; it still names the pull request.
func (h *hub) merge(p *pull, by string, bare bool) []promotion.Event {
	c := &commit{
		sha: hash("merge", fmt.Sprint(p.number)), promotion: p.promotion, freight: p.freight, stage: p.stage, by: by, path: "envs/" + p.stage,
	}
	if own := p.own; own != nil {
		c.pipeline = own.pipeline
		c.message, c.carries, c.asked = fmt.Sprintf("Promote (#%d)\n\n%s", p.number, own.message), own.carries, own.asked
	}
	if bare {
		c.message, c.bare = fmt.Sprintf("Squashed (#%d)", p.number), true
	}
	p.state, p.landed = "merged", c.sha
	push := h.add(p.base, c, by)
	return []promotion.Event{push, h.changed(p, "closed", by)}
}

func (h *hub) changed(p *pull, action, by string) promotion.Event {
	return h.event(promotion.PullRequestChanged{
		Number: p.number, Action: action, HeadBranch: p.branch, HeadSHA: p.head, Base: p.base, SameRepo: true,
		Merged: p.state == "merged", MergedAs: p.landed, By: by, Own: by == "stagecoach[bot]",
	})
}

func (h *hub) openPull(where byte) *pull {
	var open []*pull
	for _, p := range h.pulls {
		if p.state == "open" {
			open = append(open, p)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[int(where)%len(open)]
}

// closeOf closes the pull requests of a branch that is gone, as GitHub does.
func (h *hub) closeOf(branch, by string) []promotion.Event {
	delete(h.heads, branch)
	out := []promotion.Event{h.event(promotion.Pushed{Branch: branch, After: strings.Repeat("0", 40), Pusher: by})}
	for _, p := range h.pulls {
		if p.branch == branch && p.state == "open" {
			p.state = "closed"
			out = append(out, h.changed(p, "closed", by))
		}
	}
	return out
}

// results are what a commit's checks say now, the newest of each.
func (h *hub) results(sha string) []promotion.CheckChanged {
	var out []promotion.CheckChanged
	for _, k := range h.others[sha] {
		out = slices.DeleteFunc(out, func(o promotion.CheckChanged) bool { return o.Name == k.Name })
		out = append(out, k.CheckChanged)
	}
	return out
}
