package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stagecoach-app/stagecoach/config"
)

// TestOperator: /metrics and /events are for who is on the machine, by the address of the connection and not by what a
// request says of itself, and for who has the token.
func TestOperator(t *testing.T) {
	const token = "Bearer the-token"
	for name, c := range map[string]struct {
		from   string
		header [2]string
		token  string // of the server; empty: none
		want   int
	}{
		"the machine":                {from: "127.0.0.1:9", want: 200},
		"by IPv6":                    {from: "[::1]:9", want: 200},
		"another":                    {from: "192.0.2.1:9", want: 403},
		"another, in the network":    {from: "10.0.0.1:9", want: 403},
		"no address":                 {from: "@", want: 403},
		"another that says it is us": {from: "192.0.2.1:9", header: [2]string{"X-Forwarded-For", "127.0.0.1"}, want: 403},
		"passed on":                  {from: "127.0.0.1:9", header: [2]string{"X-Forwarded-For", "127.0.0.1"}, want: 403},
		"passed on, in short":        {from: "127.0.0.1:9", header: [2]string{"Forwarded", "for=127.0.0.1"}, want: 403},
		"passed on by nginx":         {from: "127.0.0.1:9", header: [2]string{"X-Real-IP", "127.0.0.1"}, want: 403},
		"passed on by a cache":       {from: "127.0.0.1:9", header: [2]string{"Via", "1.1 x"}, want: 403},
		"the token":                  {from: "192.0.2.1:9", header: [2]string{"Authorization", token}, token: "the-token", want: 200},
		"another token":              {from: "192.0.2.1:9", header: [2]string{"Authorization", token + "x"}, token: "the-token", want: 403},
		"no token is set":            {from: "192.0.2.1:9", header: [2]string{"Authorization", "Bearer "}, want: 403},
	} {
		s := &Server{Config: Config{Settings: &config.Settings{MetricsToken: c.token}}}
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.RemoteAddr = c.from
		if c.header[0] != "" {
			r.Header.Set(c.header[0], c.header[1])
		}
		w := httptest.NewRecorder()
		s.operator(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
	}
}
