package ghsim

import (
	"fmt"
	"strings"
)

// site is the committer of what is done in the web or by the API.
func (s *Sim) site() Signature {
	return Signature{Name: "GitHub", Email: "noreply@github.com", When: s.now()}
}

func (s *Sim) signatureOf(u *user) Signature {
	return Signature{Name: u.login, Email: u.email(), When: s.now()}
}

// mergeMessage is the message as given, and by GitHub's defaults where it was not.
func (c *call) mergeMessage(i *issue, in mergeInput) (string, error) {
	title, body := fmt.Sprintf("Merge pull request #%d from %s/%s", i.number, i.headOwner(), i.pull.head), i.title
	if in.Method == "squash" {
		var err error
		if title, body, err = c.squashMessage(i); err != nil {
			return "", err
		}
	}
	if in.Title != "" {
		title = in.Title
	}
	if in.Message != "" {
		body = in.Message
	}
	return strings.TrimSpace(title + "\n\n" + body), nil
}

// squashMessage is that of the only commit, or the title of the pull request over a list of all.
func (c *call) squashMessage(i *issue) (title, body string, err error) {
	commits, err := c.logOf(c.repo, "--reverse", i.pull.forkPoint+".."+i.pull.headSHA)
	if err != nil {
		return "", "", err
	}
	if len(commits) == 1 {
		title, body, _ = strings.Cut(commits[0].Message, "\n")
		return fmt.Sprintf("%s (#%d)", title, i.number), strings.TrimSpace(body), nil
	}
	for _, commit := range commits {
		body += "* " + commit.Message + "\n\n"
	}
	return fmt.Sprintf("%s (#%d)", i.title, i.number), strings.TrimSpace(body), nil
}
