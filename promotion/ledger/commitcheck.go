package ledger

import (
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	titleStages   = 4  // that a title names of each kind
	summaryStages = 60 // that a summary has
)

// CommitTitle says in one line where the freight of a commit is.
func CommitTitle(w promotion.Whereabouts) string {
	of := map[string][]string{}
	for _, s := range w.Stages {
		kind := string(s.Reach)
		name := s.Stage
		switch {
		case s.Reach == promotion.ReachVerifying:
			kind, name = string(promotion.ReachThere), name+" (being verified)"
		case s.Reach == promotion.ReachOpen:
			name = fmt.Sprintf("%s (#%d)", name, s.PullRequest)
		case s.Next:
			of["next"] = append(of["next"], name)
		}
		of[kind] = append(of[kind], name)
	}
	title := "In no stage"
	if there := of[string(promotion.ReachThere)]; len(there) > 0 {
		title = "In " + fewOf(there)
	}
	for _, more := range []struct{ kind, words string }{
		{string(promotion.ReachFailed), "; not healthy in "}, {string(promotion.ReachUndone), "; rolled back in "},
		{string(promotion.ReachOpen), " · waits for "}, {"next", " · next: "},
	} {
		if names := of[more.kind]; len(names) > 0 {
			title += more.words + fewOf(names)
		}
	}
	return title
}

func fewOf(names []string) string {
	shown, hidden := first(names, titleStages)
	text := strings.Join(shown, ", ")
	if hidden > 0 {
		text += fmt.Sprintf(" and %d more", hidden)
	}
	return text
}

// CommitSummary is the summary of the check run on a source's commit: how far its
// freight came in each stage of the pipeline. Of the freight it says no more than the
// commit does: others read it than read the pipeline's repository.
func CommitSummary(s *promotion.State, w promotion.Whereabouts, links Links) string {
	repo := s.Repo.FullName()
	head := "Where " + commit(links, w.Repo, w.Commit) + " is, as " + md(Harmless(repo), links.Repo(repo)) + " promotes it"
	if w.Pipeline != promotion.DefaultPipeline {
		head += " by the pipeline " + code(shorten(w.Pipeline, 90))
	}
	shown, hidden := first(w.Stages, summaryStages)
	var rows [][]string
	for _, stage := range shown {
		state, trace := stageReach(stage, repo, links)
		rows = append(rows, []string{Harmless(shorten(stage.Stage, 90)), state, trace})
	}
	sections := []string{head + ":", strings.TrimRight(table([]string{"stage", "is it there?", ""}, rows), "\n")}
	if hidden > 0 {
		sections = append(sections, more(hidden)+" stages.")
	}
	if page := links.Page(s); page != "" {
		sections = append(sections, "What holds it up, and all else: "+md("Promotions of "+Harmless(repo), page)+".")
	}
	return joined(sections...)
}

// stageReach is how far the freight came in one stage, and where that shows.
func stageReach(s promotion.StageReach, repo string, links Links) (state, trace string) {
	at, trace := "", dash
	if s.Landing != nil {
		at = since(s.Landing.At, time.Time{}) // with the year: the text stays for as long as the commit
		if s.Landing.Commit != "" {
			trace = commit(links, repo, s.Landing.Commit)
		}
	}
	switch s.Reach {
	case promotion.ReachVerifying:
		return markRunning + " yes" + at + ", being verified", trace
	case promotion.ReachFailed:
		return markBad + " yes" + at + ", and not healthy", trace
	case promotion.ReachUndone:
		return markBack + " rolled back", trace
	case promotion.ReachOpen:
		return markWaiting + " waits for its merge", number(links, repo, s.PullRequest)
	case promotion.ReachThere:
		if s.Landing == nil {
			return markDone + " yes, with newer freight", trace
		}
		return markDone + " yes" + at, trace
	}
	if s.Next {
		return markWaiting + " not yet, it may come next", trace
	}
	return "not yet", trace
}
