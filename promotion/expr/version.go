package expr

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// version is what semverParse gives: its methods are those that Kargo documents.
type version struct{ v semver.Version }

func (s version) Major() int         { return int(s.v.Major()) }
func (s version) Minor() int         { return int(s.v.Minor()) }
func (s version) Patch() int         { return int(s.v.Patch()) }
func (s version) Prerelease() string { return s.v.Prerelease() }
func (s version) Metadata() string   { return s.v.Metadata() }
func (s version) IncMajor() version  { return version{s.v.IncMajor()} }
func (s version) IncMinor() version  { return version{s.v.IncMinor()} }
func (s version) IncPatch() version  { return version{s.v.IncPatch()} }
func (s version) String() string     { return s.v.String() }

func semverParse(args ...any) (any, error) {
	s, err := texts("semverParse", args[0])
	if err != nil {
		return nil, err
	}
	v, err := semver.NewVersion(s[0])
	if err != nil {
		return nil, fmt.Errorf("semverParse: %q is no semantic version", abbreviate(s[0]))
	}
	return version{*v}, nil
}

// semverDiff names the first part in which two versions differ.
func semverDiff(args ...any) (any, error) {
	s, err := texts("semverDiff", args...)
	if err != nil {
		return nil, err
	}
	a, errA := semver.NewVersion(s[0])
	b, errB := semver.NewVersion(s[1])
	switch {
	case errA != nil || errB != nil:
		return "Incomparable", nil
	case a.Major() != b.Major():
		return "Major", nil
	case a.Minor() != b.Minor():
		return "Minor", nil
	case a.Patch() != b.Patch():
		return "Patch", nil
	case a.Metadata() != b.Metadata():
		return "Metadata", nil
	}
	return "None", nil
}
