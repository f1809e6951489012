package window

import (
	"errors"
	"fmt"
)

// Window is one line of a stage's windows, as written: exactly one of Allow and
// Deny is set. The package comment says what they may hold.
type Window struct {
	Allow    string `json:"allow,omitempty"`
	Deny     string `json:"deny,omitempty"`
	Timezone string `json:"timezone,omitempty"` // IANA name; empty: UTC
}

// Check says what is wrong with the window, or nil.
func (w Window) Check() error {
	_, err := w.rule()
	return err
}

// CheckTimes says what is wrong with the text of an Allow or a Deny, or nil.
func CheckTimes(text string) error {
	_, err := parse(text)
	return err
}

// CheckZone says what is wrong with the name of a time zone, or nil. The empty
// name is UTC.
func CheckZone(name string) error {
	_, err := zone(name)
	return err
}

func (w Window) rule() (rule, error) {
	text, err := w.text()
	if err != nil {
		return rule{}, err
	}
	times, err := parse(text)
	if err != nil {
		return rule{}, fmt.Errorf("window %s: %w", w, err)
	}
	loc, err := zone(w.Timezone)
	if err != nil {
		return rule{}, fmt.Errorf("window %s: %w", w, err)
	}
	return rule{times: times, place: &place{loc: loc}}, nil
}

func (w Window) text() (string, error) {
	switch {
	case w.Allow != "" && w.Deny != "":
		return "", errors.New("a window has `allow` or `deny`, not both; write two windows")
	case w.Allow == "" && w.Deny == "":
		return "", errors.New("a window needs `allow` or `deny`")
	}
	return w.Allow + w.Deny, nil
}

// String is the window in few words, its time zone apart: deny 12-20..01-03.
func (w Window) String() string {
	if w.Deny != "" {
		return "deny " + w.Deny
	}
	return "allow " + w.Allow
}

// zoneName is the time zone in words.
func (w Window) zoneName() string {
	if w.Timezone == "" {
		return "UTC"
	}
	return w.Timezone
}
