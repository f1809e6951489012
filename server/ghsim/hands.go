package ghsim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// hands are those of a person, or of a bot: what both can do, each with their own credential.
type hands struct {
	sim   *Sim
	login string
	inst  int64 // of a bot
}

// secret is the credential that the hands show.
func (p hands) secret() (string, error) {
	if p.inst == 0 {
		return p.sim.AddUser(p.login), nil
	}
	return p.sim.botToken(p.inst)
}

// Do sends one REST request with the credential and decodes a 2xx answer into out, unless that is nil. path is below /api/v3.
func (p hands) Do(method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s %s as %s: %w", method, path, p.login, err)
	}
	if in == nil {
		body = nil
	}
	secret, err := p.secret()
	if err != nil {
		return fmt.Errorf("%s %s as %s: %w", method, path, p.login, err)
	}
	req, err := http.NewRequest(method, "/api/v3"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s as %s: %w", method, path, p.login, err)
	}
	req.Header.Set("Authorization", "token "+secret)
	answer := &memoryWriter{header: http.Header{}}
	p.sim.ServeHTTP(answer, req)
	return p.read(req, answer, out)
}

func (p hands) read(req *http.Request, answer *memoryWriter, out any) error {
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
func (p hands) at(repo Repo, format string, args ...any) string {
	now, found := p.sim.RepoByID(repo.ID)
	if !found {
		now = repo
	}
	return "/repos/" + now.FullName() + fmt.Sprintf(format, args...)
}
