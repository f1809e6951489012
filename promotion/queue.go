package promotion

import (
	"cmp"
	"slices"
)

// Queue is the order in which a stage's promotions take their turn: priority
// first, then creation time, then name. The zero Queue is empty and ready.
type Queue struct{ items []*Promotion }

// NewQueue makes a queue of those of the promotions that wait in phase queued.
func NewQueue(promotions ...*Promotion) *Queue {
	q := &Queue{}
	for _, p := range promotions {
		q.Push(p)
	}
	return q
}

// Push puts p in its place. It reports whether the queue changed: nil, a
// promotion that is held already, and one that does not wait for its turn
// change nothing.
func (q *Queue) Push(p *Promotion) bool {
	if p == nil || p.Phase != PhaseQueued {
		return false
	}
	if slices.ContainsFunc(q.items, func(o *Promotion) bool { return o.Name == p.Name }) {
		return false
	}
	at, _ := slices.BinarySearchFunc(q.items, p, inTurn)
	q.items = slices.Insert(q.items, at, p)
	return true
}

// Peek returns the promotion whose turn it is, or nil. It removes nothing.
func (q *Queue) Peek() *Promotion {
	if len(q.items) == 0 {
		return nil
	}
	return q.items[0]
}

// PeekFunc returns the first promotion that may run, or nil: what may not yet
// lets those behind it pass. It removes nothing.
func (q *Queue) PeekFunc(may func(*Promotion) bool) *Promotion {
	for _, p := range q.items {
		if may(p) {
			return p
		}
	}
	return nil
}

// Pop removes and returns the promotion whose turn it is, or nil.
func (q *Queue) Pop() *Promotion {
	p := q.Peek()
	if p != nil {
		q.items = q.items[1:]
	}
	return p
}

// Len is the number of promotions that wait.
func (q *Queue) Len() int { return len(q.items) }

// All returns the promotions in the order of their turns.
func (q *Queue) All() []*Promotion { return slices.Clone(q.items) }

func inTurn(a, b *Promotion) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		a.CreatedAt.Compare(b.CreatedAt),
		cmp.Compare(a.Name, b.Name),
	)
}
