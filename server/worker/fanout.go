package worker

import (
	"context"
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// fanOut hands the deliveries of an installation to the lanes of its
// repositories. A lane that is none of ours holds what could not be read.
func (l *lane) fanOut(ctx context.Context, batch []Delivery) error {
	l.taken = append(l.taken, batch...)
	for _, d := range batch {
		events, err := l.w.Translate(d.Type, d.GUID, d.Payload)
		if err != nil {
			l.aside(ctx, d, err)
			continue
		}
		if err := l.spread(ctx, d, events); err != nil {
			l.retry(ctx, d, err)
			continue
		}
		if err := l.w.Log.Done(ctx, d); err != nil {
			return fmt.Errorf("acknowledge %s: %w", d.GUID, err)
		}
		l.untake(d)
	}
	return nil
}

// spread appends one delivery of our own for each repository. Its GUID derives
// from the cause, so that doing it twice is doing it once.
func (l *lane) spread(ctx context.Context, d Delivery, events []promotion.Event) error {
	for _, e := range events {
		name := internalName(e.Body)
		if name == "" {
			continue
		}
		repos, err := l.concerned(ctx, e)
		if err != nil {
			return err
		}
		for _, repo := range repos {
			if gone, ok := e.Body.(promotion.LetGo); ok {
				repo.Idle = gone.Reason
			}
			eventType, payload := l.w.Internal(name, repo)
			guid := fmt.Sprintf("%s/%s/%d", d.GUID, name, repo.ID)
			if err := l.w.Log.Accept(ctx, guid, eventType, fmt.Sprintf("r%d", repo.ID), payload); err != nil {
				return fmt.Errorf("append for %s: %w", repo.FullName(), err)
			}
		}
	}
	return nil
}

// concerned are the repositories that an event is about: the one it names, or
// all that are known of its installation.
func (l *lane) concerned(ctx context.Context, e promotion.Event) ([]promotion.Repo, error) {
	if e.Repo.ID != 0 {
		return []promotion.Repo{e.Repo}, nil
	}
	repos, err := l.w.Store.OfInstallation(ctx, e.Repo.Installation)
	if err != nil {
		return nil, fmt.Errorf("list the repositories of installation %d: %w", e.Repo.Installation, err)
	}
	return repos, nil
}

func internalName(body promotion.EventBody) string {
	switch body.(type) {
	case promotion.TakenUp:
		return "look"
	case promotion.Unblocked:
		return "unblock"
	case promotion.LetGo:
		return "letgo"
	}
	return ""
}
