package server_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var (
	chaosFor  = flag.Duration("chaos", 0, "for how long each chaos test goes on playing stories; 0: one story each")
	chaosSeed = flag.Uint64("chaos-seed", rand.Uint64(), "what happens, and when; a failing run names its own")
	// Stories wait more than they work, for lists that lag and for the dead to be replaced.
	chaosAtOnce = flag.Int("chaos-at-once", 3, "with -chaos: how many stories of each test are played at the same time")
)

// chaos plays stories with the product as processes, while anything may happen to
// them, to their event store, to requests and to deliveries. Each story has to end as
// one that nobody disturbs does.
type chaos struct {
	*servertest.World
	f     *servertest.Fleet
	rand  *rand.Rand
	pause time.Duration // between two events, on average
	tally *sync.Map     // what happened → *atomic.Int64
	group sync.WaitGroup

	happened int // belongs to disturb, until that has ended
}

// TestChaosOfOne has one replica, with the event store embedded in it.
func TestChaosOfOne(t *testing.T) {
	stories(t, 300*time.Millisecond, func(c *chaos) map[string]func() {
		c.StartProcess()
		c.KeepUp(servertest.Product, nil, "serve")
		return map[string]func(){"kill": c.killAndWait, "freeze": func() {
			c.Freeze()
			c.later(time.Duration(c.rand.IntN(1000))*time.Millisecond, c.Thaw)
		}}
	})
}

// TestChaosOfThree has three replicas, and a NATS server that they share.
func TestChaosOfThree(t *testing.T) {
	stories(t, 400*time.Millisecond, func(c *chaos) map[string]func() {
		c.f = c.StartFleet(3)
		c.KeepUpFleet(c.f)
		anyone := func() int { return c.rand.IntN(c.f.Size()) }
		return map[string]func(){
			"kill":   func() { c.f.Kill(anyone()) },
			"freeze": func() { c.freeze(anyone(), time.Duration(c.rand.IntN(8000))*time.Millisecond) },
			"kill of the event store": func() {
				c.f.KillNATS()
				if err := c.f.StartNATS(); err != nil {
					c.TB.Error(err)
				}
			},
		}
	})
}

// stories plays one story after the other until the time is over.
func stories(t *testing.T, pause time.Duration, start func(*chaos) map[string]func()) {
	if testing.Short() {
		t.Skip("chaos is not short")
	}
	t.Parallel()
	began, played := time.Now(), new(atomic.Int64)
	var tally sync.Map
	t.Run("stories", func(t *testing.T) {
		for range atOnceInChaos() {
			t.Run("side by side", func(t *testing.T) {
				t.Parallel()
				for first := true; first || time.Since(began) < *chaosFor && !t.Failed(); first = false {
					n := uint64(played.Add(1))
					t.Run(fmt.Sprint("story ", n), func(t *testing.T) {
						c := &chaos{World: servertest.New(t, servertest.Files()), pause: pause, tally: &tally, rand: rand.New(rand.NewPCG(*chaosSeed, n))}
						c.Patience = 4 * time.Minute
						c.play(start(c))
					})
				}
			})
		}
	})
	t.Logf("%d stories in %s, -chaos-seed %d: %s", played.Load(), time.Since(began).Round(time.Second), *chaosSeed, counts(&tally))
}

// atOnceInChaos is how many stories are played at the same time.
func atOnceInChaos() int {
	if *chaosFor == 0 {
		return 1
	}
	return *chaosAtOnce
}

func counts(tally *sync.Map) (out string) {
	tally.Range(func(what, n any) bool {
		out += fmt.Sprintf("%d × %s, ", n.(*atomic.Int64).Load(), what)
		return true
	})
	return out
}

func (c *chaos) play(events map[string]func()) {
	t := c.TB.(*testing.T)
	c.awkward()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		c.disturb(events, stop)
	}()
	c.InstallApp()
	c.Story()
	close(stop)
	<-done
	c.group.Wait()
	check(t, c.World)
	if c.happened == 0 {
		t.Error("nothing happened: this test shows nothing")
	}
	if t.Failed() {
		t.Logf("-chaos-seed %d", *chaosSeed)
	}
}

// awkward draws what GitHub is like throughout the story.
func (c *chaos) awkward() {
	if c.rand.IntN(2) == 0 {
		c.Sim.SetListLag(2 * time.Second)
	}
	if c.rand.IntN(4) == 0 {
		c.Sim.SetClock(time.Duration(c.rand.IntN(360)-180) * time.Second)
	}
}

// killAndWait kills the only replica, and gives the next one the time to start.
func (c *chaos) killAndWait() {
	starts := c.Starts()
	c.Kill()
	for deadline := time.Now().Add(20 * time.Second); c.Starts() == starts && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
}

// most is how many things happen in one story, which then may end in peace.
func most() int {
	if *chaosFor == 0 {
		return 10
	}
	return 60
}

// disturb lets one thing after the other happen, until stop.
func (c *chaos) disturb(events map[string]func(), stop <-chan struct{}) {
	events["lost deliveries"] = c.lose
	events["doubled delivery"] = c.double
	events["deliveries in another order"] = c.shuffle
	events["a revoked token"] = func() { c.Sim.RevokeTokens(0) }
	for name, f := range mishaps {
		f.Match = func(r *http.Request) bool { return r.RemoteAddr != "" }
		events[name] = func() { c.strike(f) }
	}
	names := slices.Sorted(maps.Keys(events))
	for c.happened < most() {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(c.rand.Int64N(int64(2 * c.pause)))):
		}
		// What happens to processes is half of all.
		name := names[c.rand.IntN(len(names))]
		if _, isMishap := mishaps[name]; isMishap && c.rand.IntN(2) == 0 {
			name = "kill"
		}
		n, _ := c.tally.LoadOrStore(name, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
		c.happened++
		events[name]()
	}
}

// strike lets the next request of the app fail.
func (c *chaos) strike(f ghsim.Fault) {
	remove := c.Sim.Fault(f)
	c.later(2*time.Second, remove)
}

// lose lets deliveries fail for a moment. They come later, behind others.
func (c *chaos) lose() {
	c.later(300*time.Millisecond, c.Sim.DropWebhooks(func(ghsim.Delivery) bool { return true }))
}

// shuffle lets what comes within a moment come in another order.
func (c *chaos) shuffle() {
	seed := c.rand.Uint64()
	c.Sim.PauseWebhooks()
	c.later(400*time.Millisecond, func() {
		c.Sim.ShuffleWebhooks(seed)
		c.Sim.ResumeWebhooks()
	})
}

// double has a delivery that got through sent again.
func (c *chaos) double() {
	if all := c.Sim.Deliveries(); len(all) > 0 {
		_ = c.Sim.Redeliver(all[c.rand.IntN(len(all))].GUID)
	}
}

func (c *chaos) freeze(i int, d time.Duration) {
	c.f.Freeze(i)
	c.later(d, func() { c.f.Thaw(i) })
}

// later does something after a while, and before the end is looked at.
func (c *chaos) later(d time.Duration, do func()) {
	c.group.Go(func() {
		time.Sleep(d)
		do()
	})
}
