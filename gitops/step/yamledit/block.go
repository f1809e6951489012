package yamledit

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// block is the layout of a literal (|) or folded (>) scalar.
type block struct {
	header span // the indicators: "|", ">-", "|2+"
	body   span // from the end of the header's line to the end of the last line of text
	indent int  // of the text, in blanks; 0 when there is no text
}

// block finds the layout of a block scalar. The first line with text gives the
// indentation; all lines that follow with as much, and blank ones, belong to it.
func (f *File) block(n *yaml.Node) (block, error) {
	at, _, err := f.content(n)
	if err != nil {
		return block{}, err
	}
	if at >= len(f.src) || (f.src[at] != '|' && f.src[at] != '>') {
		return block{}, f.refuse(n, "is written in a way that this editor does not know")
	}
	b := block{header: span{at, f.skip(at, "|>+-0123456789")}}
	end := f.lineEnd(at)
	b.body = span{end, end}
	keep := bytes.ContainsRune(f.src[b.header.start:b.header.end], '+')
	for end < len(f.src) && strings.TrimSpace(n.Value) != "" {
		start := end + breakAt(f.src, end)
		text := f.skip(start, " ")
		end = f.lineEnd(start)
		blank := text == end
		if !blank && b.indent == 0 {
			b.indent = text - start - leading(n.Value)
		}
		if !blank && (text-start < b.indent || b.indent == 0) {
			break
		}
		if !blank || keep {
			b.body.end = end
		}
	}
	return b, nil
}

// leading counts the blanks before the first text of a value: those that its
// first line has beyond the indentation.
func leading(value string) int {
	value = strings.TrimLeft(value, "\n")
	return len(value) - len(strings.TrimLeft(value, " "))
}

// literal writes value as a literal scalar with that indentation; no when that
// form cannot hold it.
func literal(value string, indent int, eol string) (text string, ok bool) {
	chomp, lines := "", strings.Split(value, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		chomp = "-"
	}
	text = "|" + chomp
	for i, line := range lines {
		first, last := i == 0, i == len(lines)-1
		if !allPrintable(line) || (first && strings.HasPrefix(line, " ")) || ((first || last) && line == "") {
			return "", false
		}
		text += eol
		if line != "" {
			text += strings.Repeat(" ", indent) + line
		}
	}
	return text, len(lines) > 0
}

// setBlock gives the splices that put v in the place of a block scalar. What
// stands behind the header, a comment, stays.
func (f *File) setBlock(n, v *yaml.Node) ([]splice, error) {
	b, err := f.block(n)
	if err != nil {
		return nil, err
	}
	if strings.Contains(v.Value, "\n") && b.indent > 0 {
		if text, ok := literal(v.Value, b.indent, f.eol); ok {
			header, body, _ := strings.Cut(text, f.eol)
			return []splice{{b.header, header}, {b.body, f.eol + body}}, nil
		}
	}
	return []splice{{b.header, scalarText(v, 0, false)}, {b.body, ""}}, nil
}
