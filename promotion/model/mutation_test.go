package model_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var mutationRun = flag.Bool("mutations", false, "change the core's source in many ways, each alone, and see that the schedules find it: some minutes")

// mutations are faults in the core's source: each must be found by the schedules.
var mutations = []struct {
	promise, file, from, to string
}{
	{"1: one runs", "turn.go", "taken = taken || pr.Phase.Started()", "taken = taken && pr.Phase.Started()"},
	{"1: order", "queue.go", "a.CreatedAt.Compare(b.CreatedAt)", "b.CreatedAt.Compare(a.CreatedAt)"},
	{"1: priority", "queue.go", "cmp.Compare(b.Priority, a.Priority)", "cmp.Compare(a.Priority, b.Priority)"},
	{"2: once", "comment.go", "return s.Comment == e.Comment })", "return false })"},
	{"3: the next one starts", "finish.go", "p.Phase, p.Message, p.EndedAt, p.Verify = phase, why, c.now, nil", "p.Phase, p.Message, p.EndedAt, p.Verify = phase, why, c.now, nil\n\tdelete(c.touched, p.Pipeline)\n\treturn"},
	{"3: what changes is settled", "touched.go", "	for p := range c.ownProm {\n", "	for p := range map[*Promotion]bool{} {\n"},
	{"3: so are the stages after it", "clone.go", "c.touchAround(pipeline, name)", "c.touch(pipeline, name)"},
	{"3: and those that take freight from the sources", "artifact.go", "	c.touchFreight(pipeline)\n", ""},
	{"5: after", "gates.go", "if _, ok := st.Verified[r.freight]; !ok {", "if st.Current == nil {"},
	{"5: health", "gates.go", "if !enough(healthy) {", "if false {"},
	{"5: soak", "gates.go", "if until.After(c.now) {", "if false {"},
	{"5: checks", "gates.go", "if !v.isGreen() {\n\t\t\treturn []Gate{v.gate()}", "if false {\n\t\t\treturn []Gate{v.gate()}"},
	{"5: no checks yet are no yes", "verdict.go", "case !answered:\n", "case !answered:\n\t\t\tv.green++\n"},
	{"5: windows", "gates.go", "case v.Open:", "default:"},
	{"5: freeze", "gates.go", "if m != nil && (m.Until.IsZero() || m.Until.After(c.now)) {", "if false && m != nil {"},
	{"5: block", "gates.go", "if ps == nil || ps.Blocked[r.freight] == nil {", "if true || ps == nil {"},
	{"5: a gate that shuts holds a merge", "step.go", "return shut(gates) != nil || pr.MergeTried", "return shut(gates) == &Gate{} || pr.MergeTried"},
	{"5: once by itself", "settle.go", "if f == nil || c.state.stageOf(p.Name, stage.Name).Tried[f.ID] {", "if f == nil {"},
	{"5: no older freight by itself", "turn.go", "if c.overtaken(stage, next) {", "if false && c.overtaken(stage, next) {"},
	{"6: only automatic ones are superseded", "settle.go", "!o.Automatic || o.Name == newer.Name", "o.Name == newer.Name"},
	{"6: a person's commits stay", "settle.go", "&& len(pull.Pushers) == 0", ""},
	{"6: said on both", "settle.go", "newer.Supersedes = append(newer.Supersedes, o.Name)", ""},
	{"7: no step again", "stepresult.go", "if errors.Is(r.Err, ErrStale) {", "if r.Err != nil {"},
	{"8: look first", "effect.go|result.go", "again.Look = true", "again.Look = false"},
	{"10: waiting costs nothing", "step.go", "if why := c.waitsAlready(pr, step); why != \"\" {", "if why := c.waitsAlready(pr, step); false {"},
	{"13: wait as told", "result.go", "again.NotBefore = c.now.Add(max(wait, time.Second))", "again.NotBefore = c.now.Add(time.Second)"},
	{"14: late pushes", "source.go", "inOrder := push.Follows(tips[push.Branch])", "inOrder := true || push.Follows(tips[push.Branch])"},
	{"14: merges that come late", "pullrequest.go", "case e.Action == \"closed\" || e.Action == \"reopened\":", "case e.Action == \"reopened\":"},
	{"15: what an earlier life answered", "comment.go", "if r.Verdict != \"\" {", "if false {"},
	{"16: who touched the issue is said", "rival.go", "		c.sayTouched(e)\n", ""},
	{"16: and it is written anew", "rival.go", "	case e.Writer == \"\":\n		local.Suspect = true", "	case e.Writer == \"\":\n		local.Suspect = false"},
	{"15: adopt", "trace.go", "for i, f := range found {\n\t\tswitch {", "for i, f := range found[:0] {\n\t\tswitch {"},
	{"15: a pull request is taken over", "adoptone.go", "c.takeOver(p, f)", "_ = c"},
	{"15: freight is recalled", "trace.go", "	c.recall(found)\n", ""},
	{"15: a press is known again", "press.go", "if i < 0 || !heard ||", "if true || !heard ||"},
	{"15: freezes are in force again", "said.go", "c.setFreeze(by, a, stages)", "_ = stages"},
	{"15: so are blocks", "said.go", "c.blockIn(name, f.ID, blockMark(by, cmd))", "_ = f"},
	{"15: and pauses", "wayback.go", "b.stage(pipeline, stage).Paused = paused", "_ = paused"},
	{"15: only what was carried out", "said.go", "if s.accepted() {", "if true {"},
	{"17: branches go", "finish.go", "if _, _, _, own := ParseBranch(p.Pushed); own {\n\t\tc.effect", "if _, _, _, own := ParseBranch(p.Pushed); own && false {\n\t\tc.effect"},
	{"17: pull requests are closed", "finish.go", "if pr != nil && pr.State == \"open\" || merged {\n\t\tc.effect", "if pr != nil && pr.State == \"open\" && p.Phase != PhaseSuperseded || merged {\n\t\tc.effect"},
	{"18: who may", "permit.go", "if !each.stage.allows(s.By, r) {", "if false {"},
	{"18: allow", "permit.go", "if s.Allow != nil {\n\t\treturn named", "if false {\n\t\treturn named"},
	{"18: the last reaction", "reply.go", "for _, v := range s.unsent() {", "for _, v := range s.unsent()[:0] {"},
	{"19: approvals count for their head", "approval.go", "yes.Head == r.pr.content() &&", ""},
	{"19: a requester does not count", "approval.go", "if a.ExcludeRequester && p.involves(yes.By) {", "if false {"},
	{"19: nobody is asked again", "approved.go", "yes.Head = sha", "continue"},
	{"19: count", "approval.go", "if len(by) >= need {", "if len(by) >= 1 {"},
	{"§2: verification waits", "verify.go", "case v.isGreen():\n\t\tc.verified", "case true || v.isGreen():\n\t\tc.verified"},
	{"§2: silence is a no only in time", "verify.go", "over := !p.Verify.Until.After(c.now)", "over := true"},
	{"§2: a rollback pauses", "rollback.go", "st.Paused = mark", ""},
	{"§2: a broken config starts nothing", "settle.go", "readable := p != nil && len(ps.Broken) == 0 && !ps.Gone", "readable := p != nil && !ps.Gone"},
}

// TestMutations changes the core's source, one line at a time, and expects that
// the schedules find it:
//
//	go test ./promotion/model -run TestMutations -mutations -v -timeout 30m
func TestMutations(t *testing.T) {
	if !*mutationRun {
		for _, m := range mutations {
			mutated(t, m.file, m.from, m.to) // each still fits the source
		}
		return
	}
	for _, m := range mutations {
		t.Run(m.promise, func(t *testing.T) {
			file, source := mutated(t, m.file, m.from, m.to)
			out := played(t, file, source, strings.HasPrefix(m.promise, "19") || strings.Contains(m.promise, "holds a merge"))
			found := regexp.MustCompile(`seed \d+: [^\n]*`).FindString(out)
			if found == "" {
				t.Fatalf("not found: %s", out[:min(len(out), 600)])
			}
			t.Log(found)
		})
	}
}

// mutated is the file, or the one of several, in which the text stands once, and
// its source with the change.
func mutated(t *testing.T, files, from, to string) (file, source string) {
	t.Helper()
	for _, name := range strings.Split(files, "|") {
		raw, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(raw), from) == 1 {
			return name, strings.Replace(string(raw), from, to, 1)
		}
	}
	t.Errorf("%s does not hold once: %s", files, from)
	return "", ""
}

// played plays schedules over the core with one file exchanged.
func played(t *testing.T, file, source string, approving bool) string {
	t.Helper()
	dir := t.TempDir()
	path, err := filepath.Abs(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: filepath.Join(dir, "mutant.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"mutant.go": source, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"),
		"-run", "TestSchedules", "-timeout", "5m", ".", "-schedules=20000", "-approving="+strconv.FormatBool(approving)).CombinedOutput()
	if err == nil {
		return "nothing was found"
	}
	return string(out)
}
