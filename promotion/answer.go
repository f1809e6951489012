package promotion

import (
	"fmt"
	"strings"
	"unicode"
)

// gap is invisible. It stands where GitHub would see a mention, a reference or an
// address in what the Markdown gives.
const gap = "\u200b"

// unlinked breaks what GitHub makes links of by itself.
// https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
var unlinked = strings.NewReplacer("://", ":"+gap+"//", "www.", "www"+gap+".", "WWW.", "WWW"+gap+".", "GH-", "GH"+gap+"-", "gh-", "gh"+gap+"-", "Gh-", "Gh"+gap+"-",
	"/issues/", "/issues/"+gap, "/pull/", "/pull/"+gap, "/pulls/", "/pulls/"+gap, "/discussions/", "/discussions/"+gap)

// seen drops what a reader cannot see, or would see elsewhere.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}

// plain makes a word from outside safe inside backticks and sentences: no
// markup, no mention, no line break, and not long.
func plain(word string) string {
	word = unlinked.Replace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("`@<>[]|#*_~\\!", r) {
			return -1
		}
		return r
	}, seen(word)))
	if runes := []rune(word); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return word
}

// plainText makes a sentence from outside safe in an answer. It reads as it did: what
// would be markup is escaped, what would be a mention or a reference is broken.
func plainText(text string) string { return unlinked.Replace(markdown.Replace(seen(text))) }

// markdown leaves "<" alone: whoever writes the answer shows all tags as text.
var markdown = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "&", "&amp;", "@", "@"+gap, "#", "#"+gap,
)

// named is freight as an answer calls it.
func (f *Freight) named() string { return plainText(f.Title()) }

func plainAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = plain(w)
	}
	return out
}

// at mentions the person who is being answered.
func at(login string) string { return "@" + plain(login) }

// helpText lists the commands, with this repository's stages.
func (c *core) helpText() string {
	var b strings.Builder
	b.WriteString("| command | does |\n| --- | --- |\n")
	for _, cmd := range Commands {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace("/"+cmd.Name+" "+cmd.Usage), cmd.Does)
	}
	fmt.Fprintf(&b, "\nStages: %s. One command a line; text around them is fine.", strings.Join(c.stageNames(), ", "))
	return b.String()
}

// statusText is the state in short.
func (c *core) statusText() string {
	var b strings.Builder
	b.WriteString("| stage | runs | now | queue |\n| --- | --- | --- | --- |\n")
	for _, name := range sortedKeys(c.state.Local.Config) {
		for _, stage := range c.state.Local.Config[name].Stages {
			runs, now, queued := c.stageStatus(name, stage.Name)
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", StageRef(name, stage.Name), runs, now, queued)
		}
	}
	if c.state.Issue != 0 && !c.state.Repo.NoIssues {
		fmt.Fprintf(&b, "\nAll of it is in #%d.", c.state.Issue)
	}
	return b.String()
}

func (c *core) stageStatus(pipeline, stage string) (runs, now, queued string) {
	runs, now, queued = "–", "–", "–"
	ps := c.state.Pipelines[pipeline]
	if ps == nil {
		return
	}
	if st := ps.Stages[stage]; st != nil && st.Current != nil {
		if f := c.state.FreightByID(pipeline, st.Current.Freight); f != nil {
			runs = f.named()
		}
	}
	waiting := 0
	for _, p := range ps.Promotions {
		if p.Stage != stage {
			continue
		}
		if p.Phase == PhaseQueued {
			waiting++
		}
		if p.Phase.Started() {
			now = plain(strings.ToLower(p.Message))
			if now == "" {
				now = string(p.Phase)
			}
			if p.PullRequest != nil {
				now = fmt.Sprintf("#%d: %s", p.PullRequest.Number, now)
			}
		}
	}
	if waiting > 0 {
		queued = fmt.Sprint(waiting)
	}
	return
}
