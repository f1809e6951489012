package config

import (
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/window"
)

var (
	checkShape = shape{typ: promotion.TypeString, required: true, rule: badCheck, doc: "The name of a check run or commit status, with *, ** and ?."}
	teamsShape = shape{name: "teams", typ: promotion.TypeList, filled: true, most: 100, doc: "Teams of this organization.",
		items: &shape{typ: promotion.TypeString, required: true, rule: badTeam, doc: "A team's slug: sre, not @acme/sre."}}
	usersShape = shape{name: "users", typ: promotion.TypeList, filled: true, most: 100, doc: "People.",
		items: &shape{typ: promotion.TypeString, required: true, rule: badLogin, doc: "A login: octocat."}}
)

var gateFields = []shape{
	{name: "soak", typ: typeDuration, doc: "How long the stages of after must have verified freight before it may go on: 90s, 30m, 72h, 7d, 1h30m; default: no time."},
	{name: "checks", typ: promotion.TypeList, filled: true, most: 50, items: &checkShape, doc: "Check runs and commit statuses that must be green on what the stages of after deployed."},
	{name: "approvals", typ: promotion.TypeObject, doc: "Who must agree.", fields: []shape{
		{name: "count", typ: promotion.TypeInt, rule: badCount, doc: "How many must agree, 1 to 100; default: 1."},
		teamsShape, usersShape,
		{name: "excludeRequester", typ: promotion.TypeBool, doc: "Who asked for a promotion does not count; default: false."},
	}},
	{name: "windows", typ: promotion.TypeList, filled: true, most: 50, items: &windowShape, doc: "When promotions may start and merge: in some allow, if there is one, and in no deny."},
}

var windowShape = shape{typ: promotion.TypeObject, exactly: []string{"allow", "deny"}, fields: []shape{
	{name: "allow", typ: promotion.TypeString, rule: errorRule(window.CheckTimes), doc: "A time to promote: Mon-Fri 09:00-17:00, Sat,Sun, 22:00-06:00, 12-20..01-03 or 2026-12-20..2027-01-03."},
	{name: "deny", typ: promotion.TypeString, rule: errorRule(window.CheckTimes), doc: "A time not to promote, written as allow is."},
	{name: "timezone", typ: promotion.TypeString, rule: errorRule(window.CheckZone), doc: "Whose clock it is by, as in Europe/Berlin; default: UTC."},
}}

var verifyFields = []shape{
	{name: "checks", typ: promotion.TypeList, required: true, most: 50, items: &checkShape, doc: "Check runs and commit statuses that must be green on the commit that landed."},
	{name: "timeout", typ: typeDuration, doc: "How long that may take after landing; default: 30m."},
	{name: "onFailure", typ: promotion.TypeString, enum: []string{string(promotion.OnFailureHold), string(promotion.OnFailureRollback), string(promotion.OnFailureIgnore)},
		doc: "hold: the stage is unhealthy, and nothing goes on from it; rollback: what was verified before comes back; ignore: it counts as verified all the same; default: hold."},
}

// errorRule is a check that gives an error as a rule of a shape.
func errorRule(check func(string) error) func(string) string {
	return func(s string) string {
		if err := check(s); err != nil {
			return err.Error()
		}
		return ""
	}
}
