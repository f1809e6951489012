package promotion

import (
	"slices"
	"strconv"
	"strings"
)

// A repository may have hundreds of pipelines, and a push concerns those that wrote, or
// are about to write, a file which it touches. Places find them without a walk over
// the others: for each key the pipelines that have something there. They are made from
// the state when somebody asks first, and follow its changes from then on.
//
// A Places is never changed, as the state that it is of. Its shards are shared with the
// one before, but for those that a change is in, so a change costs the same among
// however many.
type Places struct {
	shards [placeShards]map[string][]string // key → pipelines, each as often as it said so
}

const placeShards = 256

// The kinds of keys, in front of what they are about.
const (
	placeFile   = "f/" // a file that a stage holds, or that a live promotion changes
	placeFolder = "d/" // a folder that such a file is in
	placePull   = "#"  // the number of a promotion's pull request
	placeRace   = "r/" // the branch under which a merge lost a race
	placeAny    = "*"  // a live promotion of which it is not known what it changes
)

// placeShard hashes by FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
func placeShard(key string) int {
	h := uint32(2166136261)
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return int(h % placeShards)
}

// at are the pipelines that have something under a key.
func (p *Places) at(key string) []string { return p.shards[placeShard(key)][key] }

// placing changes places: of each shard that it changes it makes a copy first.
type placing struct {
	*Places
	owned [placeShards]bool
}

func (p *placing) shard(key string) map[string][]string {
	i := placeShard(key)
	if !p.owned[i] {
		p.shards[i], p.owned[i] = cloneMap(p.shards[i]), true
	}
	return p.shards[i]
}

func (p *placing) add(key, pipeline string) {
	shard := p.shard(key)
	shard[key] = append(slices.Clip(slices.Clone(shard[key])), pipeline)
}

func (p *placing) remove(key, pipeline string) {
	shard := p.shard(key)
	list := slices.Clone(shard[key])
	if i := slices.Index(list, pipeline); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	if shard[key] = list; len(list) == 0 {
		delete(shard, key)
	}
}

// pathKeys are those of files: themselves, and all folders that they are in.
func pathKeys(files []string) (out []string) {
	for _, file := range files {
		out = append(out, placeFile+file)
		for i := range file {
			if file[i] == '/' {
				out = append(out, placeFolder+file[:i])
			}
		}
	}
	return out
}

// touchedKeys are those under which a file stands that one of the paths touches, as
// touching means it: the file itself, what stands where a folder on its way was, and
// what stands in a folder where it was.
func touchedKeys(commits []PushedCommit) (out []string) {
	for _, k := range commits {
		for _, path := range k.Paths {
			out = append(out, placeFile+path, placeFolder+path)
			for i := range path {
				if path[i] == '/' {
					out = append(out, placeFile+path[:i])
				}
			}
		}
	}
	return out
}

// holds is what a stage holds; nil: nothing.
func (st *StageState) holds() *Landing {
	if st == nil {
		return nil
	}
	return st.Current
}

// placeKeys are those of what a stage holds.
func (l *Landing) placeKeys() []string {
	if l == nil {
		return nil
	}
	return pathKeys(l.Files)
}

// placeKeys are those of a promotion.
func (p *Promotion) placeKeys() (out []string) {
	if p.PullRequest != nil && p.PullRequest.Number != 0 {
		out = append(out, placePull+strconv.Itoa(p.PullRequest.Number))
	}
	if p.Raced {
		out = append(out, placeRace+p.Plan.Branch)
	}
	switch {
	case p.Phase.Terminal():
	case len(p.Changes) == 0 || len(p.Changes) >= maxChanges:
		out = append(out, placeAny)
	default:
		out = append(out, pathKeys(p.paths())...)
	}
	return out
}

// follow takes that a pipeline's state became another one; nil: there was none.
func (p *placing) follow(name string, before, now *PipelineState) {
	if before == nil {
		before = &PipelineState{}
	}
	for stage, st := range before.Stages {
		if now.Stages[stage].holds() != st.holds() {
			p.each(p.remove, name, st.holds().placeKeys())
		}
	}
	for stage, st := range now.Stages {
		if before.Stages[stage].holds() != st.holds() {
			p.each(p.add, name, st.holds().placeKeys())
		}
	}
	was := map[*Promotion]bool{}
	for _, pr := range before.Promotions {
		was[pr] = true
	}
	for _, pr := range now.Promotions {
		if was[pr] {
			delete(was, pr)
			continue
		}
		p.each(p.add, name, pr.placeKeys())
	}
	for pr := range was {
		p.each(p.remove, name, pr.placeKeys())
	}
}

func (p *placing) each(do func(key, pipeline string), name string, keys []string) {
	for _, key := range keys {
		do(key, name)
	}
}

// StalePlaces are the keys under which the places of a state have something else than
// the state does: there is none, and tests hold every decision to that.
func (s *State) StalePlaces() (keys []string) {
	if s.Local.Places == nil {
		return nil
	}
	fresh := placesOf(s)
	for i, shard := range fresh.shards {
		known := s.Local.Places.shards[i]
		if len(shard) == 0 && len(known) == 0 {
			continue
		}
		for key, want := range shard {
			if !slices.Equal(slices.Sorted(slices.Values(known[key])), slices.Sorted(slices.Values(want))) {
				keys = append(keys, key)
			}
		}
		for key := range known {
			if shard[key] == nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func placesOf(s *State) *Places {
	p := &placing{Places: &Places{}}
	for name, ps := range s.Pipelines {
		p.follow(name, nil, ps)
	}
	return p.Places
}

// placesNow are those of the state that the run was given.
func (c *core) placesNow() *Places {
	if c.given.Local.Places == nil {
		c.given.Local.Places = placesOf(c.given)
	}
	return c.given.Local.Places
}

// somewhere are the pipelines that have something under one of the keys, and those that
// changed in this run: each once, in order of name.
func (c *core) somewhere(keys ...string) []string {
	places := c.placesNow()
	out := sortedKeys(c.ownPipe)
	for _, key := range keys {
		out = append(out, places.at(key)...)
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}

// keepPlaces lets the places follow what changed in this run, if anybody asked for them.
func (c *core) keepPlaces() {
	before := c.given.Local.Places
	if before == nil || len(c.ownPipe) == 0 {
		c.state.Local.Places = before
		return
	}
	next := *before
	p := &placing{Places: &next}
	for name := range c.ownPipe {
		p.follow(name, c.given.Pipelines[name], c.state.Pipelines[name])
	}
	c.state.Local.Places = p.Places
}
