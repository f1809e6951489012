package worker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// inputs translates deliveries, with the state at hand and the pipelines read
// where an event says that they may have changed.
func (l *lane) inputs(ctx context.Context, batch []Delivery) ([]promotion.Input, error) {
	var inputs []promotion.Input
	tips := map[string]string{} // branch → where the batch left it so far
	for _, d := range batch {
		events, err := l.w.Translate(d.Type, d.GUID, d.Payload)
		if err != nil {
			l.aside(ctx, d, err)
			continue
		}
		for _, e := range events {
			more, err := l.inputsOf(ctx, e, tips)
			if err != nil {
				l.retry(ctx, d, err)
				break
			}
			inputs = append(inputs, more...)
		}
	}
	if l.state == nil {
		return nil, nil // the repository has no pipeline: there is nothing to bring forward
	}
	return inputs, nil
}

// inputsOf are the inputs that one event gives. A push that does not continue what
// is known of the default branch says that a delivery is late or lost: the files
// are read at the tip of now, never at a commit that is old already.
func (l *lane) inputsOf(ctx context.Context, e promotion.Event, tips map[string]string) ([]promotion.Input, error) {
	fresh, err := l.load(ctx, e)
	if err != nil || l.state == nil {
		return nil, err
	}
	if _, unblocked := e.Body.(promotion.Unblocked); unblocked {
		l.notBefore, l.refused = time.Time{}, 0
	}
	inputs := append(fresh, e)
	for _, in := range fresh {
		if read, ok := in.(promotion.ConfigRead); ok {
			maps.Copy(tips, read.Tips)
		}
	}
	inOrder := l.inOrder(e, tips)
	if len(fresh) == 0 && (!inOrder || BringsConfig(e, l.state.Repo)) {
		at := ""
		if inOrder {
			at = configAt(e)
		}
		read, err := l.w.Pipelines.Read(ctx, l.merged(e.Repo), at)
		if err != nil {
			return nil, err
		}
		maps.Copy(tips, read.Tips)
		if err := l.w.Store.Note(ctx, l.merged(e.Repo), true); err != nil {
			return nil, err
		}
		inputs = []promotion.Input{read, e} // an event is judged by the config that came with it
	}
	return inputs, nil
}

// inOrder reports whether an event may be taken as it stands: all may but pushes
// to the default branch that do not continue what is known of it.
func (l *lane) inOrder(e promotion.Event, tips map[string]string) bool {
	push, ok := e.Body.(promotion.Pushed)
	if !ok || push.Branch != l.merged(e.Repo).DefaultBranch || strings.Trim(push.After, "0") == "" {
		return true
	}
	tip := cmp.Or(tips[push.Branch], l.state.Local.Tips[push.Branch])
	if !push.Follows(tip) || l.state.Local.Rewound(push, e.At) {
		return false
	}
	tips[push.Branch] = push.After
	return true
}

// merged is the repository with what an event leaves out.
func (l *lane) merged(r promotion.Repo) promotion.Repo {
	known := l.state.Repo
	if r.DefaultBranch == "" {
		r.DefaultBranch = known.DefaultBranch
	}
	if r.Installation == 0 {
		r.Installation = known.Installation
	}
	if r.Owner == "" {
		r.Owner, r.Name = known.Owner, known.Name
	}
	return r
}

// BringsConfig reports whether an event may change what the pipeline files of
// the default branch hold, or which branch that is.
func BringsConfig(e promotion.Event, known promotion.Repo) bool {
	switch body := e.Body.(type) {
	case promotion.TakenUp, promotion.Renamed:
		return true
	case promotion.Pushed:
		branch := e.Repo.DefaultBranch
		if branch == "" {
			branch = known.DefaultBranch
		}
		if body.Branch != branch {
			return false
		}
		return !body.Complete || slices.ContainsFunc(body.Commits, func(c promotion.PushedCommit) bool {
			return slices.ContainsFunc(c.Paths, promotion.IsConfigPath)
		})
	}
	return false
}

func configAt(e promotion.Event) string {
	if push, ok := e.Body.(promotion.Pushed); ok {
		return push.After
	}
	return ""
}

// load gets the state: from memory, from the store, or from GitHub when both
// lack it. It stays nil for a repository without a pipeline. The inputs returned
// say what was read on the way.
func (l *lane) load(ctx context.Context, e promotion.Event) ([]promotion.Input, error) {
	if l.state == nil {
		found, err := l.recall(ctx)
		if err != nil {
			return nil, err
		}
		if !found {
			return l.takeUp(ctx, e)
		}
	}
	return l.compareWith(ctx, e)
}

// recall gets the state from memory or from the store. It reports whether there is one.
func (l *lane) recall(ctx context.Context) (bool, error) {
	if kept, ok := l.w.kept.take(l.key); ok {
		l.working, l.saved = kept, kept.state
		return true, nil
	}
	s, revision, err := l.w.Store.Load(ctx, l.repo)
	if err != nil {
		return false, fmt.Errorf("load the state of %s: %w", l.key, err)
	}
	if s == nil {
		return false, nil
	}
	stored := *s
	l.saved = &stored
	s.Local.Writer = l.w.Writer
	l.working = working{state: s, revision: revision, compare: true}
	l.suspectPending()
	return true, nil
}

// suspectPending marks the effects without a result: a process that held them
// is gone, and may have sent them.
func (l *lane) suspectPending() {
	s := *l.state
	s.Local.Pending = maps.Clone(s.Local.Pending)
	for id, e := range s.Local.Pending {
		look := *e
		look.Look = true
		if lag := e.Kind.Lag(); lag > 0 {
			look.NotBefore = latest(look.NotBefore, l.w.Now().UTC().Add(lag))
		}
		s.Local.Pending[id] = &look
	}
	l.state = &s
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// takeUp looks at a repository of which nothing is known here: is there a
// pipeline, and is there a ledger from an earlier life?
func (l *lane) takeUp(ctx context.Context, e promotion.Event) ([]promotion.Input, error) {
	if _, woke := e.Body.(promotion.Woke); woke {
		return nil, nil // of a state that is gone; it knows no more than whose it is
	}
	hasPipeline, known, err := l.w.Store.Known(ctx, l.repo)
	if err != nil {
		return nil, err
	}
	if known && !hasPipeline && !BringsConfig(e, e.Repo) {
		return nil, nil
	}
	read, err := l.w.Pipelines.Read(ctx, e.Repo, "")
	if err != nil {
		return nil, fmt.Errorf("look for pipeline files: %w", err)
	}
	repo := e.Repo
	if read.Branch != "" {
		repo.DefaultBranch = read.Branch
	}
	if len(read.Pipelines)+len(read.Broken) == 0 {
		return nil, l.w.Store.Note(ctx, repo, false)
	}
	if l.w.Describe != nil && e.Repo.DefaultBranch == "" { // some payloads leave most out
		if repo, err = l.w.Describe(ctx, repo); err != nil {
			return nil, fmt.Errorf("describe the repository: %w", err)
		}
	}
	return l.rebuild(ctx, repo, read)
}

// rebuild makes the state from the ledger, or from nothing.
func (l *lane) rebuild(ctx context.Context, repo promotion.Repo, read promotion.ConfigRead) ([]promotion.Input, error) {
	s, err := l.w.Ledger.Load(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("look for the tracking issue: %w", err)
	}
	if s == nil {
		s = &promotion.State{Version: promotion.StateVersion}
	}
	rebuilt := *s
	rebuilt.Repo, rebuilt.Local.Writer = repo, l.w.Writer
	if err := l.w.Store.Note(ctx, repo, true); err != nil {
		return nil, err
	}
	l.working = working{state: &rebuilt}
	zerolog.Ctx(ctx).Info().Str("repository", repo.FullName()).Int("issue", rebuilt.Issue).Msg("taken up")
	return []promotion.Input{read, promotion.Rebuilt{}}, nil
}

// aside sets a delivery aside that can never be taken.
func (l *lane) aside(ctx context.Context, d Delivery, cause error) {
	zerolog.Ctx(ctx).Warn().Err(cause).Str("delivery", d.GUID).Msg("set aside")
	if err := l.w.Log.SetAside(ctx, d, cause.Error()); err != nil {
		zerolog.Ctx(ctx).Error().Err(err).Str("delivery", d.GUID).Msg("it could not be set aside, and comes again")
	}
	l.untake(d)
}

// retry lets one delivery come again later; those behind it go on.
func (l *lane) retry(ctx context.Context, d Delivery, cause error) {
	after := promotion.Pause(d.Tries + 1)
	if wait, ok := promotion.WaitOf(cause); ok {
		after = wait
	}
	zerolog.Ctx(ctx).Warn().Err(cause).Str("delivery", d.GUID).Dur("after", after).Msg("it comes again")
	if err := l.w.Log.Retry(ctx, d, after, cause.Error()); err != nil {
		zerolog.Ctx(ctx).Error().Err(err).Str("delivery", d.GUID).Msg("it comes again when its time with us is over")
	}
	l.untake(d)
}

func (l *lane) untake(d Delivery) {
	l.taken = slices.DeleteFunc(l.taken, func(t Delivery) bool { return t.GUID == d.GUID })
}
