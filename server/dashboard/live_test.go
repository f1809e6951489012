package dashboard_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// stream is an open stream of a page.
type stream struct {
	t     *testing.T
	resp  *http.Response
	lines *bufio.Reader
}

func (b *visitor) stream(path string) *stream {
	b.t.Helper()
	resp, err := b.client.Get(b.server.URL + path)
	must(b.t, err)
	b.t.Cleanup(func() { _ = resp.Body.Close() })
	return &stream{b.t, resp, bufio.NewReader(resp.Body)}
}

// next is the next event and what it says; "over" when the stream has ended.
func (s *stream) next() (event, data string) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return "over", ""
		}
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, "event: "); is {
			event = name
		}
		if value, is := strings.CutPrefix(line, "data: "); is {
			return event, value
		}
	}
}

func (s *stream) want(event, data string) {
	s.t.Helper()
	if gotEvent, gotData := s.next(); gotEvent != event || gotData != data {
		s.t.Errorf("got %s %s, want %s %s", gotEvent, gotData, event, data)
	}
}

func TestPagesHearOfChanges(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	page := octocat.page("/r/acme/gitops")
	revision := fmt.Sprint(w.shelf.revision[w.repo.ID])
	if !strings.Contains(page, `data-live="/r/acme/gitops/live" data-revision="`+revision+`"`) {
		t.Error("the page does not say where it hears of changes, and after which")
	}
	s := octocat.stream("/r/acme/gitops/live")
	if got := s.resp.Header.Get("Content-Type"); got != "text/event-stream" || s.resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", s.resp.StatusCode, got)
	}
	s.want("at", revision)
	w.shelf.put(fixture(w.repo, w.inst))
	s.want("changed", fmt.Sprint(w.shelf.revision[w.repo.ID]))

	// Another repository's changes are nobody's business here.
	other := w.create("other")
	w.shelf.put(fixture(other, w.inst))
	w.shelf.put(fixture(w.repo, w.inst))
	s.want("changed", fmt.Sprint(w.shelf.revision[w.repo.ID]))

	w.dash.Close() // the server stops
	s.want("over", "")
	<-w.shelf.left
	if len(w.shelf.told) != 0 {
		t.Error("the store still tells who is gone")
	}
}

// Who signs out, is signed out, or loses access hears no more.
func TestStreamsEndWithTheSight(t *testing.T) {
	w := newWorld(t, false)
	change := func() { w.shelf.put(fixture(w.repo, w.inst)) }
	for name, end := range map[string]func(b *visitor){
		"signed out": func(b *visitor) {
			_, after, _ := strings.Cut(b.page("/"), `name="token" value="`)
			token, _, _ := strings.Cut(after, `"`)
			b.do(http.MethodPost, "/logout", url.Values{"token": {token}})
		},
		"no access any more": func(*visitor) {
			must(t, w.sim.SetPermission(w.repo, "monalisa", "none"))
			w.clock.pass(3 * time.Minute)
		},
		"without use for an hour": func(*visitor) { w.clock.pass(61 * time.Minute) },
	} {
		must(t, w.sim.SetPermission(w.repo, "monalisa", "read"))
		w.clock.pass(3 * time.Minute)
		b := w.as("monalisa")
		s := b.stream("/r/acme/gitops/live")
		if event, _ := s.next(); event != "at" {
			t.Fatalf("%s: the stream begins with %s", name, event)
		}
		end(b)
		change()
		if event, data := s.next(); event != "over" {
			t.Errorf("%s: still told of %s %s", name, event, data)
		}
	}
}

// Streams are bounded, so that one person cannot take the places of all.
func TestStreamsAreBounded(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	octocat.client.Transport.(*http.Transport).MaxConnsPerHost = 0
	var open []*stream
	for range 12 {
		s := octocat.stream("/r/acme/gitops/live")
		if event, _ := s.next(); event != "at" {
			t.Fatalf("stream %d begins with %s", len(open), event)
		}
		open = append(open, s)
	}
	if got := octocat.get("/r/acme/gitops/live"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the 13th: %d", got.StatusCode)
	}
	s := w.as("monalisa").stream("/r/acme/gitops/live")
	if event, _ := s.next(); event != "at" {
		t.Errorf("somebody else: %s", event)
	}
	_ = open[0].resp.Body.Close()
	for { // the place is free when the handler has seen that they are gone
		again := octocat.stream("/r/acme/gitops/live")
		if again.resp.StatusCode == http.StatusOK {
			return
		}
	}
}
