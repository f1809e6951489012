package promotion

import "slices"

// A repository may have hundreds of stages, and an event concerns one or two of
// them. So only what an event may have changed is settled: whoever changes
// something touches it, and these are the rules of what else depends on it.
//
//   - A stage that changes touches itself and those after it, which judge by what
//     it verified, when, and how it fares (see stage).
//   - A promotion that changes touches its stage. No other stage asks for it.
//   - New freight touches the stages that take it straight from the sources.
//     Those after others hear of it when a stage before them verifies it.
//   - What others' checks say touches the stages that name checks.
//   - A time that has come touches the stage that waited for it.
//   - Everything else (a config, an answer of permissions, a freeze of all stages)
//     touches all.
//
// Settle is the proof: whatever Advance left alone, it leaves alone too.

// concern is what of a pipeline has to be settled.
type concern struct {
	all     bool     // every stage, and the sources
	sources bool     // whether one is due to be looked at
	stages  []string // by name
}

func (k *concern) has(stage string) bool { return k.all || slices.Contains(k.stages, stage) }

// among are those of a pipeline's stages that are concerned, in the config's order.
func (k *concern) among(p *Pipeline) []*Stage {
	if p == nil {
		return nil
	}
	var out []*Stage
	for i := range p.Stages {
		if k.has(p.Stages[i].Name) {
			out = append(out, &p.Stages[i])
		}
	}
	return out
}

// concerned are the promotions of the stages that are concerned.
func (c *core) concerned(pipeline string, k *concern) []*Promotion {
	var out []*Promotion
	for _, p := range c.state.Pipelines[pipeline].Promotions {
		if k.has(p.Stage) {
			out = append(out, p)
		}
	}
	return out
}

func (c *core) concern(pipeline string) *concern {
	k := c.touched[pipeline]
	if k == nil {
		k = &concern{}
		c.touched[pipeline] = k
	}
	return k
}

// touch marks a stage to be settled.
func (c *core) touch(pipeline, stage string) {
	if k := c.concern(pipeline); !k.has(stage) {
		k.stages = append(k.stages, stage)
	}
}

// touchAround marks a stage that changed, and those that judge by it.
func (c *core) touchAround(pipeline, stage string) {
	c.touch(pipeline, stage)
	c.touchWhere(pipeline, func(s *Stage) bool { return slices.Contains(s.After, stage) })
}

// touchWhere marks those of a pipeline's stages that fit.
func (c *core) touchWhere(pipeline string, fits func(*Stage) bool) {
	p := c.state.Local.Config[pipeline]
	if p == nil {
		return
	}
	for i := range p.Stages {
		if fits(&p.Stages[i]) {
			c.touch(pipeline, p.Stages[i].Name)
		}
	}
}

// touchPipeline marks all of a pipeline.
func (c *core) touchPipeline(pipeline string) { c.concern(pipeline).all = true }

// touchSources marks the sources of a pipeline: one may be due to be looked at.
func (c *core) touchSources(pipeline string) { c.concern(pipeline).sources = true }

// touchAll marks everything.
func (c *core) touchAll() {
	for name := range c.state.Pipelines {
		c.touchPipeline(name)
	}
}

// touchFreight marks the stages that new freight concerns.
func (c *core) touchFreight(pipeline string) {
	c.touchWhere(pipeline, func(s *Stage) bool { return len(s.After) == 0 })
}

// touchAsking marks the stages that ask for the checks that fit.
func (c *core) touchAsking(fits func(*Stage) bool) {
	for name := range c.asking() {
		c.touchWhere(name, func(s *Stage) bool { return s.asksAny() && fits(s) })
	}
}

func (s *Stage) asksAny() bool {
	return len(s.Gates.Checks) > 0 || s.Verify != nil && len(s.Verify.Checks) > 0
}

// touchOf marks the stage of a promotion.
func (c *core) touchOf(p *Promotion) { c.touch(p.Pipeline, p.Stage) }

// touchChanged marks the stages of all promotions that changed.
func (c *core) touchChanged() {
	for p := range c.ownProm {
		c.touchOf(p)
	}
}

// touchEffect marks what an effect was for.
func (c *core) touchEffect(e *Effect) {
	if p := c.promotion(e.Promotion); p != nil {
		c.touchOf(p)
	}
	if e.Source != "" {
		c.touchSources(e.Pipeline)
	}
	if e.Kind == KindChecks { // also when they could not be read: that is an answer
		c.touchAsking(func(*Stage) bool { return true })
	}
}
