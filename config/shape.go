package config

import "github.com/stagecoach-app/stagecoach/promotion"

// Types that only whole files have, beside those of step configs.
const (
	typeAny  promotion.Type = "value"
	typeVars promotion.Type = "vars"        // an object with any members
	typeStep promotion.Type = "step config" // by the kind of the step
	// typeDuration is text, see parseDuration.
	typeDuration promotion.Type = "duration"
)

// shape describes what may stand at a place of a pipeline file. The checker and
// the schema for editors both read it.
type shape struct {
	name     string
	typ      promotion.Type
	doc      string
	required bool // a required list, text or open object must not be empty either
	template bool // may hold expressions
	enum     []string
	items    *shape
	most     int  // items of a list; 0: no bound but that of the file
	filled   bool // a list that may be left out, but not be empty
	fields   []shape
	oneOf    [][]string // groups of keys of which at most one may be given
	exactly  []string   // keys of which exactly one must be given
	open     bool       // an object that may have other keys, with any values
	blank    bool       // a required text that may be empty
	rule     func(string) string
	least    int            // of an integer of a step's config; 0: any
	greatest int            // likewise
	refused  string         // why the key must not say anything; "": it may
	form     promotion.Form // of a text of a step's config; "": any
}

var pipelineShape = shape{typ: promotion.TypeObject, fields: []shape{
	{name: "version", typ: promotion.TypeInt, required: true, enum: []string{"1"}, doc: "The version of this format: 1."},
	{name: "sources", typ: promotion.TypeList, required: true, doc: "Where new versions come from.", most: 100, items: &sourceShape},
	{name: "vars", typ: typeVars, doc: "Values for expressions, by name; a stage's own vars win."},
	{name: "commits", typ: promotion.TypeObject, doc: "How commits are made.", fields: []shape{
		{name: "verified", typ: promotion.TypeBool, doc: "Make commits through GitHub's API, which signs them; default: false."},
	}},
	{name: "stages", typ: promotion.TypeList, required: true, doc: "The places that freight is promoted to.", most: 200, items: &stageShape},
	shareShape,
}}

var sourceShape = shape{typ: promotion.TypeObject, exactly: []string{"git", "image", "chart", "release"}, fields: []shape{
	{name: "name", typ: promotion.TypeString, required: true, rule: badName, doc: "The name of the source: a-z, 0-9 and -."},
	gitShape, imageShape, chartShape, releaseShape,
}}

var globShape = shape{typ: promotion.TypeString, required: true, rule: badPath, doc: "A path, with *, ** and ?."}

var stageShape = shape{typ: promotion.TypeObject, fields: []shape{
	{name: "name", typ: promotion.TypeString, required: true, rule: badName, doc: "The name of the stage: a-z, 0-9 and -."},
	{name: "after", typ: promotion.TypeList, doc: "The stages that must have verified freight first; default: none.", most: 200, items: &shape{typ: promotion.TypeString, required: true}},
	{name: "afterMode", typ: promotion.TypeString, enum: []string{string(promotion.AfterAll), string(promotion.AfterAny)}, doc: "Whether all stages of after must have verified it, or any one; default: all."},
	{name: "promote", typ: promotion.TypeString, enum: []string{"manual", "auto"}, doc: "auto: the newest eligible freight promotes itself; default: manual."},
	{name: "branch", typ: promotion.TypeString, rule: badBranch, doc: "The branch to write; default: the default branch."},
	{name: "deliver", typ: promotion.TypeString, enum: []string{string(promotion.DeliverPullRequest), string(promotion.DeliverCommit), string(promotion.DeliverNone)}, doc: "How the change reaches the branch; default: pull-request."},
	{name: "pullRequest", typ: promotion.TypeObject, doc: "The pull request of deliver: pull-request.", fields: []shape{
		{name: "title", typ: promotion.TypeString, template: true, doc: "The title; may hold expressions."},
		{name: "body", typ: promotion.TypeString, template: true, doc: "The body; may hold expressions."},
		{name: "draft", typ: promotion.TypeBool, doc: "Open it as a draft; default: false."},
		{name: "merge", typ: promotion.TypeString, enum: []string{promotion.MergeManual, promotion.MergeAuto}, doc: "manual: people merge it; auto: the app, once gates and GitHub's required checks and reviews allow; default: manual."},
		{name: "method", typ: promotion.TypeString, enum: []string{"squash", "merge", "rebase"}, doc: "How the app merges; default: the first of these that the repository allows."},
		{name: "labels", typ: promotion.TypeList, filled: true, most: 100, items: &shape{typ: promotion.TypeString, required: true}, doc: "Labels to put on it; one that does not exist is made."},
		{name: "reviewers", typ: promotion.TypeList, filled: true, most: 15, items: usersShape.items, doc: "Logins of people to ask for a review."},
		{name: "teamReviewers", typ: promotion.TypeList, filled: true, most: 15, items: teamsShape.items, doc: "Teams to ask for a review, by slug."},
	}},
	{name: "vars", typ: typeVars, doc: "Values for expressions, by name."},
	{name: "supersede", typ: promotion.TypeString, enum: []string{string(promotion.SupersedeQueued), string(promotion.SupersedeOpen), string(promotion.SupersedeNever)}, doc: "queued: newer freight drops older automatic promotions in the queue; open: also one whose pull request is open; never: each one runs; default: queued."},
	{name: "steps", typ: promotion.TypeList, items: &stepShape, doc: "What a promotion does; without steps a stage only joins or fans out.", most: 200},
	{name: "environment", typ: promotion.TypeString, rule: badEnvironment, doc: "Record GitHub Deployments of what lands in this environment; default: none."},
	{name: "gates", typ: promotion.TypeObject, doc: "What must hold before a promotion may start or merge.", fields: gateFields},
	{name: "verify", typ: promotion.TypeObject, doc: "What must hold after it landed before freight counts as verified here; default: landing is enough.", fields: verifyFields},
	{name: "allow", typ: promotion.TypeObject, doc: "Who may promote here; default: whoever may write.", fields: []shape{teamsShape, usersShape}},
	{name: "timeout", typ: typeDuration, doc: "How long a promotion may take, from its start; default: any time."},
}}

var stepShape = shape{typ: promotion.TypeObject, fields: []shape{
	{name: "uses", typ: promotion.TypeString, required: true, doc: "The step to run."},
	{name: "as", typ: promotion.TypeString, rule: badAlias, doc: "The name under which others read its output: outputs.NAME."},
	{name: "if", typ: promotion.TypeString, doc: "An expression that says whether it runs; default: while nothing has failed."},
	{name: "config", typ: typeStep, doc: "What the step needs; values may hold expressions."},
	{name: "vars", typ: typeVars, doc: "Values for the expressions of this step, by name."},
	{name: "retry", typ: promotion.TypeObject, doc: "What to do when it errors.", fields: []shape{
		{name: "errorThreshold", typ: promotion.TypeInt, rule: badCount, doc: "How often it may error before it counts as errored, 1 to 100."},
		{name: "timeout", typ: typeDuration, doc: "How long after its first try it may be tried again; default: any time."},
	}},
	{name: "continueOnError", typ: promotion.TypeBool, doc: "Its failure is not one of the promotion; default: false."},
}}

// configShape is the shape of a step's config.
func configShape(kind *promotion.StepKind) shape { return fromField(kind.Config) }

func fromField(f promotion.Field) shape {
	s := shape{name: f.Name, typ: f.Type, doc: f.Doc, required: f.Required, template: true, enum: f.Enum, oneOf: f.OneOf, exactly: f.Exactly, open: f.Open, blank: f.MayBeEmpty, form: f.Form, refused: f.Refused}
	switch {
	case f.Form == promotion.FormPattern:
		s.rule = badPattern
	case f.Form == promotion.FormDuration:
		s.rule = badDuration
	case f.Form == promotion.FormRepository:
		s.rule = badRepository
	case f.Least > 0:
		s.rule, s.least, s.greatest = within(f.Least, f.Most), f.Least, f.Most
	}
	if f.Items != nil {
		items := fromField(*f.Items)
		s.items = &items
	}
	for _, field := range f.Fields {
		s.fields = append(s.fields, fromField(field))
	}
	return s
}

// field returns the shape of the key called name, or nil.
func (s shape) field(name string) *shape {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// names are the keys of an object.
func (s shape) names() []string {
	var out []string
	for _, f := range s.fields {
		out = append(out, f.name)
	}
	return out
}
