package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var repoName = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)

func badRepo(s string) string {
	if repoName.MatchString(s) {
		return ""
	}
	return fmt.Sprintf("%q is no repository of this GitHub; write OWNER/NAME", s)
}

// badBranch follows git check-ref-format
// (https://git-scm.com/docs/git-check-ref-format).
func badBranch(s string) string {
	switch {
	case strings.HasPrefix(s, "refs/"):
		return fmt.Sprintf("%q is a full reference; write the branch alone, as in %q", s, strings.TrimPrefix(s, "refs/heads/"))
	case s == "@", strings.HasPrefix(s, "-"), strings.HasPrefix(s, "/"), strings.HasSuffix(s, "/"), strings.HasSuffix(s, "."),
		strings.Contains(s, ".."), strings.Contains(s, "//"), strings.Contains(s, "@{"),
		strings.ContainsAny(s, " ~^:?*[\\"), strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Sprintf("%q is no name that git allows for a branch", s)
	}
	for part := range strings.SplitSeq(s, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return fmt.Sprintf("%q is no name that git allows for a branch: no part may begin with . or end with .lock", s)
		}
	}
	return ""
}

var (
	alias    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	reserved = regexp.MustCompile(`^(step|task)-\d+$`)
)

func badAlias(s string) string {
	switch {
	case reserved.MatchString(s):
		return fmt.Sprintf("the name %q is what a step without `as` is called; choose another", s)
	case !alias.MatchString(s):
		return fmt.Sprintf("the name %q may hold only letters, digits, - and _, at most 40", s)
	}
	return ""
}

// badEnvironment refuses what GitHub takes for no environment's name: at most 255
// characters. https://docs.github.com/en/rest/deployments/environments
func badEnvironment(s string) string {
	switch {
	case utf8.RuneCountInString(s) > 255:
		return "the name of an environment has at most 255 characters"
	case strings.TrimSpace(s) != s, strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Sprintf("the name of an environment %q begins or ends with a space, or holds characters that cannot be seen", s)
	}
	return ""
}

func badCount(s string) string {
	if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= 100 {
		return ""
	}
	return fmt.Sprintf("%s is not a number from 1 to 100", s)
}

// within refuses numbers that are too small or, unless most is 0, too large. What is
// no number has been refused.
func within(least, most int) func(string) string {
	return func(s string) string {
		switch n, err := strconv.Atoi(s); {
		case err == nil && n < least:
			return fmt.Sprintf("%s is too small; at least %d is allowed", s, least)
		case most > 0 && (err != nil || n > most):
			return fmt.Sprintf("%s is too large; at most %d is allowed", s, most)
		}
		return ""
	}
}

// badRepository refuses what no repository's address can be.
func badRepository(s string) string {
	if _, _, ok := promotion.ParseRepoURL(s); !ok {
		return fmt.Sprintf("%q leads to no repository; write https://github.com/OWNER/NAME, or OWNER/NAME", shorten(s))
	}
	return ""
}

func badDuration(s string) string {
	_, err := parseDuration(s)
	if err != nil {
		return err.Error()
	}
	return ""
}

// badPath refuses patterns that no path of a repository fits.
func badPath(s string) string {
	switch {
	case strings.HasPrefix(s, "!"):
		return fmt.Sprintf("%q: paths are not taken out with !; write them under `ignore`", s)
	case s == "." || s == "/" || s == "./":
		return fmt.Sprintf("%q is no path; for all of them leave the list out", s)
	case strings.HasPrefix(s, "./"):
		return fmt.Sprintf("%q: paths begin at the root of the repository; write %s", s, strings.TrimPrefix(s, "./"))
	case s == ".." || strings.HasPrefix(s, "../") || strings.Contains(s, "/../") || strings.HasSuffix(s, "/.."):
		return fmt.Sprintf("%q: paths begin at the root of the repository, and there is nothing above", s)
	}
	return ""
}
