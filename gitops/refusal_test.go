package gitops_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// hook makes the server refuse pushes, as GitHub words it.
func (s *remote) hook(words string) {
	s.t.Helper()
	path := filepath.Join(s.Dir, "hooks", "pre-receive")
	script := "#!/bin/sh\ncat >/dev/null\ncat >&2 <<'EOF'\n" + words + "\nEOF\nexit 1\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct {
		name, words string
		terminal    bool
		permission  string
		say         []string
	}{
		{"protected", "error: GH006: Protected branch update failed for refs/heads/main.", true, "", []string{"GH006", "protected", "pull-request"}},
		{"ruleset", "error: GH013: Repository rule violations found for refs/heads/main.", true, "", []string{"GH013", "ruleset", "pull-request"}},
		{"secret", "error: GH009: Secrets detected!", true, "", []string{"GH009"}},
		{"own hook", "not on Fridays", true, "", []string{"not on Fridays"}},
		{"workflow", "refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission", false, "workflows=write", nil},
	}
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s.hook(c.words)
			_, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(""), push("main", base))
			if err == nil || promotion.IsTerminal(err) != c.terminal {
				t.Fatalf("error %v, terminal %t", err, promotion.IsTerminal(err))
			}
			var missing *promotion.MissingPermission
			if errors.As(err, &missing) != (c.permission != "") || missing != nil && missing.Needed != c.permission {
				t.Errorf("error %v", err)
			}
			for _, say := range c.say {
				if !strings.Contains(err.Error(), say) {
					t.Errorf("%q does not say %q", err, say)
				}
			}
			if s.tip("main") != base {
				t.Error("the branch moved")
			}
		})
	}
	t.Run("name in the way", func(t *testing.T) {
		if err := os.Remove(filepath.Join(s.Dir, "hooks", "pre-receive")); err != nil {
			t.Fatal(err)
		}
		_, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(base), push("main/sub", ""))
		if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "in the way") {
			t.Errorf("error %v", err)
		}
	})
}

func TestStatusErrors(t *testing.T) {
	cases := []struct {
		name       string
		status     int
		header     http.Header
		wait       time.Duration
		permission bool
	}{
		{name: "bad token", status: 401},
		{name: "gone", status: 404},
		{name: "broken", status: 502},
		{name: "forbidden", status: 403, permission: true},
		{name: "limited", status: 429, header: http.Header{"Retry-After": {"17"}}, wait: 17 * time.Second},
		{name: "limited without a time", status: 429, wait: time.Minute},
		{name: "limited by 403", status: 403, header: http.Header{"Retry-After": {"3"}}, wait: 3 * time.Second},
		{name: "none left", status: 403, header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1"}}},
	}
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
				for k, v := range c.header {
					w.Header()[k] = v
				}
				_, pass, _ := r.BasicAuth()
				http.Error(w, "no, "+pass, c.status)
				return true
			})
			_, fetchErr := r.Refs(t.Context())
			_, pushErr := r.Deliver(t.Context(), ws, request(""), push("main", base))
			for _, err := range []error{fetchErr, pushErr} {
				if err == nil || promotion.IsTerminal(err) || errors.Is(err, promotion.ErrStale) {
					t.Fatalf("error %v", err)
				}
				wantSecretFree(t, err)
				wait, waits := promotion.WaitOf(err)
				if want := c.wait > 0 || c.name == "none left"; waits != want || wait != c.wait {
					t.Errorf("%v: wait %v %t", err, wait, waits)
				}
				var missing *promotion.MissingPermission
				if errors.As(err, &missing) != c.permission {
					t.Errorf("%v: a missing permission: %t", err, missing != nil)
				}
			}
		})
	}
}
