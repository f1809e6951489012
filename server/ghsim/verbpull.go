package ghsim

import (
	"fmt"
	"net/http"
)

// Approve submits an approving review of the present head, and gives its ID.
func (p hands) Approve(repo Repo, number int) (int64, error) {
	return p.review(repo, number, "APPROVE", "")
}

// RequestChanges submits a review that asks for changes, and gives its ID.
func (p hands) RequestChanges(repo Repo, number int, body string) (int64, error) {
	return p.review(repo, number, "REQUEST_CHANGES", body)
}

// ReviewComment submits a review that says neither yes nor no, and gives its ID.
func (p hands) ReviewComment(repo Repo, number int, body string) (int64, error) {
	return p.review(repo, number, "COMMENT", body)
}

func (p hands) review(repo Repo, number int, event, body string) (int64, error) {
	var out struct{ ID int64 }
	err := p.Do(http.MethodPost, p.at(repo, "/pulls/%d/reviews", number), obj{"event": event, "body": body}, &out)
	return out.ID, err
}

// DismissReview takes a review back, with a reason.
func (p hands) DismissReview(repo Repo, number int, id int64, reason string) error {
	return p.Do(http.MethodPut, p.at(repo, "/pulls/%d/reviews/%d/dismissals", number, id), obj{"message": reason}, nil)
}

// CreateDraft opens a draft pull request from head to base and gives its number.
func (p hands) CreateDraft(repo Repo, head, base, title, body string) (int, error) {
	var out struct{ Number int }
	err := p.Do(http.MethodPost, p.at(repo, "/pulls"), obj{"head": head, "base": base, "title": title, "body": body, "draft": true}, &out)
	return out.Number, err
}

// ReadyForReview makes a draft a pull request like others; ConvertToDraft makes it a draft again. REST has no way to do it.
func (p hands) ReadyForReview(repo Repo, number int) error { return p.setDraft(repo, number, false) }

// ConvertToDraft is the opposite of ReadyForReview.
func (p hands) ConvertToDraft(repo Repo, number int) error { return p.setDraft(repo, number, true) }

func (p hands) setDraft(repo Repo, number int, draft bool) error {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	i, err := p.openPull(repo, number)
	if err != nil {
		return err
	}
	if i.user != p.account() && !p.mayPush(i.repo) {
		return fmt.Errorf("change draft #%d: %s neither opened it nor may write to %s", number, p.login, i.repo.fullName())
	}
	p.sim.setDraft(i, draft, p.account())
	return nil
}

func (s *Sim) setDraft(i *issue, draft bool, by *user) {
	if i.pull.draft == draft {
		return
	}
	action := "ready_for_review"
	if draft {
		action = "converted_to_draft"
	}
	i.pull.draft, i.updated = draft, s.now()
	s.emitPull(i, action, obj{}, by)
}

// openPull finds an open pull request; it is called under the mutex.
func (p hands) openPull(repo Repo, number int) (*issue, error) {
	r := p.sim.repos[repo.ID]
	if r == nil || r.issues[number] == nil || r.issues[number].pull == nil || r.issues[number].state != "open" {
		return nil, fmt.Errorf("%s has no open pull request #%d", repo.FullName(), number)
	}
	return r.issues[number], nil
}
