package gitops

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

// readReport reads what became of the command.
func readReport(answer io.Reader, can *capability.List, branch string) error {
	var words remoteWords
	if can.Supports(capability.Sideband64k) {
		d := sideband.NewDemuxer(sideband.Sideband64k, answer)
		d.Progress = &words
		answer = d
	}
	if !can.Supports(capability.ReportStatus) {
		return errors.New("the server does not say whether it took the commit")
	}
	report := packp.NewReportStatus()
	if err := report.Decode(answer); err != nil {
		return fmt.Errorf("read the server's report: %w", err)
	}
	if report.UnpackStatus != "ok" {
		return fmt.Errorf("the server could not read the commit: %s%s", report.UnpackStatus, said(words.text))
	}
	for _, s := range report.CommandStatuses {
		if s.Status != "ok" {
			return rejection(branch, s.Status, string(words.text))
		}
	}
	if len(report.CommandStatuses) == 0 {
		return errors.New("the server's report names no branch")
	}
	return nil
}

// remoteWords collects what the server writes for people, up to a bound.
type remoteWords struct{ text []byte }

func (w *remoteWords) Write(p []byte) (int, error) {
	if room := 8<<10 - len(w.text); room > 0 {
		w.text = append(w.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
