package ghsim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Person acts as somebody does: by REST with their own token, so that what they may not do is refused, and by pushing.
type Person struct {
	sim   *Sim
	login string
}

// As gives the hands of a person; one who does not exist is made.
func (s *Sim) As(login string) Person {
	s.AddUser(login)
	return Person{sim: s, login: login}
}

// Do sends one REST request as the person and decodes a 2xx answer into out, unless that is nil. path is below /api/v3.
func (p Person) Do(method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s %s as %s: %w", method, path, p.login, err)
	}
	if in == nil {
		body = nil
	}
	req, err := http.NewRequest(method, "/api/v3"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s as %s: %w", method, path, p.login, err)
	}
	req.Header.Set("Authorization", "token "+p.sim.AddUser(p.login))
	answer := &memoryWriter{header: http.Header{}}
	p.sim.ServeHTTP(answer, req)
	return p.read(req, answer, out)
}

func (p Person) read(req *http.Request, answer *memoryWriter, out any) error {
	status := answer.statusOr200()
	if status < 200 || status > 299 {
		text, _ := io.ReadAll(io.LimitReader(&answer.body, 1000)) // memory: cannot fail
		return &Refused{Method: req.Method, Path: req.URL.Path, Login: p.login, Status: status, Body: string(text)}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.body.Bytes(), out); err != nil {
		return fmt.Errorf("%s %s as %s: answer: %w", req.Method, req.URL.Path, p.login, err)
	}
	return nil
}

// at is the path of something in a repository, under its present name.
func (p Person) at(repo Repo, format string, args ...any) string {
	now, found := p.sim.RepoByID(repo.ID)
	if !found {
		now = repo
	}
	return "/repos/" + now.FullName() + fmt.Sprintf(format, args...)
}

// Comment writes a comment on an issue or pull request and gives its ID.
func (p Person) Comment(repo Repo, number int, body string) (int64, error) {
	var out struct{ ID int64 }
	err := p.Do(http.MethodPost, p.at(repo, "/issues/%d/comments", number), obj{"body": body}, &out)
	return out.ID, err
}

// EditComment changes a comment, their own or with write access anybody's.
func (p Person) EditComment(repo Repo, id int64, body string) error {
	return p.Do(http.MethodPatch, p.at(repo, "/issues/comments/%d", id), obj{"body": body}, nil)
}

// CreateIssue opens an issue and gives its number.
func (p Person) CreateIssue(repo Repo, title, body string) (int, error) {
	var out struct{ Number int }
	err := p.Do(http.MethodPost, p.at(repo, "/issues"), obj{"title": title, "body": body}, &out)
	return out.Number, err
}

// EditIssue changes fields of an issue: title, body, state, labels.
func (p Person) EditIssue(repo Repo, number int, fields map[string]any) error {
	return p.Do(http.MethodPatch, p.at(repo, "/issues/%d", number), fields, nil)
}

// CreatePR opens a pull request from head to base and gives its number.
func (p Person) CreatePR(repo Repo, head, base, title, body string) (int, error) {
	var out struct{ Number int }
	err := p.Do(http.MethodPost, p.at(repo, "/pulls"), obj{"head": head, "base": base, "title": title, "body": body}, &out)
	return out.Number, err
}

// ClosePR closes a pull request without merging it.
func (p Person) ClosePR(repo Repo, number int) error {
	return p.Do(http.MethodPatch, p.at(repo, "/pulls/%d", number), obj{"state": "closed"}, nil)
}

// Merge merges a pull request by merge, squash or rebase, and gives the commit.
func (p Person) Merge(repo Repo, number int, method string) (string, error) {
	var out struct{ SHA string }
	err := p.Do(http.MethodPut, p.at(repo, "/pulls/%d/merge", number), obj{"merge_method": method}, &out)
	return out.SHA, err
}

// Role is the person's role on a repository: admin, maintain, write, triage, read or none.
func (p Person) Role(repo Repo) string {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	r := p.sim.repos[repo.ID]
	if r == nil {
		return roleNone.String()
	}
	return r.roleOf(p.sim.users[strings.ToLower(p.login)]).String()
}

// People lists the logins of all persons.
func (s *Sim) People() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, u := range s.users {
		if u.kind == "User" {
			out = append(out, u.login)
		}
	}
	slices.Sort(out)
	return out
}
