package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// with runs the command with one suite of the test's own.
func with(t *testing.T, s suite, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	before := suites
	suites = map[string]suite{"own": s}
	defer func() { suites = before }()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestRun(t *testing.T) {
	good := value("a", 1, "ms").atMost(2)
	bad := value("b", 3, "ms").atMost(2)
	for name, c := range map[string]struct {
		rows []row
		err  error
		args []string
		code int
		out  string
	}{
		"passed":        {rows: []row{good, value("c", 5, "")}, code: exitPassed, out: "own    a     1 ms      ≤ 2 ms  ok"},
		"missed":        {rows: []row{good, bad}, code: exitMissed, out: "MISSED"},
		"error":         {err: errors.New("no git"), code: exitError},
		"one suite":     {rows: []row{good}, args: []string{"-suite", "own"}, code: exitPassed},
		"no such suite": {args: []string{"-suite", "other"}, code: exitError},
		"wrong flag":    {args: []string{"-fast"}, code: exitError},
	} {
		code, out, errs := with(t, func(context.Context, *bench) ([]row, error) { return c.rows, c.err }, c.args...)
		if code != c.code || !strings.Contains(out, c.out) {
			t.Errorf("%s: exit %d, want %d\n%s%s", name, code, c.code, out, errs)
		}
	}
}

func TestJSON(t *testing.T) {
	_, out, _ := with(t, func(context.Context, *bench) ([]row, error) {
		return []row{value("pushes", 3, "").exactly(3), value("rate", 10, "/s").atLeast(20), value("size", 7, "MiB")}, nil
	}, "-json", "-quick")
	var rows []map[string]any
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 3 {
		t.Fatalf("%v in %s", err, out)
	}
	for i, want := range []string{"= 3 true", "≥ 20 false", " true"} {
		r := rows[i]
		verdict := "false"
		if r["pass"] == true {
			verdict = "true"
		}
		if got := r["budget"].(string) + " " + verdict; got != want || r["suite"] != "own" || len(r) != 6 {
			t.Errorf("row %v, want %q", r, want)
		}
	}
	if _, out, _ := with(t, func(context.Context, *bench) ([]row, error) { return nil, nil }, "-json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("no rows are %q", out)
	}
}

func TestFoldersGo(t *testing.T) {
	var dir string
	with(t, func(_ context.Context, b *bench) ([]row, error) {
		var err error
		if dir, err = b.dir(); err == nil {
			_, err = os.Stat(dir)
		}
		return nil, err
	})
	if _, err := os.Stat(dir); dir == "" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %q is still there: %v", dir, err)
	}
}

func TestNothingMeasuredPassesNoBudget(t *testing.T) {
	if value("x", math.NaN(), "").atMost(1).Pass || value("x", math.NaN(), "").atLeast(1).Pass {
		t.Error("not a number passes")
	}
}

func TestContest(t *testing.T) {
	var order []int
	way := func(n int, d ...time.Duration) func(int) (time.Duration, error) {
		return func(round int) (time.Duration, error) { order = append(order, n); return d[round], nil }
	}
	got, err := contest(t.Context(), 3, way(1, 5*time.Millisecond, 1*time.Millisecond, 2*time.Millisecond), way(2, 9, 9, 9))
	if err != nil || got[0] != 2 || len(order) != 6 || order[1] != 2 {
		t.Errorf("medians %v, %v, in the order %v", got, err, order)
	}
	if _, err := contest(t.Context(), 1, func(int) (time.Duration, error) { return 0, errors.New("no") }); err == nil {
		t.Error("an error is lost")
	}
}
