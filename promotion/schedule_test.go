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
	schedules = flag.Int("schedules", 500, "how many random schedules to play")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first one")
)

// TestRandomSchedules is the quick look; promotion/model plays far more, judged by
// more. It plays random deliveries, people, faults and crashes over
// random pipelines, and holds the promises after every step. A failure names
// its seed: go test ./promotion -run RandomSchedules -seed N -schedules 1.
func TestRandomSchedules(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+uint64(*schedules); seed++ {
		if problem := play(seed); problem != "" {
			t.Fatalf("seed %d: %s", seed, problem)
		}
	}
}

// FuzzAdvance plays the schedule of any seed.
func FuzzAdvance(f *testing.F) {
	for _, seed := range []uint64{0, 1, 2, 1 << 20, 1<<63 + 5} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if problem := play(seed); problem != "" {
			t.Fatalf("seed %d: %s", seed, problem)
		}
	})
}

type schedule struct {
	*pt.World
	rng    *rand.Rand
	stages []string
	config *promotion.Pipeline
	sent   []promotion.Input // to be delivered again
	ids    int64
	faulty bool
	broken string // the first promise that a decision broke
	lost   bool   // the store, and with it a reaction that was not sent yet
	denied bool   // nobody has the right to promote
}

func play(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, seed))
	s := &schedule{rng: rng, faulty: seed%2 == 0}
	s.config = s.pipeline()
	s.World = pt.NewWorld(s.config)
	s.Fault = s.fault
	s.StepResult = s.edit
	s.OnAdvance = s.decided
	if s.denied = seed%7 == 0; s.denied {
		s.Permission = "read"
	}
	s.Tip = pt.SHA("start")
	for range 12 {
		s.move()
		if problem := s.holds(); problem != "" {
			return problem
		}
	}
	s.faulty = false
	s.Sleep(2 * time.Hour)
	for _, i := range rng.Perm(len(s.sent)) { // what was lost comes at last, and the rest once more
		s.Take(s.sent[i])
	}
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
	switch s.rng.IntN(10) {
	case 0, 1, 2:
		in = pt.PushOn(s.Tip, pt.SHA(fmt.Sprint(s.ids)))
		s.Tip = pt.SHA(fmt.Sprint(s.ids))
	case 3, 4:
		in = pt.Comment(s.ids, s.Now, "/promote "+stage+pick(s.rng, "", " --now --reason haste", " "+s.Tip[:8]))
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
	case 9:
		if s.rng.IntN(3) == 0 {
			s.lost = true
			s.LoseStore(s.config)
		}
		return
	}
	s.sent = append(s.sent, in)
	if s.rng.IntN(8) > 0 { // else it is lost for now
		s.Take(in)
	}
}

// decided looks at one decision of the core.
func (s *schedule) decided(before, after *promotion.State) {
	if s.broken != "" || after.Pipelines["default"] == nil || len(after.Local.Found) > 0 || after.Local.Pending["adopt"] != nil {
		return
	}
	for _, stage := range s.stages {
		if s.broken = s.turn(stage, before, after); s.broken != "" {
			return
		}
	}
}

// turn checks that a stage's free place goes to whose turn it is, at once.
func (s *schedule) turn(stage string, before, after *promotion.State) string {
	var runs *promotion.Promotion
	var queue []*promotion.Promotion
	for _, p := range after.Pipelines["default"].Promotions {
		switch {
		case p.Stage != stage:
		case p.Phase.Started() && runs != nil:
			return fmt.Sprintf("%s and %s run at once (promise 1)", p.Name, runs.Name)
		case p.Phase.Started():
			runs = p
		case p.Phase == promotion.PhaseQueued && s.eligible(after, p) && p.Pushed == "" && (p.PullRequest == nil || p.PullRequest.State != "open"):
			queue = append(queue, p)
		}
	}
	if runs == nil {
		if len(queue) > 0 {
			return queue[0].Name + " waits for its turn while the stage is free (promise 3)"
		}
		return ""
	}
	if was := before.Promotion(runs.Name); was != nil && was.Phase.Started() {
		return ""
	}
	for _, q := range queue {
		if was := before.Promotion(q.Name); was == nil || was.Phase != promotion.PhaseQueued || !s.eligible(before, was) {
			continue
		}
		if q.Priority > runs.Priority || q.Priority == runs.Priority && q.CreatedAt.Before(runs.CreatedAt) {
			return fmt.Sprintf("%s started before %s (promise 1)", runs.Name, q.Name)
		}
	}
	return ""
}

// holds checks what must be true at every moment.
func (s *schedule) holds() string {
	if s.broken != "" {
		return s.broken
	}
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
	if ps := s.State.Pipelines["default"]; s.Tip != pt.SHA("start") && ps.Artifacts["app"].Commit != s.Tip {
		return "the newest commit is not the newest artifact (promise 14)"
	}
	before := fmt.Sprint(s.Ran, s.Checks, s.Reactions, len(s.Replies), len(s.Pulls), s.Written)
	s.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
	if after := fmt.Sprint(s.Ran, s.Checks, s.Reactions, len(s.Replies), len(s.Pulls), s.Written); after != before {
		return "a wake cost something (promise 10): " + before + " became " + after
	}
	for id, e := range s.State.Local.Pending {
		return fmt.Sprintf("%s is still pending: %+v", id, e)
	}
	for _, c := range s.State.Comments {
		if !c.Done {
			return fmt.Sprintf("comment %d has no answer (promise 18)", c.Comment)
		}
	}
	if problem := s.peopleRest(); problem != "" {
		return problem
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

// peopleRest checks what people see of their commands, and who had them carried out.
func (s *schedule) peopleRest() string {
	for _, in := range s.sent {
		comment, ok := in.(promotion.Event).Body.(promotion.Commented)
		if !ok {
			continue
		}
		verdicts := 0
		for _, v := range []promotion.Verdict{promotion.VerdictStarted, promotion.VerdictDone, promotion.VerdictWrong, promotion.VerdictDenied} {
			verdicts += s.Reactions[fmt.Sprint(comment.Comment, " ", v)]
		}
		eyes := s.Reactions[fmt.Sprint(comment.Comment, " eyes")] == 1
		if !eyes && !s.lost || verdicts != 1 {
			return fmt.Sprintf("comment %d has the reactions %v (promise 18)", comment.Comment, s.Reactions)
		}
	}
	for _, p := range s.State.Pipelines["default"].Promotions {
		if s.denied && !p.Automatic {
			return p.Name + " was asked for by somebody who may not (promise 18)"
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
		if p.Phase == promotion.PhaseQueued && !busy && s.eligible(s.State, p) {
			return p.Name + " waits for its turn while the stage is free (promise 3)"
		}
	}
	return ""
}

func (s *schedule) eligible(state *promotion.State, p *promotion.Promotion) bool {
	for _, before := range s.config.Stage(p.Stage).After {
		st := state.Pipelines["default"].Stages[before]
		if st == nil {
			return false
		}
		if _, ok := st.Verified[p.Freight]; !ok {
			return false
		}
	}
	return true
}
