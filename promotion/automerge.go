package promotion

import (
	"slices"
	"strings"
	"time"
)

// What GitHub calls a change of its own auto-merge.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
const (
	autoMergeOn  = "auto_merge_enabled"
	autoMergeOff = "auto_merge_disabled"
)

// MayLeaveMerge reports whether the merge of the promotion's pull request may be
// left to GitHub's own auto-merge, which merges as soon as the rules of the branch
// allow it, whether or not somebody looks. That our check is among the rules only
// GitHub can tell. What is known here: the check says yes to the head of now, so
// that GitHub waits for something else; no gate shuts by itself, at a time at which
// nobody may be there to take that yes back; and it was not switched on before.
func (p *Promotion) MayLeaveMerge() bool {
	if p.PullRequest == nil || p.Auto || p.AutoOff != nil {
		return false
	}
	green := slices.ContainsFunc(p.Checks, func(k CheckRun) bool { return k.Green && k.SHA == p.PullRequest.Head })
	shuts := slices.ContainsFunc(p.Gates, func(g Gate) bool { return g.Status == GateOpen && !g.Until.IsZero() })
	return green && !shuts
}

// takeAutoMerge takes that GitHub's auto-merge of a promotion's pull request was
// switched on or off. Who switches it off by hand wants the merge to be made by
// hand: the app neither switches it on again nor merges by itself.
func (c *core) takeAutoMerge(p *Promotion, e PullRequestChanged, at time.Time) {
	if p.Phase.Terminal() || p.PullRequest == nil || p.PullRequest.Number != e.Number || at.Before(p.AutoAt) {
		return
	}
	off := e.Action == autoMergeOff
	if at.Equal(p.AutoAt) && !at.IsZero() && !off {
		return // GitHub counts in seconds: of the same one, off is the safe word
	}
	p = c.own(p)
	p.Auto, p.AutoAt = !off, at
	switch {
	case off && !e.Own && c.mergesItself(p) && byHand(e.Reason):
		p.AutoOff = &Mark{By: e.By, At: c.when(at)}
	case off:
		c.stir(p)
	case p.AutoOff != nil && !e.Own:
		p.AutoOff = nil
		c.stir(p)
	}
	c.touchOf(p)
}

// byHand reports whether GitHub's reason for switching auto-merge off is that a
// person did. Its other reasons name what happened to the pull request. A reason
// that is not known counts as a person's: a merge that waits can be made, one that
// nobody wanted cannot be taken back.
func byHand(reason string) bool {
	reason = strings.ToLower(reason)
	return !slices.ContainsFunc([]string{"head ", "base ", "pull request ", "merge "}, func(what string) bool { return strings.HasPrefix(reason, what) })
}

// heldByHand says that somebody switched auto-merge off; "": nobody did.
func (p *Promotion) heldByHand() string {
	if p.AutoOff == nil {
		return ""
	}
	return sentence("%s switched auto-merge off: merge it by hand, or switch it on again", p.AutoOff.By)
}
