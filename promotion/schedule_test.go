package promotion_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

var (
	schedules = flag.Int("schedules", 3000, "how many random schedules to play")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first one")
)

// TestRandomSchedules plays random deliveries, people, faults and crashes over
// random pipelines, and holds the promises after every step. A failure names
// its seed: go test ./promotion -run RandomSchedules -seed N -schedules 1.
func TestRandomSchedules(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+uint64(*schedules); seed++ {
		if problem := play(seed); problem != "" {
			t.Fatalf("seed %d: %s", seed, problem)
		}
	}
}

type schedule struct {
	*pt.World
	rng    *rand.Rand
	stages []string
	config *promotion.Pipeline
	sent   []promotion.Input // to be delivered again
	ids    int64
	faulty bool
}

func play(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, seed))
	s := &schedule{rng: rng, faulty: seed%2 == 0}
	s.config = s.pipeline()
	s.World = pt.NewWorld(s.config)
	s.Fault = s.fault
	s.StepResult = s.edit
	for range 12 {
		s.move()
		if problem := s.holds(); problem != "" {
			return problem
		}
	}
	s.faulty = false
	s.Sleep(2 * time.Hour)
	if problem := s.holds(); problem != "" {
		return "at rest: " + problem
	}
	return s.rests()
}

func (s *schedule) pipeline() *promotion.Pipeline {
	var stages []promotion.Stage
	for i := range 1 + s.rng.IntN(4) {
		name := string(rune('a' + i))
		words := []string{pick(s.rng, "commit", "pull-request"), pick(s.rng, "auto", "auto", ""), pick(s.rng, "never", "")}
		if i > 0 && s.rng.IntN(3) > 0 {
			words = append(words, "after:"+s.stages[s.rng.IntN(len(s.stages))])
		}
		stages = append(stages, pt.Stage(name, slices.DeleteFunc(words, func(w string) bool { return w == "" })...))
		s.stages = append(s.stages, name)
	}
	return pt.Pipeline("default", stages...)
}

func pick(rng *rand.Rand, options ...string) string { return options[rng.IntN(len(options))] }

func (s *schedule) fault(promotion.Effect) pt.Fault {
	if !s.faulty || s.rng.IntN(4) > 0 {
		return pt.Well
	}
	return pt.Fault(1 + s.rng.IntN(4))
}

func (s *schedule) edit(promotion.Effect) promotion.Result {
	if s.faulty && s.rng.IntN(10) == 0 {
		return promotion.Result{Err: promotion.Terminal(fmt.Errorf("no such key"))}
	}
	return promotion.Result{Phase: promotion.StepSucceeded, Mounts: []promotion.Mount{{Path: ".", Branch: "main", Commit: pt.SHA("main")}}}
}

// move lets one thing happen.
func (s *schedule) move() {
	s.ids++
	stage := pick(s.rng, s.stages...)
	var in promotion.Input
	switch s.rng.IntN(9) {
	case 0, 1, 2:
		in = pt.Push(pt.SHA(fmt.Sprint(s.ids)))
	case 3, 4:
		in = pt.Comment(s.ids, s.Now, "/promote "+stage)
	case 5:
		in = pt.Comment(s.ids, s.Now, pick(s.rng, "/abort ", "/retry ")+stage)
	case 6:
		s.End(stage, pick(s.rng, "merged", "merged", "closed"))
		return
	case 7:
		s.Sleep(time.Duration(s.rng.IntN(300)) * time.Second)
		return
	case 8:
		if len(s.sent) > 0 { // late or doubled
			s.Take(s.sent[s.rng.IntN(len(s.sent))])
		}
		return
	}
	s.sent = append(s.sent, in)
	if s.rng.IntN(8) > 0 { // else it is lost for now
		s.Take(in)
	}
}

// holds checks what must be true at every moment.
func (s *schedule) holds() string {
	for _, stage := range s.stages {
		started := 0
		for _, p := range s.All(stage) {
			if p.Phase.Started() {
				started++
			}
		}
		if started > 1 {
			return fmt.Sprintf("%d run in %s at once (promise 1)", started, stage)
		}
	}
	open := map[string]int{}
	for _, pr := range s.Pulls {
		if pr.State == "open" {
			open[pr.Branch]++
		}
	}
	for branch, n := range open {
		if n > 1 {
			return fmt.Sprintf("%d open pull requests from %s (promise 8)", n, branch)
		}
	}
	for key, n := range s.Checks {
		if n > 1 {
			return fmt.Sprintf("%d check runs for %s (promise 8)", n, key)
		}
	}
	seen := map[string]bool{}
	for _, reply := range s.Replies {
		marker := reply[strings.LastIndex(reply, "<!--"):]
		if seen[marker] {
			return "a comment was answered twice (promise 8): " + marker
		}
		seen[marker] = true
	}
	return s.namesAreUnique()
}

func (s *schedule) namesAreUnique() string {
	names := map[string]bool{}
	for _, ps := range s.State.Pipelines {
		for _, p := range ps.Promotions {
			if names[p.Name] {
				return "two promotions are called " + p.Name
			}
			names[p.Name] = true
		}
	}
	return ""
}

// rests checks what must be true when nothing is left to do and all went well.
func (s *schedule) rests() string {
	for id, e := range s.State.Local.Pending {
		return fmt.Sprintf("%s is still pending: %+v", id, e)
	}
	for _, c := range s.State.Comments {
		if !c.Done {
			return fmt.Sprintf("comment %d has no answer (promise 18)", c.Comment)
		}
	}
	branches := map[string]bool{}
	for _, stage := range s.stages {
		if problem := s.stageRests(stage, branches); problem != "" {
			return problem
		}
	}
	for branch := range s.Commits {
		if !branches[branch] {
			return "the branch " + branch + " was left behind (promise 17)"
		}
	}
	for _, pr := range s.Pulls {
		if pr.State == "open" && !branches[pr.Branch] {
			return fmt.Sprintf("pull request %d was left open (promise 17)", pr.Number)
		}
	}
	return ""
}

func (s *schedule) stageRests(stage string, branches map[string]bool) string {
	busy := false
	for _, p := range s.All(stage) {
		if p.Phase.Started() {
			busy = true
			branches[promotion.BranchName(p.Pipeline, p.Stage, p.Name)] = true
			if p.Phase != promotion.PhaseWaiting || p.PullRequest == nil || p.PullRequest.State != "open" {
				return fmt.Sprintf("%s is %s and nothing moves it (%s)", p.Name, p.Phase, p.Message)
			}
		}
	}
	for _, p := range s.All(stage) {
		if p.Phase == promotion.PhaseQueued && !busy && s.eligible(p) {
			return p.Name + " waits for its turn while the stage is free (promise 3)"
		}
	}
	return ""
}

func (s *schedule) eligible(p *promotion.Promotion) bool {
	for _, before := range s.config.Stage(p.Stage).After {
		st := s.State.Pipelines["default"].Stages[before]
		if st == nil {
			return false
		}
		if _, ok := st.Verified[p.Freight]; !ok {
			return false
		}
	}
	return true
}
