package bubble

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server/ats"
)

const inside = "STAGECOACH_BUBBLE"

// limit is how long the process may take, by the clock outside.
const limit = 3 * time.Minute

// Run runs f in a bubble. The process is one of its own because NATS' client keeps
// timers for whoever needs one next, and a timer of a bubble is good nowhere else.
func Run(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv(inside) != "" {
		// NATS' server has one clock for all servers of a process. A bubble's time passes
		// only while all in it wait for each other, so that the clock must tick outside.
		ats.Register()
		defer ats.Unregister()
		synctest.Test(t, f)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	name := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	args := []string{"-test.run=" + name, "-test.v", "-test.timeout=" + limit.String()}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") { // a flag of the test's own
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || testing.Verbose() {
		t.Logf("in the bubble:\n%s", out)
	}
	if err != nil {
		t.Fatalf("the bubble ended with: %v", err)
	}
	if !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("the bubble did not run the test:\n%s", out)
	}
}
