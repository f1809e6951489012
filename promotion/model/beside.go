package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// besideName is a second pipeline of the repository. Its stages have names that the
// first one's have too, and its freight is a commit together with an image.
const (
	besideName  = "web"
	imageSource = "image"
	imageRepo   = "ghcr.io/acme/web"
)

// besidePipeline is its config: a is promoted to by itself, b by a pull request that the
// app merges.
func besidePipeline() *promotion.Pipeline {
	steps := []promotion.Step{{Uses: "yaml-update", Config: json.RawMessage(`{"path":"envs"}`)}}
	return &promotion.Pipeline{
		Name: besideName, Path: ".github/stagecoach/web.yml",
		Sources: []promotion.Source{
			{Name: "app", Git: &promotion.GitSource{Paths: []string{"app/**"}}},
			{Name: imageSource, Image: &promotion.ImageSource{Repo: imageRepo, Poll: 24 * time.Hour}},
		},
		Stages: []promotion.Stage{
			{Name: "a", Auto: true, Deliver: promotion.DeliverCommit, Supersede: promotion.SupersedeQueued, AfterMode: promotion.AfterAll, Steps: steps},
			{
				Name: "b", Auto: true, After: []string{"a"}, Deliver: promotion.DeliverPullRequest, Supersede: promotion.SupersedeQueued, AfterMode: promotion.AfterAll,
				PullRequest: promotion.PullRequestOptions{Merge: promotion.MergeAuto}, Steps: steps,
			},
		},
	}
}

// placeOf is where on GitHub a promotion belongs: its stage, under its pipeline unless
// that is the first one.
func placeOf(p *promotion.Promotion) string { return promotion.StageRef(p.Pipeline, p.Stage) }

// imageNow is the newest version of the image.
func (h *hub) imageNow() promotion.Artifact {
	tag := fmt.Sprint("1.0.", h.image)
	return promotion.Artifact{Source: imageSource, Kind: promotion.ArtifactImage, Repo: imageRepo, Tag: tag, Digest: "sha256:" + hash("image", tag)}
}

func (s *server) lookAtImage() promotion.Result {
	now := s.imageNow()
	return promotion.Result{Artifact: &now}
}

// publish brings a new version of the image, and the registry tells of it.
func (s *server) publish() {
	s.image++
	s.say("the image %s is published", s.imageNow().Tag)
	s.emit(s.event(promotion.Moved{Watch: promotion.WatchOCI(imageRepo)}))
}

// meantStage is the stage that a word means: one that the first pipeline has not is that
// of the second, if it is there.
func (r *rules) meantStage(word string) string {
	if r.beside != nil && r.config.Stage(word) == nil && r.beside.Stage(word) != nil {
		return besideName + "/" + word
	}
	return word
}

// isBeside reports whether a stage is one of the second pipeline.
func (r *rules) isBeside(stage string) bool { return strings.HasPrefix(stage, besideName+"/") }

// besideTurns judges that of each stage of the second pipeline one promotion is under
// way (promise 1), and that what happens in it comes of its own.
func (r *rules) besideTurns() {
	ps := r.state.Pipelines[besideName]
	if ps == nil {
		return
	}
	runs := map[string]string{}
	for _, p := range ps.Promotions {
		if p.Pipeline != besideName {
			r.fail("promise 4: %s of %s is among those of %s", p.Name, p.Pipeline, besideName)
		}
		if !p.Phase.Started() {
			continue
		}
		if other := runs[p.Stage]; other != "" {
			r.fail("promise 1: %s and %s run at once", p.Name, other)
		}
		runs[p.Stage] = p.Name
	}
}

// besideRests judges the second pipeline at rest: its newest freight is known, and is
// where it goes by itself unless something kept it from there.
func (r *rules) besideRests() {
	ps := r.state.Pipelines[besideName]
	if ps == nil || r.beside == nil {
		return
	}
	if got, want := ps.Artifacts[imageSource], r.imageNow(); got.Tag != want.Tag || got.Digest != want.Digest {
		r.fail("%s: %s is not the newest image: that is %s", r.findsOut(), got.Tag, want.Tag)
	}
	if sha := r.source(ps.Artifacts["app"].Commit); sha != "" && sha != ps.Artifacts["app"].Commit {
		r.fail("%s: %s is not the newest artifact of %s: that is %s", r.findsOut(), ps.Artifacts["app"].Commit, besideName, sha)
	}
	for _, p := range ps.Promotions {
		if p.Phase.Started() {
			r.waits(p)
		}
	}
	for _, name := range []string{"a", "b"} {
		r.besideHolds(ps, name)
	}
}

// besideHolds judges what a stage of the second pipeline holds at rest: what landed
// there last.
func (r *rules) besideHolds(ps *promotion.PipelineState, stage string) {
	held := r.landed[besideName+"/"+stage]
	if len(held) == 0 {
		return
	}
	last, st := held[len(held)-1], ps.Stages[stage]
	if st == nil || st.Current == nil || st.Current.Freight != last.freight && st.Current.At.Before(last.at) {
		r.fail("%s: %s/%s holds %s by %s, which is not known", r.findsOut(), besideName, stage, last.freight[:7], last.promotion)
	}
}
