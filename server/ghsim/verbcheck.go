package ghsim

import "net/http"

// SetStatus sets a commit status: context is its name, state error, failure, pending or success.
func (p hands) SetStatus(repo Repo, sha, context, state, description string) error {
	in := obj{"context": context, "state": state, "description": description}
	return p.Do(http.MethodPost, p.at(repo, "/statuses/%s", sha), in, nil)
}

// StartCheck makes a check run of the bot that is in progress, and gives its ID.
func (b Bot) StartCheck(repo Repo, sha, name string) (int64, error) {
	return b.makeCheck(repo, obj{"name": name, "head_sha": sha, "status": "in_progress"})
}

// Check makes a check run of the bot that is completed with a conclusion, and gives its ID.
func (b Bot) Check(repo Repo, sha, name, conclusion string) (int64, error) {
	return b.makeCheck(repo, obj{"name": name, "head_sha": sha, "conclusion": conclusion})
}

func (b Bot) makeCheck(repo Repo, in obj) (int64, error) {
	var out struct{ ID int64 }
	err := b.Do(http.MethodPost, b.at(repo, "/check-runs"), in, &out)
	return out.ID, err
}

// EndCheck completes a check run of the bot.
func (b Bot) EndCheck(repo Repo, id int64, conclusion string) error {
	return b.Do(http.MethodPatch, b.at(repo, "/check-runs/%d", id), obj{"conclusion": conclusion}, nil)
}

// ReopenCheck sets a check run of the bot back to in progress, as after a rerun.
func (b Bot) ReopenCheck(repo Repo, id int64) error {
	return b.Do(http.MethodPatch, b.at(repo, "/check-runs/%d", id), obj{"status": "in_progress"}, nil)
}

// RerunCheck asks the App that made a completed check run to do it again; that App hears of it.
func (p hands) RerunCheck(repo Repo, id int64) error {
	return p.Do(http.MethodPost, p.at(repo, "/check-runs/%d/rerequest", id), nil, nil)
}

// RerunChecks asks an App to do all its checks of a suite again; that App hears of it.
func (p hands) RerunChecks(repo Repo, suite int64) error {
	return p.Do(http.MethodPost, p.at(repo, "/check-suites/%d/rerequest", suite), nil, nil)
}
