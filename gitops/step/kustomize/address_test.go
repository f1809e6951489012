package kustomize

import (
	"net/url"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]address{
		"github.com/acme/base":                              {url: "https://github.com/acme/base", dir: ".", git: true},
		"github.com:acme/base//a/b":                         {url: "https://github.com/acme/base", dir: "a/b", git: true},
		"GitHub.com/acme/base/a/b?ref=v1":                   {url: "https://github.com/acme/base", dir: "a/b", ref: "v1", git: true},
		"git::https://github.com/acme/base//a?version=v1":   {url: "https://github.com/acme/base", dir: "a", ref: "v1", git: true},
		"https://github.com/acme/base.git/a?ref=v1":         {url: "https://github.com/acme/base.git", dir: "a", ref: "v1", git: true},
		"https://dev.azure.com/o/p/_git/repo/a/b?ref=v1":    {url: "https://dev.azure.com/o/p/_git/repo", dir: "a/b", ref: "v1", git: true},
		"https://git.example.com/a/b/c.git?timeout=9s":      {url: "https://git.example.com/a/b/c.git", dir: ".", git: true},
		"https://git.example.com/a/b/c//d?submodules=false": {url: "https://git.example.com/a/b/c", dir: "d", git: true},
		"https://github.com/acme/base/releases/a.yaml":      {url: "https://github.com/acme/base/releases/a.yaml"},
		"https://example.com/a":                             {url: "https://example.com/a"},
		"HTTPS://Example.com/a.yaml?x=y#z":                  {url: "https://example.com/a.yaml?x=y"},
	} {
		if got, err := parseAddress(text, false); err != nil || got != want {
			t.Errorf("%s is %+v (%v), want %+v", text, got, err, want)
		}
	}
}

// FuzzAddress: what is read is a plain address that leads nowhere upwards, and nobody logs in.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"github.com/acme/base?ref=v1", "git@github.com:a/b", "https://u:p@h/a//b", "git::git::https://h/_git/x", "https://h/a.git/../b", "github.com", "https://[::1]:80/a/b", "http://%2e%2e/a/b"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, folder bool) {
		a, err := parseAddress(text, folder)
		if err != nil {
			return
		}
		u, err := url.Parse(a.url)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || a.git && u.RawQuery != "" || folder && !a.git {
			t.Errorf("%q is %+v", text, a)
		}
		if a.git && (climbs(a.dir) || climbs(u.Path) || strings.HasPrefix(a.dir, "/") || strings.HasPrefix(a.ref, "-")) {
			t.Errorf("%q leads to %+v", text, a)
		}
	})
}
