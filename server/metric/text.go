package metric

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ContentType is that of what Write writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Write writes families in the order given, each with its help, its type and its series in the order of their labels.
func Write(w io.Writer, families ...*Family) error {
	b := bufio.NewWriter(w)
	for _, f := range families {
		f.write(b)
	}
	return b.Flush()
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (f *Family) write(b *bufio.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.series) == 0 {
		return
	}
	b.WriteString("# HELP " + f.Name + " " + helpEscapes.Replace(f.Help) + "\n# TYPE " + f.Name + " " + f.Kind + "\n")
	for _, k := range slices.Sorted(maps.Keys(f.series)) {
		if s := f.series[k]; f.Kind == Histogram {
			f.histogram(b, s)
		} else {
			f.line(b, "", s.labels, "", number(s.value))
		}
	}
}

// histogram writes the buckets, each with all below it, the sum and the count.
func (f *Family) histogram(b *bufio.Writer, s *series) {
	var n uint64
	for i, count := range s.counts {
		n += count
		bound := "+Inf"
		if i < len(f.Buckets) {
			bound = number(f.Buckets[i])
		}
		f.line(b, "_bucket", s.labels, bound, strconv.FormatUint(n, 10))
	}
	f.line(b, "_sum", s.labels, "", number(s.value))
	f.line(b, "_count", s.labels, "", strconv.FormatUint(n, 10))
}

// line writes one sample. An empty value of a label is the same as no label, and left out.
func (f *Family) line(b *bufio.Writer, suffix string, labels []string, bound, value string) {
	var pairs []string
	for i, name := range f.Labels {
		if i < len(labels) && labels[i] != "" {
			pairs = append(pairs, name+`="`+labelEscapes.Replace(strings.ToValidUTF8(labels[i], "�"))+`"`)
		}
	}
	if bound != "" {
		pairs = append(pairs, `le="`+bound+`"`)
	}
	b.WriteString(f.Name + suffix)
	if len(pairs) > 0 {
		b.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	b.WriteString(" " + value + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
