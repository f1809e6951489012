package ghsim

import "net/http"

// Comment writes a comment on an issue or pull request and gives its ID.
func (p hands) Comment(repo Repo, number int, body string) (int64, error) {
	var out struct{ ID int64 }
	err := p.Do(http.MethodPost, p.at(repo, "/issues/%d/comments", number), obj{"body": body}, &out)
	return out.ID, err
}

// EditComment changes a comment, their own or with write access anybody's.
func (p hands) EditComment(repo Repo, id int64, body string) error {
	return p.Do(http.MethodPatch, p.at(repo, "/issues/comments/%d", id), obj{"body": body}, nil)
}

// CreateIssue opens an issue and gives its number.
func (p hands) CreateIssue(repo Repo, title, body string) (int, error) {
	var out struct{ Number int }
	err := p.Do(http.MethodPost, p.at(repo, "/issues"), obj{"title": title, "body": body}, &out)
	return out.Number, err
}

// EditIssue changes fields of an issue: title, body, state, labels.
func (p hands) EditIssue(repo Repo, number int, fields map[string]any) error {
	return p.Do(http.MethodPatch, p.at(repo, "/issues/%d", number), fields, nil)
}

// CreatePR opens a pull request from head to base and gives its number.
func (p hands) CreatePR(repo Repo, head, base, title, body string) (int, error) {
	var out struct{ Number int }
	err := p.Do(http.MethodPost, p.at(repo, "/pulls"), obj{"head": head, "base": base, "title": title, "body": body}, &out)
	return out.Number, err
}

// ClosePR closes a pull request without merging it.
func (p hands) ClosePR(repo Repo, number int) error {
	return p.Do(http.MethodPatch, p.at(repo, "/pulls/%d", number), obj{"state": "closed"}, nil)
}

// Merge merges a pull request by merge, squash or rebase, and gives the commit.
func (p hands) Merge(repo Repo, number int, method string) (string, error) {
	var out struct{ SHA string }
	err := p.Do(http.MethodPut, p.at(repo, "/pulls/%d/merge", number), obj{"merge_method": method}, &out)
	return out.SHA, err
}
