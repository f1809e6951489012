package ghapi

import (
	"context"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// urgentKey marks requests that a person waits for.
type urgentKey struct{}

// urgent marks the requests of ctx as those that a person waits for: they may use
// what is kept of every limit.
func urgent(ctx context.Context) context.Context { return context.WithValue(ctx, urgentKey{}, true) }

func isUrgent(ctx context.Context) bool { return ctx.Value(urgentKey{}) != nil }

// forPerson marks ctx when a task answers a person, or is of a promotion that one
// asked for.
func forPerson(ctx context.Context, t promotion.Task) context.Context {
	switch t.Effect.Kind {
	case promotion.KindReact, promotion.KindReply, promotion.KindPlan, promotion.KindPermission:
		return urgent(ctx)
	}
	if t.Promotion != nil && !t.Promotion.Automatic {
		return urgent(ctx)
	}
	return ctx
}

// forAskers marks ctx when a command waits for the ledger to hold it.
func forAskers(ctx context.Context, s *promotion.State) context.Context {
	if slices.ContainsFunc(s.Comments, func(c *promotion.CommentState) bool { return !c.Done }) {
		return urgent(ctx)
	}
	return ctx
}
