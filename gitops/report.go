package gitops

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

// readReport reads what became of each update.
func readReport(answer io.Reader, can *capability.List, updates []update) ([]error, error) {
	var words remoteWords
	if can.Supports(capability.Sideband64k) {
		d := sideband.NewDemuxer(sideband.Sideband64k, answer)
		d.Progress = &words
		answer = d
	}
	if !can.Supports(capability.ReportStatus) {
		return nil, errors.New("the server does not say whether it took the commit")
	}
	report := packp.NewReportStatus()
	if err := report.Decode(answer); err != nil {
		return nil, fmt.Errorf("read the server's report: %w", err)
	}
	answers := make([]error, len(updates))
	for i, u := range updates {
		answers[i] = verdict(report, u, string(words.text))
	}
	return answers, nil
}

// verdict is what a report says of one update.
func verdict(report *packp.ReportStatus, u update, words string) error {
	if report.UnpackStatus != "ok" {
		return fmt.Errorf("the server could not read the commit: %s%s", report.UnpackStatus, said([]byte(words)))
	}
	for _, s := range report.CommandStatuses {
		switch {
		case s.ReferenceName != u.ref:
		case s.Status == "ok":
			return nil
		default:
			return rejection(u.ref, s.Status, words)
		}
	}
	return fmt.Errorf("the server's report does not name %s", u.ref.Short())
}

// remoteWords collects what the server writes for people, up to a bound.
type remoteWords struct{ text []byte }

func (w *remoteWords) Write(p []byte) (int, error) {
	if room := 8<<10 - len(w.text); room > 0 {
		w.text = append(w.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
