package eventlog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/engine"
)

// childEnv makes this test binary a process that accepts and handles events in the
// directory it names, until it is killed. It says on stdout what it did.
const childEnv = "STAGECOACH_EVENTLOG_CHILD"

// Lanes are accepted by one caller each, of which some go by the intake.
const (
	lanes = 2 * straightOn
	each  = 100 // events of a lane over all lives
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
	l, err := Open(ctx, eng.JetStream(), Options{Alone: true, Partitions: 2, Intake: filepath.Join(dir, "intake")})
	must(err)
	var out sync.Mutex
	say := func(words ...any) { out.Lock(); defer out.Unlock(); fmt.Println(words...) }
	line := map[string]chan Event{}
	for i := range lanes {
		key := fmt.Sprintf("r%d", i)
		line[key] = make(chan Event, 2*lanes*each)
		go func() {
			for e := range line[key] {
				say("begin", e.Key, e.GUID)
				must(l.Done(ctx, e))
				say("done", e.Key, e.GUID)
			}
		}()
	}
	go func() { must(l.Run(ctx, func(e Event) { line[e.Key] <- e })) }()
	var all sync.WaitGroup
	for lane, from := range strings.Fields(os.Getenv(childEnv + "_FROM")) {
		i, err := strconv.Atoi(from)
		must(err)
		all.Go(func() {
			key := fmt.Sprintf("r%d", lane)
			for ; i < each; i++ {
				guid := fmt.Sprintf("%s-%d", key, i)
				_, err := l.Accept(ctx, guid, "push", key, []byte(guid))
				must(err)
				say("accepted", key, guid, i)
			}
		})
	}
	all.Wait()
	for range time.Tick(10 * time.Millisecond) { // the killer comes
		if l.crowd.queue.Len() == 0 && held(ctx, l) == 0 {
			say("empty")
		}
	}
}

// life is one process from start to kill.
type life struct {
	t    *testing.T
	from []int                         // of each lane: the first event that is sent
	kill func(line string, n int) bool // sees each line; true: kill it now
	seen func(line string)
}

func (f life) run(dir string) {
	f.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir, childEnv+"_FROM="+strings.Trim(fmt.Sprint(f.from), "[]"))
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
	accepted []int          // of each lane: all below were confirmed
	done     map[string]int // GUID → how often Done returned
	order    map[string][]string
}

func (s *story) hear(line string) {
	words := strings.Fields(line)
	switch words[0] {
	case "accepted":
		var lane, i int
		_, _ = fmt.Sscanf(words[2], "r%d-%d", &lane, &i)
		s.accepted[lane] = max(s.accepted[lane], i+1)
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

// again is from where on a new life sends: the last few once more, as a redelivery would.
func (s *story) again() []int {
	from := make([]int, lanes)
	for lane, n := range s.accepted {
		from[lane] = max(0, n-3)
	}
	return from
}

func TestKill9(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &story{t: t, accepted: make([]int, lanes), done: map[string]int{}, order: map[string][]string{}}
	for _, lines := range []int{80, 400, 500} {
		life{t, s.again(), func(_ string, n int) bool { return n == lines }, s.hear}.run(dir)
	}
	life{t, s.again(), func(line string, _ int) bool { return line == "empty" }, s.hear}.run(dir)

	for lane := range lanes {
		key := fmt.Sprintf("r%d", lane)
		if s.accepted[lane] != each {
			t.Fatalf("%d of %d were accepted in lane %s", s.accepted[lane], each, key)
		}
		last, ran := -1, 0
		for _, guid := range s.order[key] {
			var i int
			_, _ = fmt.Sscanf(guid, key+"-%d", &i)
			if i < last {
				t.Errorf("in lane %s, %s came after number %d", key, guid, last)
			}
			if i > last {
				ran++
			}
			last = i
		}
		if ran != each {
			t.Errorf("of %d events of lane %s %d ran: accepted ones were lost", each, key, ran)
		}
	}
	for guid, n := range s.done {
		if n > 1 {
			t.Errorf("%s was done %d times", guid, n)
		}
	}
}
