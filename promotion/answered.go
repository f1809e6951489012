package promotion

import (
	"slices"
	"strings"
)

// takeAnswer takes the answer of an effect that is no step.
func (c *core) takeAnswer(e *Effect, r Result) {
	switch e.Kind {
	case KindCheck:
		c.noteCheck(e, r)
	case KindDeployment:
		c.deployed(e, r)
	case KindCompare:
		c.compared(e, r)
	case KindDrift:
		c.driftSeen(e, r)
	case KindPullRequest:
		c.closed(e, r)
	case KindDeleteBranch:
		if p := c.promotion(e.Promotion); p != nil {
			c.own(p).Pushed = ""
		}
	case KindSource:
		c.looked(e, r)
	case KindPermission:
		c.judge(e, r)
	case KindChecks:
		c.readChecks(e, r)
	case KindReact:
		c.seenBefore(e, r)
		c.sent(e.Comment, e.Text)
	case KindPressed:
		c.pressSeen(e, r.Before)
	case KindReply:
		c.replySent(e)
	case KindPlan:
		c.planShown(e, VerdictDone, "")
	case KindHistory:
		c.historyWritten(e)
	case KindConfigCheck:
		c.noteConfigPull(e, r)
	case KindCommitCheck:
		c.commitShown(e, r)
	case KindReviews:
		for _, review := range r.Reviews {
			c.takeReview(review.Reviewed, Event{At: review.At, Cause: sentence("review/%d", review.Review)})
		}
	case KindAdopt:
		c.state.Local.Found = slices.Concat(r.Found, c.state.Local.Found)
		c.state.Local.Said = slices.Concat(r.Said, c.state.Local.Said)
		c.touchAll()
	}
}

// looked takes what a look at a source found. What was heard of while it ran may
// be newer: then it is looked again.
func (c *core) looked(e *Effect, r Result) {
	switch src := c.source(e); {
	case e.Version != "":
		c.found(e, r, "")
		return
	case src == nil:
		return // the config changed meanwhile
	case !src.OwnBranch(c.state.Repo):
		c.sawSource(e, r)
		return
	}
	c.dropProblems(problemOf(e))
	if r.Tip != "" && c.follows(e.Branch) {
		c.state.Local.Tips[e.Branch] = r.Tip
		c.advanceLine(e.Branch, r.Tip, false)
	}
	if r.Artifact == nil {
		return
	}
	known := c.artifactCommit(e.Pipeline, e.Source)
	if known == e.SHA {
		c.addArtifact(e.Pipeline, *r.Artifact)
		return
	}
	p := c.state.Local.Config[e.Pipeline]
	if p == nil || known == r.Artifact.Commit {
		return
	}
	for _, src := range p.Sources {
		if src.Name == e.Source {
			c.lookAtTip(e.Pipeline, src, "since/"+short(known))
		}
	}
}

// source is what an effect looks at; nil: the config does not have it any more.
func (c *core) source(e *Effect) *Source {
	p := c.state.Local.Config[e.Pipeline]
	if p == nil {
		return nil
	}
	for i := range p.Sources {
		if p.Sources[i].Name == e.Source {
			return &p.Sources[i]
		}
	}
	return nil
}

// problemOf is the key of the problem that an effect gives when it fails. That of a
// source stays until it is read again; others go with the next landing.
func problemOf(e *Effect) string {
	if e.Kind == KindSource {
		return sourceKey(e.Pipeline, e.Source) + "/"
	}
	return "effect/" + string(e.Kind) + "/" + e.Promotion
}

// closed takes that a pull request was closed, or that somebody merged it before.
func (c *core) closed(e *Effect, r Result) {
	p := c.promotion(e.Promotion)
	if p == nil || p.PullRequest == nil {
		return
	}
	p = c.own(p)
	p.PullRequest.State, p.PullRequest.Stale = "closed", false
	if r.PullRequest != nil {
		p.PullRequest.State = r.PullRequest.State
	}
	if p.PullRequest.State == "merged" && r.Landed != "" {
		c.landAfterAll(p, r.Landed)
	}
}

// effectFailed gives up an effect that is no step. Nothing of a promotion hangs
// on it, so it is said and not tried for ever.
func (c *core) effectFailed(e *Effect, err error) {
	switch e.Kind {
	case KindReact:
		c.sent(e.Comment, e.Text) // a locked or deleted comment takes no reaction
		return
	case KindPressed:
		c.pressSeen(e, true) // what may have been done is not done again
		if p := c.promotion(e.Promotion); p != nil {
			c.hear(p, e.Text)
		}
		return
	case KindReply:
		c.replySent(e)
		return
	case KindPermission:
		c.unjudged(e)
	case KindHistory: // the check runs tell of them too
		c.historyWritten(e)
		return
	case KindPlan:
		c.planShown(e, VerdictWrong, sentence("The plan could not be made: %s.", strings.TrimSuffix(plainText(err.Error()), ".")))
		return
	case KindSource:
		if e.Version != "" {
			c.found(e, Result{}, sentence("%s could not be looked up in the source %s: %s", plain(e.Version), e.Source, plainText(err.Error())))
			return
		}
		c.lookedAt(e)
	case KindChecks:
		c.checksUnread(e, err)
		return
	case KindDeployment:
		if c.notDeployed(e, err); lacks(err) {
			return
		}
	case KindCommitCheck:
		if c.commitNotShown(e, err); lacks(err) {
			return
		}
	case KindCheck:
		c.noteCheck(e, Result{})
	case KindPullRequest:
		if p := c.promotion(e.Promotion); p != nil && p.PullRequest != nil {
			c.own(p).PullRequest.State = "unknown"
		}
	case KindDeleteBranch:
		if p := c.promotion(e.Promotion); p != nil {
			c.own(p).Pushed = ""
		}
	}
	c.problem(Problem{Key: problemOf(e), Text: describe(e) + ": " + err.Error()})
}

func describe(e *Effect) string {
	switch e.Kind {
	case KindCheck:
		return "The check run of " + e.Promotion + " could not be written"
	case KindCommitCheck:
		return sentence("The check run on %s, a commit of the source %s, could not be written", short(e.SHA), e.Source)
	case KindDeployment:
		return "The Deployment of " + e.Promotion + " could not be recorded"
	case KindPullRequest:
		return sentence("The pull request #%d could not be closed", e.Number)
	case KindDeleteBranch:
		return "The branch " + e.Branch + " could not be deleted"
	case KindNeutral:
		return sentence("The required check could not be reported in #%d", e.Number)
	case KindSource:
		return "The source " + e.Source + " could not be read"
	case KindPermission:
		return "The permission of " + e.Login + " could not be read"
	case KindReviews:
		return sentence("The reviews of #%d could not be read", e.Number)
	case KindCompare:
		return "The pull request of " + e.Promotion + " could not be compared with " + e.Branch
	case KindDrift:
		return "What was pushed by hand to " + e.Branch + " could not be compared with what " + StageRef(e.Pipeline, e.Stage) + " holds"
	case KindConfigCheck:
		return sentence("The config in #%d could not be checked", e.Number)
	}
	return strings.ReplaceAll(string(e.Kind), "-", " ") + " failed"
}
