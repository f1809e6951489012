package eventlog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/engine"
)

// childEnv makes this test binary a process that accepts and handles events in the
// directory it names, until it is killed. It says on stdout what it did.
const childEnv = "STAGECOACH_EVENTLOG_CHILD"

const (
	lanes = 5
	total = 600 // events over all lives
)

func child(dir string) {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	eng, err := engine.Open(ctx, engine.Options{Dir: dir})
	must(err)
	l, err := Open(ctx, eng.JetStream(), Options{Alone: true, Partitions: 2})
	must(err)
	var out sync.Mutex
	say := func(words ...any) { out.Lock(); defer out.Unlock(); fmt.Println(words...) }
	line := map[string]chan Event{}
	for i := range lanes {
		key := fmt.Sprintf("r%d", i)
		line[key] = make(chan Event, total)
		go func() {
			for e := range line[key] {
				say("begin", e.Key, e.GUID)
				must(l.Done(ctx, e))
				say("done", e.Key, e.GUID)
			}
		}()
	}
	go func() { must(l.Run(ctx, func(e Event) { line[e.Key] <- e })) }()
	var from int
	_, _ = fmt.Sscan(os.Getenv(childEnv+"_FROM"), &from)
	for i := from; i < total; i++ {
		guid := fmt.Sprintf("g%d", i)
		_, err := l.Accept(ctx, guid, "push", fmt.Sprintf("r%d", i%lanes), []byte(guid))
		must(err)
		say("accepted", i)
	}
	for range time.Tick(10 * time.Millisecond) { // the killer comes
		if held(ctx, l) == 0 {
			say("empty")
		}
	}
}

// life is one process from start to kill.
type life struct {
	t    *testing.T
	from int
	kill func(line string, n int) bool // sees each line; true: kill it now
	seen func(line string)
}

func (f life) run(dir string) {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir, fmt.Sprintf("%s_FROM=%d", childEnv, f.from))
	out, err := cmd.StdoutPipe()
	ok(f.t, err)
	ok(f.t, cmd.Start())
	end := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer end.Stop()
	n := 0
	for lines := bufio.NewScanner(out); lines.Scan(); n++ {
		f.seen(lines.Text())
		if f.kill(lines.Text(), n) {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
}

// story is what all lives together say.
type story struct {
	t        *testing.T
	accepted int            // all below were confirmed
	done     map[string]int // GUID → how often Done returned
	order    map[string][]string
}

func (s *story) hear(line string) {
	words := strings.Fields(line)
	switch words[0] {
	case "accepted":
		var i int
		_, _ = fmt.Sscan(words[1], &i)
		s.accepted = max(s.accepted, i+1)
	case "begin":
		if s.done[words[2]] > 0 {
			s.t.Errorf("%s was done and ran again", words[2])
		}
		s.order[words[1]] = append(s.order[words[1]], words[2])
	case "done":
		s.done[words[2]]++
	case "error":
		s.t.Error(line)
	}
}

func TestKill9(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &story{t: t, done: map[string]int{}, order: map[string][]string{}}
	for _, lines := range []int{80, 400, 500} {
		// Each new life sends the last 20 again, as a redelivery would.
		life{t, max(0, s.accepted-20), func(_ string, n int) bool { return n == lines }, s.hear}.run(dir)
	}
	life{t, max(0, s.accepted-20), func(line string, _ int) bool { return line == "empty" }, s.hear}.run(dir)

	if s.accepted != total {
		t.Fatalf("%d of %d were accepted", s.accepted, total)
	}
	for i := range total {
		if n := s.done[fmt.Sprintf("g%d", i)]; n > 1 {
			t.Errorf("g%d was done %d times", i, n)
		}
	}
	for key, guids := range s.order {
		last, ran := -1, 0
		for _, guid := range guids {
			var i int
			_, _ = fmt.Sscanf(guid, "g%d", &i)
			if i < last {
				t.Errorf("in lane %s, %s came after g%d", key, guid, last)
			}
			if i > last {
				ran++
			}
			last = i
		}
		if ran != total/lanes {
			t.Errorf("of %d events of lane %s %d ran: accepted ones were lost", total/lanes, key, ran)
		}
	}
}
