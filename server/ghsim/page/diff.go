package page

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// maxDiffLines bounds how much of one file's diff is shown.
const maxDiffLines = 1500

type diff struct {
	Files                []fileDiff
	Additions, Deletions int
	SHA                  string // of the side that is shown in full elsewhere
	Repo                 ghsim.Repo
}

type fileDiff struct {
	ghsim.FileChange
	Lines []diffLine
	More  int // lines that are left out
}

// diffLine is one line of a unified diff. Old and New are its numbers on both sides, 0 for none.
type diffLine struct {
	Kind     string // hunk, same, plus, minus, note
	Old, New int
	Text     string
}

func newDiff(changes []ghsim.FileChange, repo ghsim.Repo, sha string) diff {
	d := diff{Repo: repo, SHA: sha}
	for _, c := range changes {
		f := fileDiff{FileChange: c, Lines: parsePatch(c.Patch)}
		if len(f.Lines) > maxDiffLines {
			f.Lines, f.More = f.Lines[:maxDiffLines], len(f.Lines)-maxDiffLines
		}
		d.Files = append(d.Files, f)
		d.Additions += c.Additions
		d.Deletions += c.Deletions
	}
	return d
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

func parsePatch(patch string) []diffLine {
	if patch == "" {
		return nil
	}
	var out []diffLine
	var before, after int
	for _, text := range strings.Split(patch, "\n") {
		if m := hunkHeader.FindStringSubmatch(text); m != nil {
			before, _ = strconv.Atoi(m[1]) // digits, as matched
			after, _ = strconv.Atoi(m[2])
			out = append(out, diffLine{Kind: "hunk", Text: text})
			continue
		}
		line := diffLine{Kind: "same", Old: before, New: after}
		switch {
		case strings.HasPrefix(text, "+"):
			line.Kind, line.Old = "plus", 0
		case strings.HasPrefix(text, "-"):
			line.Kind, line.New = "minus", 0
		case strings.HasPrefix(text, `\`):
			line = diffLine{Kind: "note"}
		}
		if line.Old > 0 {
			before++
		}
		if line.New > 0 {
			after++
		}
		line.Text = strings.TrimSuffix(text[min(1, len(text)):], "\r")
		out = append(out, line)
	}
	return out
}

// Sign is what stands before the line.
func (l diffLine) Sign() string {
	return map[string]string{"plus": "+", "minus": "-"}[l.Kind]
}
