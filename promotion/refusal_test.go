package promotion_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// What expressions gave is judged once more: keys of Kargo that Stagecoach does not have
// are refused by name, with what to do.
func TestRefusedKeys(t *testing.T) {
	for config, want := range map[string]string{
		`git-push {"force": true}`:                                              "`force` cannot be used in the config of git-push: a push never goes over somebody's commit",
		`git-push {"force": false, "tag": "v1"}`:                                "",
		`git-push {"force": null}`:                                              "`force`",
		`git-tag {"tag": "v1", "force": true}`:                                  "a tag is never moved",
		`git-tag {"tag": "v1", "tagger": {"name": "a", "signingKey": "k"}}`:     "`signingKey` cannot be used in the config of git-tag: no key of yours is kept here; `commits: {verified: true}`",
		`git-commit {"author": {"name": "a", "email": "b", "signingKey": "k"}}`: "`signingKey` cannot be used in the config of git-commit",
		`git-commit {"author": {"name": "a", "email": "b", "signingKey": ""}}`:  "",
		`git-clone {"checkout": [{"path": "a"}, {"sparse": ["b"]}]}`:            "`sparse` cannot be used in the config of git-clone: all folders are there",
		`git-clone {"checkout": [{"sparse": []}], "recurseSubmodules": false}`:  "",
		`git-clone {"recurseSubmodules": true}`:                                 "submodules are left as they are",
		`git-clone {"insecureSkipTLSVerify": true}`:                             "certificate is always verified",
		`git-clone {"author": {"name": "a"}}`:                                   "name the author in `git-commit`",
		`git-clone `:                                                            "",
		`git-clone []`:                                                          "",
		`git-clone {"checkout"`:                                                 "",
		`no-such-step {"a": 1}`:                                                 "",
	} {
		uses, raw, _ := strings.Cut(config, " ")
		err := promotion.KindOf(uses).Refuses(json.RawMessage(raw))
		switch {
		case want == "" && err != nil, want != "" && err == nil:
			t.Errorf("%s: %v", config, err)
		case err != nil && (!promotion.IsTerminal(err) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", config, err, want)
		}
	}
}
