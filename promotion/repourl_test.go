package promotion_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// One repository, however its address is written, and what is none.
func TestAddressesOfRepositories(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/acme/gitops.git":             "acme/gitops",
		"https://github.com/acme/gitops":                 "acme/gitops",
		"https://GitHub.com/Acme/GitOps/":                "Acme/GitOps",
		"https://github.com:443/acme/gitops":             "acme/gitops",
		"https://x-access-token:abc@github.com/acme/a.b": "acme/a.b",
		"https://user:p@ss@github.com/acme/gitops":       "acme/gitops",
		"git@github.com:acme/gitops.git":                 "acme/gitops",
		"github.com:acme/gitops":                         "acme/gitops",
		"ssh://git@github.com:22/acme/gitops":            "acme/gitops",
		" acme/gitops ":                                  "acme/gitops",
		"acme/.github":                                   "acme/.github",
		"acme/gitops.git":                                "acme/gitops",
		"https://example.com/acme/gitops":                "",
		"https://github.com.example.com/acme/gitops":     "",
		"https://github.com@example.com/acme/gitops":     "",
		"git@example.com:acme/gitops.git":                "",
		"https://github.com/acme/gitops/tree/main":       "",
		"https://github.com/acme/gitops?ref=main":        "",
		"https://github.com/acme/gitops#main":            "",
		"https://github.com/acme/..":                     "",
		"https://github.com/../acme":                     "",
		"https://github.com/acme":                        "",
		"https:///acme/gitops":                           "",
		"acme":                                           "",
		"acme/":                                          "",
		"/":                                              "",
		"":                                               "",
		"://":                                            "",
		"acme/git ops":                                   "",
		"acme/gitops\n":                                  "acme/gitops",
		"file:///acme/gitops":                            "",
	} {
		got, ok := promotion.RepoAt("https://github.com/", address)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", address, got, ok)
		}
	}
	for web, address := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:9/acme/gitops", "http://[::1]:8080": "http://[::1]/acme/gitops", "https://ghe.acme.com": "git@ghe.acme.com:acme/gitops.git",
	} {
		if got, ok := promotion.RepoAt(web, address); !ok || got != "acme/gitops" {
			t.Errorf("%s on %s: %q, %v", address, web, got, ok)
		}
		if _, ok := promotion.RepoAt(web, "https://github.com/acme/gitops"); ok {
			t.Errorf("github.com is taken for %s", web)
		}
	}
}
