package promotion

import "strings"

// elsewhere says of steps that Kargo has, and Stagecoach has not, what does their work
// here: https://docs.kargo.io/user-guide/reference-docs/promotion-steps
var elsewhere = map[string]string{
	"argocd-update":         "Argo CD follows the branch by itself; to wait for it, name its check in `verify` or in the next stage's gate `checks`",
	"argocd-wait":           "to wait for Argo CD, name its check in `verify` or in the next stage's gate `checks`",
	"get-user-input":        "to ask a person, use the gate `approvals`",
	"wait-for-approval":     "to ask a person, use the gate `approvals`",
	"github-push":           "git-push pushes; with `commits: {verified: true}` GitHub signs what it pushes",
	"github-sign":           "with `commits: {verified: true}` GitHub signs the commits",
	"github-verified-push":  "git-push pushes; with `commits: {verified: true}` GitHub signs what it pushes",
	"gha-dispatch-workflow": "a workflow starts by itself on the push; to wait for it, name its check in `verify` or in a gate `checks`",
	"gha-wait-for-workflow": "to wait for a workflow, name its check in `verify` or in a gate `checks`",
	"set-freight-alias":     "the alias of freight derives from what it holds",
	"http":                  callsNobody,
	"http-download":         callsNobody,
	"jfrog-evidence":        callsNobody,
	"jira":                  callsNobody,
	"kcl-run":               "only Kustomize and Helm render here",
	"oci-download":          callsNobody,
	"oci-push":              callsNobody,
	"record-audit-event":    "the tracking issue and the check runs are the record",
	"send-message":          "GitHub tells those who follow the tracking issue or the pull request",
	"servicenow":            callsNobody,
	"tar":                   "git holds files; let a workflow pack them",
	"untar":                 "git holds files; commit what the archive holds",
}

const callsNobody = "steps call no other services; let a workflow do so on the promotion's commit, and name its check in `verify`"

// elsewhereFamilies are the beginnings of names of several such steps.
var elsewhereFamilies = map[string]string{
	"gh-":   "the tracking issue and the pull request say what happens; steps write no other issues or comments",
	"snow-": callsNobody,
	"tf-":   "let a workflow apply the change on the promotion's commit, and name its check in `verify`",
}

// InsteadOf says what does the work of a step of Kargo's that there is not here, as the
// end of a sentence; "": nothing is known of it.
func InsteadOf(uses string) string {
	if text, ok := elsewhere[uses]; ok {
		return text
	}
	for start, text := range elsewhereFamilies {
		if strings.HasPrefix(uses, start) {
			return text
		}
	}
	return ""
}
