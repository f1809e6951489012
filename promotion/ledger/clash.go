package ledger

import "github.com/stagecoach-app/stagecoach/promotion"

// resolve says how a conflict of an open pull request with its base ends.
func resolve(links Links, repo string, p *promotion.Promotion) string {
	retry, abort := command("retry", p.Pipeline, p.Stage), command("abort", p.Pipeline, p.Stage)
	switch {
	case p.Clash == nil:
		return ""
	case p.PullRequest != nil && p.Clash.Head != p.Commit:
		return "Resolve the conflict in " + number(links, repo, p.PullRequest.Number) + ", or end the promotion with " + abort + "."
	case len(p.Clash.Files) > 0:
		return retry + " puts the promotion's values in place of theirs, " + abort + " ends it."
	}
	return "Mend it, then " + retry + "; or end it with " + abort + "."
}
