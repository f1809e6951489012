package handlers

import (
	"encoding/json"
	"errors"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type issueCommentPayload struct {
	envelope
	Issue struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"` // there when it is one
	} `json:"issue"`
	Comment struct {
		ID        int64  `json:"id"`
		Body      string `json:"body"`
		User      user   `json:"user"`
		CreatedAt stamp  `json:"created_at"`
	} `json:"comment"`
}

// issueComment tells of new comments that hold commands, on issues and on pull
// requests alike. A comment without one gives no event.
func (t Translator) issueComment(payload []byte) ([]promotion.Event, error) {
	p, err := decode[issueCommentPayload](payload)
	if err != nil {
		return nil, err
	}
	if p.Action == "" {
		return nil, errNoAction
	}
	if p.Action != "created" {
		return nil, nil // what was edited was not said by whoever is named as its author
	}
	if p.Comment.ID == 0 || p.Issue.Number <= 0 {
		return nil, errors.New("the payload names no comment or no issue")
	}
	if !t.person(p) {
		return nil, nil
	}
	commands := ParseCommands(p.Comment.Body)
	if len(commands) == 0 {
		return nil, nil
	}
	return p.one(p.Comment.CreatedAt.Time, promotion.Commented{
		Comment:     p.Comment.ID,
		Number:      p.Issue.Number,
		PullRequest: len(p.Issue.PullRequest) > 0 && string(p.Issue.PullRequest) != "null",
		By:          p.Sender.Login,
		ByID:        p.Sender.ID,
		Commands:    commands,
	})
}

// person reports whether the comment is a person's own: neither a bot's nor
// written in somebody else's name.
func (t Translator) person(p *issueCommentPayload) bool {
	author := p.Comment.User
	return p.Sender.ID != 0 && p.Sender.ID == author.ID &&
		p.Sender.Type == "User" && author.Type == "User" &&
		p.Sender.Login != t.BotLogin
}
