package handlers

import (
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// box is a box of the tracking issue that stands for a command, as
// promotion/ledger draws it. A person's editor may write the mark in either case.
var box = regexp.MustCompile(`(?m)^[ \t]*[-*+] \[([ xX])\] <!-- (approve|retry):([a-z0-9-]{1,40})/([a-z0-9-]{1,40}) -->`)

// ticks are the commands of the boxes that are ticked in a text and were there,
// not ticked, in the text before.
func ticks(before, after string) []promotion.Command {
	open := map[string]bool{}
	for _, m := range box.FindAllStringSubmatch(before, -1) {
		open[m[2]+":"+m[3]+"/"+m[4]] = m[1] == " "
	}
	var commands []promotion.Command
	for _, m := range box.FindAllStringSubmatch(after, -1) {
		key := m[2] + ":" + m[3] + "/" + m[4]
		if m[1] == " " || !open[key] || len(commands) == mostCommands {
			continue
		}
		open[key] = false
		commands = append(commands, promotion.Command{Line: len(commands) + 1, Name: m[2], Args: []string{m[3] + "/" + m[4]}})
	}
	return commands
}

// ticked are the commands of an edit. Only a person's edit of what the app wrote
// gives any.
func (t Translator) ticked(p *issuesPayload) []promotion.Command {
	ours := strings.EqualFold(p.Issue.User.Login, t.BotLogin)
	if p.Action != "edited" || p.Changes.Body == nil || !ours || p.Sender.Type != "User" || p.Sender.ID == 0 {
		return nil
	}
	return ticks(p.Changes.Body.From, p.Issue.Body)
}
