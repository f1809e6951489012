package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// stepRoot is what the keys of a promotion's records begin with.
func stepRoot(repo int64, promotion string) (string, error) {
	if !nameForm.MatchString(promotion) {
		return "", fmt.Errorf("%q is no name of a promotion", promotion)
	}
	return fmt.Sprintf("step.%d.%s", repo, strings.ReplaceAll(promotion, ".", "=")), nil
}

// Record keeps what a step wrote. Of a promotion's attempt and step the first record
// stays: then ErrRecorded is returned, and Records gives what holds.
func (s *Store) Record(ctx context.Context, repo int64, rec promotion.StepRecord) error {
	root, err := stepRoot(repo, rec.Promotion)
	if err != nil {
		return err
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("write the record of step %d of %s: %w", rec.Step, rec.Promotion, err)
	}
	key := fmt.Sprintf("%s.%d.%d", root, rec.Attempt, rec.Step)
	_, _, err = s.write(ctx, key, data, func(head []byte) (uint64, error) { return s.kv.Create(ctx, key, head) })
	if isTaken(err) {
		return fmt.Errorf("step %d of %s: %w", rec.Step, rec.Promotion, ErrRecorded)
	}
	if err != nil {
		return fmt.Errorf("record step %d of %s: %w", rec.Step, rec.Promotion, err)
	}
	return nil
}

// Records gives what the steps of one attempt of a promotion wrote, in their order.
func (s *Store) Records(ctx context.Context, repo int64, name string, attempt int) ([]promotion.StepRecord, error) {
	root, err := stepRoot(repo, name)
	if err != nil {
		return nil, err
	}
	var list []promotion.StepRecord
	for seq := uint64(1); ; {
		msg, err := s.stream.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(fmt.Sprintf("%s%s.%d.*", subjectRoot, root, attempt)))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the records of %s: %w", name, err)
		}
		rec, err := s.record(ctx, strings.TrimPrefix(msg.Subject, subjectRoot), msg.Data)
		if err != nil {
			return nil, fmt.Errorf("read the records of %s: %w", name, err)
		}
		list, seq = append(list, rec), msg.Sequence+1
	}
	slices.SortFunc(list, func(a, b promotion.StepRecord) int { return cmp.Compare(a.Step, b.Step) })
	return list, nil
}

func (s *Store) record(ctx context.Context, key string, head []byte) (rec promotion.StepRecord, err error) {
	data, err := s.unpack(ctx, key, head)
	if err == nil {
		err = json.Unmarshal(data, &rec)
	}
	if err != nil {
		return rec, fmt.Errorf("the value of %s is damaged: %w", key, err)
	}
	return rec, nil
}

// Forget removes the records of a promotion that ended, of all its attempts.
func (s *Store) Forget(ctx context.Context, repo int64, promotion string) error {
	root, err := stepRoot(repo, promotion)
	if err != nil {
		return err
	}
	return s.purge(ctx, root+".>")
}
