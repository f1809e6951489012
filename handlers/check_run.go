package handlers

import (
	"cmp"
	"errors"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type checkRunPayload struct {
	envelope
	CheckRun struct {
		ID          int64  `json:"id"`
		Name        string `json:"name"`
		HeadSHA     string `json:"head_sha"`
		ExternalID  string `json:"external_id"`
		Conclusion  string `json:"conclusion"` // null until it has finished
		StartedAt   stamp  `json:"started_at"`
		CompletedAt stamp  `json:"completed_at"`
		HTMLURL     string `json:"html_url"`
		DetailsURL  string `json:"details_url"`
		Output      struct {
			Title   string `json:"title"`
			Summary string `json:"summary"`
		} `json:"output"`
		App struct {
			ID int64 `json:"id"`
		} `json:"app"`
		CheckSuite struct {
			UpdatedAt stamp `json:"updated_at"`
		} `json:"check_suite"`
	} `json:"check_run"`
	RequestedAction struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"`
}

// checkRun tells of check runs of others that began or ended, and of pressed
// buttons of ours. GitHub sends us our own check runs as well; what we wrote is
// no news. A pressed button has no time in the payload: its event's At is zero.
func (t Translator) checkRun(payload []byte) ([]promotion.Event, error) {
	p, err := decode[checkRunPayload](payload)
	if err != nil {
		return nil, err
	}
	if p.Action == "" {
		return nil, errNoAction
	}
	if p.CheckRun.ID == 0 || p.CheckRun.HeadSHA == "" {
		return nil, errors.New("the payload names no check run or no commit")
	}
	if p.CheckRun.App.ID == t.AppID {
		return p.pressed()
	}
	switch p.Action {
	case "created", "completed", "rerequested":
		changed := p.changed()
		return p.one(changed.At, changed)
	}
	return nil, nil
}

// changed is what the check run says now. One that was made complete says so
// when it is created already.
func (p *checkRunPayload) changed() promotion.CheckChanged {
	run := &p.CheckRun
	c := promotion.CheckChanged{
		SHA: run.HeadSHA, Name: run.Name, App: run.App.ID, ID: run.ID, Conclusion: run.Conclusion,
		At: run.CompletedAt.Time, URL: cmp.Or(run.HTMLURL, run.DetailsURL), Title: run.Output.Title,
	}
	switch {
	case p.Action == "rerequested":
		// GitHub leaves the run itself as it was, and sets its suite back. What it
		// said does not count any more. https://docs.github.com/en/rest/checks/runs#rerequest-a-check-run
		c.Conclusion, c.Title = "", ""
		c.At = later(run.CheckSuite.UpdatedAt.Time, run.CompletedAt.Time)
	case c.Conclusion == "":
		c.At = run.StartedAt.Time
	}
	return c
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// pressed tells of a button of ours that a person pressed. One of a check run that
// names no promotion is not one that we made.
func (p *checkRunPayload) pressed() ([]promotion.Event, error) {
	if p.Sender.Type != "User" || p.Sender.ID == 0 {
		return nil, nil
	}
	if p.Action != "requested_action" || p.CheckRun.ExternalID == "" || p.RequestedAction.Identifier == "" {
		return nil, nil
	}
	return p.one(stamp{}.Time, promotion.Pressed{
		Check:     p.CheckRun.ID,
		Promotion: p.CheckRun.ExternalID,
		Action:    p.RequestedAction.Identifier,
		SHA:       p.CheckRun.HeadSHA,
		Writer:    promotion.ParseCheckMark(p.CheckRun.Output.Summary).Writer,
		By:        p.Sender.Login,
		ByID:      p.Sender.ID,
	})
}
