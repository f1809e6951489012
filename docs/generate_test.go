package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server"
)

// TestGenerated sees that the generated parts of the pages are those that the
// core's tables give; with -update it writes them.
func TestGenerated(t *testing.T) {
	steps := map[string]string{}
	for _, kind := range promotion.Kinds {
		steps[kind.Uses] = kind.Doc + "\n\n" + keysOf(kind.Config)
	}
	for page, parts := range map[string]map[string]string{
		"steps.md":     steps,
		"commands.md":  {"commands": commands()},
		"operating.md": {"metrics": metrics()},
	} {
		content, err := os.ReadFile(page)
		must(t, err)
		want, missing := fill(content, parts)
		if len(missing) > 0 {
			t.Errorf("%s has no place for %v", page, missing)
		}
		if bytes.Equal(content, want) {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the tables give: go test ./docs -update", page)
			continue
		}
		must(t, os.WriteFile(page, want, 0o644))
	}
}

var place = regexp.MustCompile(`(?s)<!-- generated: ([a-z-]+) -->\n.*?<!-- end -->`)

// fill puts the parts into their places; missing are those without one.
func fill(page []byte, parts map[string]string) (filled []byte, missing []string) {
	used := map[string]bool{}
	filled = place.ReplaceAllFunc(page, func(old []byte) []byte {
		name := string(place.FindSubmatch(old)[1])
		used[name] = true
		return fmt.Appendf(nil, "<!-- generated: %s -->\n%s<!-- end -->", name, parts[name])
	})
	for name := range parts {
		if !used[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return filled, missing
}

func commands() string {
	var b strings.Builder
	b.WriteString("| command | does |\n| --- | --- |\n")
	for _, c := range promotion.Commands {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(strings.TrimSpace("/"+c.Name+" "+c.Usage), "|", `\|`), c.Does)
	}
	return b.String()
}

func metrics() string {
	var b strings.Builder
	b.WriteString("| metric | type | labels | what it is |\n| --- | --- | --- | --- |\n")
	for _, m := range server.Metrics() {
		labels := ""
		if len(m.Labels) > 0 {
			labels = "`" + strings.Join(m.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Kind, labels, m.Help)
	}
	return b.String()
}

// keysOf is the table of a step's keys.
func keysOf(config promotion.Field) string {
	if config.Open {
		return "Its config may have any keys, with values of any type.\n"
	}
	var b strings.Builder
	b.WriteString("| key | type | | what it says |\n| --- | --- | --- | --- |\n")
	rows(&b, "", config)
	if len(config.Exactly) > 0 {
		b.WriteString("\nExactly one of `" + strings.Join(config.Exactly, "`, `") + "`.\n")
	}
	for _, group := range groupsOf("", config) {
		b.WriteString("\nAt most one of `" + strings.Join(group, "`, `") + "`.\n")
	}
	return b.String()
}

func rows(b *strings.Builder, prefix string, f promotion.Field) {
	for _, field := range f.Fields {
		need := ""
		if field.Required {
			need = "required"
		}
		doc := strings.ReplaceAll(field.Doc, "|", `\|`)
		if len(field.Enum) > 0 {
			doc += " One of `" + strings.Join(field.Enum, "`, `") + "`."
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, field.Name, field.Type, need, doc)
		rows(b, prefix+field.Name+".", field)
		if field.Items != nil {
			rows(b, prefix+field.Name+"[].", *field.Items)
		}
	}
}

func groupsOf(prefix string, f promotion.Field) [][]string {
	var out [][]string
	for _, group := range f.OneOf {
		named := make([]string, len(group))
		for i, key := range group {
			named[i] = prefix + key
		}
		out = append(out, named)
	}
	for _, field := range f.Fields {
		out = append(out, groupsOf(prefix+field.Name+".", field)...)
		if field.Items != nil {
			out = append(out, groupsOf(prefix+field.Name+"[].", *field.Items)...)
		}
	}
	return out
}
