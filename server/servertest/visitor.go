package servertest

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Visitor is somebody with a browser that has cookies and forms, and no scripts. It may be used by one goroutine at a time.
type Visitor struct {
	At   string // the address of the page that is open
	Text string // its HTML
	Code int    // its status

	client *http.Client
}

// NewVisitor opens a browser. Close it.
func NewVisitor() *Visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // never, by its documentation
	}
	return &Visitor{client: &http.Client{Jar: jar, Transport: &http.Transport{}, Timeout: time.Minute}}
}

// Close lets go of its connections.
func (v *Visitor) Close() { v.client.CloseIdleConnections() }

// Go opens an address, and follows where it leads.
func (v *Visitor) Go(address string) error {
	resp, err := v.client.Get(address)
	return v.read(resp, err)
}

var (
	mainForm  = regexp.MustCompile(`(?s)<main[^>]*>.*?<form[^>]* method="post" action="([^"]*)"[^>]*>(.*?)</form>`)
	formField = regexp.MustCompile(`<input (?:type="hidden" )?name="([^"]*)" value="([^"]*)"`)
)

// Press sends the first form in the main part of the page; changes are names and values of fields, in pairs.
func (v *Visitor) Press(changes ...string) error {
	form := mainForm.FindStringSubmatch(v.Text)
	if form == nil {
		return fmt.Errorf("%s has no form:\n%s", v.At, v.Text)
	}
	to, err := url.Parse(v.At)
	if err == nil {
		to, err = to.Parse(html.UnescapeString(form[1]))
	}
	if err != nil {
		return fmt.Errorf("the form of %s leads nowhere: %w", v.At, err)
	}
	fields := url.Values{}
	for _, m := range formField.FindAllStringSubmatch(form[2], -1) {
		fields.Set(m[1], html.UnescapeString(m[2]))
	}
	for i := 0; i < len(changes); i += 2 {
		fields.Set(changes[i], changes[i+1])
	}
	req, err := http.NewRequest(http.MethodPost, to.String(), strings.NewReader(fields.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if before, err := url.Parse(v.At); err == nil { // as browsers do
		req.Header.Set("Origin", before.Scheme+"://"+before.Host)
	}
	resp, err := v.client.Do(req)
	return v.read(resp, err)
}

func (v *Visitor) read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	v.At, v.Text, v.Code = resp.Request.URL.String(), string(body), resp.StatusCode
	return err
}
