package model_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion/model"
)

// FuzzSchedule plays the schedule that any bytes describe: the first one chooses
// how many stages there are, then come their traits and then the moves.
func FuzzSchedule(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(model.Drawn(seed).Bytes())
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := model.FromBytes(data)
		if broke := model.Play(s, model.Plant{}); broke != "" {
			t.Fatalf("%s\n%s", broke, shortest(s, model.Plant{}))
		}
	})
}

func TestAScheduleIsReadFromItsBytes(t *testing.T) {
	for seed := range uint64(200) {
		s := model.Drawn(seed)
		again := model.FromBytes(s.Bytes())
		if string(again.Bytes()) != string(s.Bytes()) || model.Tell(again, model.Plant{}) != model.Tell(s, model.Plant{}) {
			t.Fatalf("seed %d reads differently from its bytes", seed)
		}
	}
}

// A schedule is shrunk as long as it fails, and not to one that does not.
func TestShrink(t *testing.T) {
	plant := planted[0].plant
	s := model.Drawn(0)
	for seed := uint64(0); promiseOf(model.Play(s, plant)) != planted[0].found; seed++ {
		s = model.Drawn(seed)
	}
	short := model.Shrink(s, func(try model.Schedule) bool { return promiseOf(model.Play(try, plant)) == planted[0].found })
	if promiseOf(model.Play(short, plant)) != planted[0].found || len(short.Moves) >= len(s.Moves) || len(short.Moves) > 5 {
		t.Errorf("%d moves became %d, which give %q", len(s.Moves), len(short.Moves), model.Play(short, plant))
	}
}
