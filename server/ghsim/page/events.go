package page

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// event is one entry below the text of an issue or pull request: a comment, a commit, or a change of state.
type event struct {
	When    time.Time
	Comment *commentView
	Commit  *commitLine
	Did     string // in words, such as "merged this"; Who did it
	Who     string
	Mark    string // merged or closed
	SHA     string
	Said    template.HTML // the text of a review
}

type commentView struct {
	ghsim.Comment
	Text      template.HTML
	Reactions []reactionSum
	Anchor    string
	Address   string // where reactions are sent
	Tick      tickForm
}

// reactionSum counts the reactions of one kind.
type reactionSum struct {
	Kind, Sign string
	Count      int
	By         string // who, in words
}

var signs = []struct{ kind, sign string }{
	{"+1", "👍"}, {"-1", "👎"}, {"laugh", "😄"}, {"hooray", "🎉"}, {"confused", "😕"}, {"heart", "❤️"}, {"rocket", "🚀"}, {"eyes", "👀"},
}

// events are the comments, with commits and the end of a pull request, oldest first.
func (v *visit) events(i ghsim.Issue, more []event) []event {
	out := more
	for _, c := range v.sim.Comments(v.repo, i.Number) {
		view := &commentView{
			Comment: c, Reactions: sumReactions(c.Reactions), Anchor: anchorOf(c.ID)[1:],
			Address: v.numbered("issues", i.Number) + "/react",
		}
		view.Text, view.Tick = v.tickable(c.Body, c.Author, i.Number, c.ID)
		out = append(out, event{When: c.Created, Comment: view})
	}
	slices.SortStableFunc(out, func(a, b event) int { return a.When.Compare(b.When) })
	return out
}

func anchorOf(comment int64) string { return fmt.Sprintf("#issuecomment-%d", comment) }

func hash(number int) string { return fmt.Sprintf("#%d", number) }

func sumReactions(all []ghsim.Reaction) []reactionSum {
	var out []reactionSum
	for _, s := range signs {
		sum := reactionSum{Kind: s.kind, Sign: s.sign}
		for _, r := range all {
			if r.Content == s.kind {
				sum.Count++
				if sum.By != "" {
					sum.By += ", "
				}
				sum.By += r.Author
			}
		}
		if sum.Count > 0 {
			out = append(out, sum)
		}
	}
	return out
}

// react gives a comment a reaction.
func (v *visit) react() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(v.r.PostForm.Get("comment"), 10, 64)
	if err != nil {
		return failed(http.StatusBadRequest, "The form names no comment.")
	}
	path := fmt.Sprintf("/repos/%s/issues/comments/%d/reactions", v.repo.FullName(), id)
	err = me.Do(http.MethodPost, path, map[string]string{"content": v.r.PostForm.Get("content")}, nil)
	return v.said(err, "", v.numbered("issues", v.number("number"))+anchorOf(id))
}
