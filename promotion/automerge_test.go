package promotion_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// leftToGitHub is a world whose pull request waits for what GitHub asks for, and
// which GitHub merges by itself.
func leftToGitHub(t *testing.T) *pt.World {
	t.Helper()
	w := waitingPull(t, mergingStage)
	w.MayMerge = func() bool { return false }
	w.LeftToGitHub = (*promotion.Promotion).MayLeaveMerge
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	return w
}

// switched is somebody's change of GitHub's auto-merge.
func switched(w *pt.World, action, by, reason string) {
	w.Now = w.Now.Add(time.Minute)
	w.Take(promotion.Event{Repo: pt.Repo, At: w.Now, Body: promotion.PullRequestChanged{
		Number: 100, Action: action, Reason: reason, By: by, Own: by == "stagecoach[bot]", HeadBranch: w.Pulls[0].Branch, SameRepo: true,
	}})
}

// What a person switched off by hand stays off, and nothing merges it by itself until
// they switch it on again. The check does not hold them.
func TestAutoMergeSwitchedOffByHand(t *testing.T) {
	w := leftToGitHub(t)
	if p := w.Last("prod"); !p.Auto || p.Phase != promotion.PhaseWaiting {
		t.Fatalf("auto %v, %s: %s", p.Auto, p.Phase, p.Message)
	}
	switched(w, "auto_merge_enabled", "stagecoach[bot]", "")
	switched(w, "auto_merge_disabled", "octocat", "")
	p := w.Last("prod")
	if !strings.HasPrefix(p.Message, "octocat switched auto-merge off") || p.Auto {
		t.Fatalf("auto %v, %s: %s", p.Auto, p.Phase, p.Message)
	}
	tries := w.Ran["step/"+p.Name+"/4"]
	w.MayMerge = nil
	w.Check(p.PullRequest.Head, "ci", "success")
	w.Restart()
	w.Take()
	if p = w.Last("prod"); p.Phase != promotion.PhaseWaiting || w.Ran["step/"+p.Name+"/4"] != tries {
		t.Fatalf("%s after %d looks more: %s", p.Phase, w.Ran["step/"+p.Name+"/4"]-tries, p.Message)
	}
	switched(w, "auto_merge_enabled", "octocat", "")
	if p = w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// They may merge it by hand as well.
func TestMergedByHandAfterSwitchingOff(t *testing.T) {
	w := leftToGitHub(t)
	switched(w, "auto_merge_disabled", "octocat", "Manually disabled by user")
	if p := w.Last("prod"); p.AutoOff == nil {
		t.Fatalf("%s: %s", p.Phase, p.Message)
	}
	w.End("prod", "merged")
	if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// GitHub switches it off for reasons of its own: then it may be switched on again.
func TestAutoMergeSwitchedOffByGitHub(t *testing.T) {
	for _, reason := range []string{"Head branch was pushed to by a user without write access", "Base branch was changed", "Pull request was converted to draft", "Merge commits are not allowed"} {
		w := leftToGitHub(t)
		on := 0
		w.LeftToGitHub = func(p *promotion.Promotion) bool { on++; return p.MayLeaveMerge() }
		switched(w, "auto_merge_disabled", "octocat", reason)
		if p := w.Last("prod"); p.AutoOff != nil || !p.Auto || on != 1 {
			t.Errorf("%s: off %v, auto %v, switched on %d times", reason, p.AutoOff, p.Auto, on)
		}
	}
}

// Deliveries come late and out of order: what was said last counts, and in doubt off.
func TestAutoMergeEventsOutOfOrder(t *testing.T) {
	const on, off = "auto_merge_enabled", "auto_merge_disabled"
	type change struct {
		action string
		second int
	}
	for name, c := range map[string]struct {
		told []change
		held bool
	}{
		"off, then on":           {[]change{{off, 1}, {on, 2}}, false},
		"off, then on, off late": {[]change{{on, 2}, {off, 1}}, false},
		"on, then off":           {[]change{{on, 1}, {off, 2}}, true},
		"on, then off, on late":  {[]change{{off, 2}, {on, 1}}, true},
		"in the same second":     {[]change{{on, 1}, {off, 1}}, true},
		"and told the other way": {[]change{{off, 1}, {on, 1}}, true},
		"off, on, and off again": {[]change{{off, 1}, {on, 2}, {off, 1}}, false},
		"on, off, and on again":  {[]change{{on, 1}, {off, 2}, {on, 1}}, true},
	} {
		w := leftToGitHub(t)
		for _, k := range c.told {
			at := pt.Start.Add(time.Hour + time.Duration(k.second)*time.Second)
			w.Take(promotion.Event{Repo: pt.Repo, At: at, Body: promotion.PullRequestChanged{Number: 100, Action: k.action, By: "octocat"}})
		}
		if p := w.Last("prod"); (p.AutoOff != nil) != c.held {
			t.Errorf("%s: %+v", name, p.AutoOff)
		}
	}
}

// A merge is left to GitHub only when it waits for something else than us, and when
// no gate shuts by itself while nobody may be there.
func TestWhenAMergeMayBeLeft(t *testing.T) {
	head := pt.SHA("head")
	plain := func() *promotion.Promotion {
		return &promotion.Promotion{
			PullRequest: &promotion.PullRequest{Number: 1, Head: head, State: "open"}, Checks: []promotion.CheckRun{{SHA: head, Green: true}},
			Gates: []promotion.Gate{{Name: promotion.GateApprovals, Status: promotion.GateOpen}},
		}
	}
	for name, c := range map[string]struct {
		change func(*promotion.Promotion)
		may    bool
	}{
		"as it is":                     {func(*promotion.Promotion) {}, true},
		"no pull request":              {func(p *promotion.Promotion) { p.PullRequest = nil }, false},
		"our check is not green":       {func(p *promotion.Promotion) { p.Checks[0].Green = false }, false},
		"our check is of another head": {func(p *promotion.Promotion) { p.PullRequest.Head = pt.SHA("other") }, false},
		"a window shuts later":         {func(p *promotion.Promotion) { p.Gates[0].Until = pt.Start }, false},
		"a window opens later":         {func(p *promotion.Promotion) { p.Gates[0].Status, p.Gates[0].Until = promotion.GateClosed, pt.Start }, true}, // then it is held anyway
		"somebody switched it off":     {func(p *promotion.Promotion) { p.AutoOff = &promotion.Mark{By: "octocat"} }, false},
		"it is on, or was once before": {func(p *promotion.Promotion) { p.Auto = true }, false},
	} {
		p := plain()
		c.change(p)
		if got := p.MayLeaveMerge(); got != c.may {
			t.Errorf("%s: %v", name, got)
		}
	}
}
