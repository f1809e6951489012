package page

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// verdicts are what a review says, by its state: the words after the author's name, and the mark.
var verdicts = map[string][2]string{
	"APPROVED": {"approved these changes", "good"}, "CHANGES_REQUESTED": {"requested changes", "bad"}, "COMMENTED": {"reviewed", "off"},
	"DISMISSED": {"had reviewed; the review was dismissed", "off"},
}

// reviewEvents are the reviews of a pull request that everybody sees.
func (v *visit) reviewEvents(p ghsim.PullRequest) []event {
	var out []event
	for _, review := range v.sim.Reviews(v.repo, p.Number) {
		verdict, shown := verdicts[review.State]
		if !shown {
			continue
		}
		e := event{When: review.Submitted, Who: review.Author, Did: verdict[0] + " at", Mark: verdict[1], SHA: review.Commit}
		if review.Body != "" {
			e.Said = v.comments(review.Body)
		}
		out = append(out, e)
	}
	return out
}

// reviewBox offers a review.
type reviewBox struct {
	// Own says that the person opened the pull request, and may only comment.
	Own bool
}

// review submits a review of the head that the person saw.
func (v *visit) review() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	number, text := v.number("number"), strings.TrimSpace(lineEnds(v.r.PostForm.Get("text"), ""))
	in := map[string]string{"event": v.r.PostForm.Get("verdict"), "body": text, "commit_id": v.r.PostForm.Get("head")}
	err = me.Do("POST", "/repos/"+v.repo.FullName()+"/pulls/"+v.r.PathValue("number")+"/reviews", in, nil)
	return v.said(err, "Your review is submitted.", v.numbered("pull", number))
}

// ready makes a draft ready for review.
func (v *visit) ready() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	number := v.number("number")
	return v.said(me.ReadyForReview(v.repo, number), "The pull request is ready for review.", v.numbered("pull", number))
}
