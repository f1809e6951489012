package dashboard

import (
	"html/template"
	"slices"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// repoPage is one pipeline of a repository, with what the repository needs.
type repoPage struct {
	Name      string
	URL       string // on GitHub
	Issue     string // the tracking issue; empty: there is none
	Idle      string
	Needs     []string
	Held      []string
	Pipelines []string
	Pipeline  *ledger.PipelineSheet // nil: there is none yet
	Graph     template.HTML         // empty: it cannot be drawn
	Grouped   bool                  // stages share boxes
	Aside     []Aside               // events of this repository that were set aside
	Write     bool                  // who looks may know why
}

// mostEnded is how many promotions that ended a page lists.
const mostEnded = 20

// repository is the page of a repository: of the pipeline in the address, or of its first.
func (v *visit) repository() error {
	s, revision, err := v.state()
	if err != nil {
		return err
	}
	sheet := ledger.SheetOf(s, v.links, v.now())
	name := v.repo.FullName()
	page := repoPage{
		Name: name, URL: v.links.Repo(name), Idle: sheet.Idle, Needs: sheet.Needs, Held: sheet.Held, Aside: v.aside(), Write: v.write,
	}
	if s.Issue > 0 {
		page.Issue = v.links.Issue(name, s.Issue)
	}
	for i := range sheet.Pipelines {
		page.Pipelines = append(page.Pipelines, sheet.Pipelines[i].Name)
	}
	if wanted := v.r.PathValue("pipeline"); wanted != "" && !slices.Contains(page.Pipelines, wanted) {
		return errMissing
	} else if len(sheet.Pipelines) > 0 {
		at := max(0, slices.Index(page.Pipelines, wanted))
		page.Pipeline = &sheet.Pipelines[at]
		page.Pipeline.Ended = page.Pipeline.Ended[:min(len(page.Pipeline.Ended), mostEnded)]
		page.Graph, page.Grouped = draw(page.Pipeline)
	}
	return v.pageLive("repository", name, revision, page)
}

// aside are the repository's events that were set aside. Their reasons are for who may
// push: they are errors of the server's, which strangers have no use for.
func (v *visit) aside() []Aside {
	if v.opts.Aside == nil {
		return nil
	}
	all, err := v.opts.Aside(v.r.Context())
	if err != nil {
		zerolog.Ctx(v.r.Context()).Warn().Err(err).Msg("the events that were set aside could not be listed for the dashboard")
	}
	own := slices.DeleteFunc(slices.Clone(all), func(a Aside) bool { return a.Repo != v.repo.ID })
	if !v.write {
		for i := range own {
			own[i].Reason = ""
		}
	}
	return own
}
