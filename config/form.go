package config

import (
	"encoding/json"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// form is the file as the tables have let it through. Where it says a thing in
// another way than the core does, a form stands in front of the core's type.
type form struct {
	Sources []sourceForm               `json:"sources"`
	Vars    map[string]json.RawMessage `json:"vars"`
	Commits struct {
		Verified bool `json:"verified"`
	} `json:"commits"`
	Stages []stageForm `json:"stages"`
}

type sourceForm struct {
	promotion.Source

	Image   *imageForm   `json:"image"`
	Chart   *chartForm   `json:"chart"`
	Release *releaseForm `json:"release"`
}

type imageForm struct {
	promotion.ImageSource

	Poll duration `json:"poll"`
}

type chartForm struct {
	promotion.ChartSource

	Poll duration `json:"poll"`
}

type releaseForm struct {
	promotion.ReleaseSource

	Poll duration `json:"poll"`
}

type stageForm struct {
	promotion.Stage

	Promote string      `json:"promote"`
	Timeout duration    `json:"timeout"`
	Gates   gatesForm   `json:"gates"`
	Verify  *verifyForm `json:"verify"`
	Steps   []stepForm  `json:"steps"`
}

type gatesForm struct {
	promotion.Gates

	Soak duration `json:"soak"`
}

type verifyForm struct {
	promotion.Verify

	Timeout duration `json:"timeout"`
}

type stepForm struct {
	promotion.Step

	Retry retryForm `json:"retry"`
}

type retryForm struct {
	promotion.Retry

	Timeout duration `json:"timeout"`
}

func (f sourceForm) source() promotion.Source {
	s := f.Source
	if f.Image != nil {
		s.Image = &f.Image.ImageSource
		s.Image.Poll = time.Duration(f.Image.Poll)
	}
	if f.Chart != nil {
		s.Chart = &f.Chart.ChartSource
		s.Chart.Poll = time.Duration(f.Chart.Poll)
	}
	if f.Release != nil {
		s.Release = &f.Release.ReleaseSource
		s.Release.Poll = time.Duration(f.Release.Poll)
	}
	return s
}

// stage fills in the defaults.
func (f stageForm) stage() promotion.Stage {
	s := f.Stage
	s.Auto = f.Promote == "auto"
	if s.Deliver == "" {
		s.Deliver = promotion.DeliverPullRequest
	}
	if s.AfterMode == "" {
		s.AfterMode = promotion.AfterAll
	}
	if s.Supersede == "" {
		s.Supersede = promotion.SupersedeQueued
	}
	s.Timeout = time.Duration(f.Timeout)
	s.Gates = f.Gates.Gates
	s.Gates.Soak = time.Duration(f.Gates.Soak)
	if f.Verify != nil {
		s.Verify = f.Verify.verify()
	}
	for _, step := range f.Steps {
		s.Steps = append(s.Steps, step.step())
	}
	return s
}

func (f *verifyForm) verify() *promotion.Verify {
	v := f.Verify
	v.Timeout = time.Duration(f.Timeout)
	return &v
}

func (f stepForm) step() promotion.Step {
	s := f.Step
	s.Retry = f.Retry.Retry
	s.Retry.Timeout = time.Duration(f.Retry.Timeout)
	return s
}
