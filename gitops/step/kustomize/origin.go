package kustomize

import (
	"regexp"
	"strconv"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// remotePath is a path that leads to a place other than the workspace: no folder of
// a workspace is as deep.
var remotePath = regexp.MustCompile(`^(?:\.\./){40,}remote/(\d+)(?:/(.*))?$`)

// annotate has the annotations that `buildMetadata` asks for name what is elsewhere as
// Kustomize does.
func (t *tree) annotate(built resmap.ResMap) error {
	if len(t.places) == 1 {
		return nil
	}
	for _, res := range built.Resources() {
		origin, err := res.GetOrigin()
		if err == nil && origin != nil && t.correct(origin) {
			err = res.SetOrigin(origin)
		}
		if err == nil {
			err = t.transformations(res)
		}
		if err != nil {
			return step.Refuse("write where %s comes from: %w", res.CurId(), err)
		}
	}
	return nil
}

func (t *tree) transformations(res *resource.Resource) error {
	all, err := res.GetTransformations()
	if err != nil || len(all) == 0 {
		return err
	}
	changed := false
	for _, each := range all {
		changed = t.correct(each) || changed
	}
	if !changed {
		return nil
	}
	if err := res.ClearTransformations(); err != nil {
		return err
	}
	for _, each := range all {
		if err := res.AddTransformation(each); err != nil {
			return err
		}
	}
	return nil
}

// correct names the repository in place of where its commit stands in our view.
func (t *tree) correct(o *resource.Origin) (changed bool) {
	for _, p := range []*string{&o.Path, &o.ConfiguredIn} {
		m := remotePath.FindStringSubmatch(*p)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n >= len(t.places) {
			continue
		}
		from := t.places[n].origin
		*p, o.Repo, o.Ref, changed = m[2], from.repo, from.ref, true
	}
	return changed
}
