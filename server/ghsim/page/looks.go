package page

import (
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io/fs"
	"strings"
	"time"
)

//go:embed templates static
var assets embed.FS

// looks are the parsed templates, one set for each page with the frame around it.
type looks map[string]*template.Template

// parseLooks panics when a template is broken, which every test of the package shows.
func parseLooks() looks {
	shared := template.Must(template.New("frame").Funcs(helpers).ParseFS(assets, "templates/frame.html", "templates/part_*.html"))
	pages, err := fs.Glob(assets, "templates/page_*.html")
	if err != nil {
		panic(err)
	}
	all := looks{}
	for _, file := range pages {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/page_"), ".html")
		all[name] = template.Must(template.Must(shared.Clone()).ParseFS(assets, file))
	}
	return all
}

// static are the files that pages load.
func static() fs.FS {
	sub, err := fs.Sub(assets, "static")
	if err != nil {
		panic(err)
	}
	return sub
}

var helpers = template.FuncMap{
	"pair":    func(top, it any) pair { return pair{top, it} },
	"address": address,
	"short":   short,
	"when":    when,
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"full":    func(t time.Time) string { return t.UTC().Format("2 January 2006 15:04:05 UTC") },
	"first":   firstLine,
	"initial": initial,
	"hue":     hue,
	"isBot":   func(login string) bool { return strings.HasSuffix(login, "[bot]") },
	"bare":    func(login string) string { return strings.TrimSuffix(login, "[bot]") },
	"count":   count,
	"size":    size,
	"add":     func(a, b int) int { return a + b },
}

// pair gives a part of a page both the frame and what it is about.
type pair struct{ Top, It any }

func short(sha string) string {
	if len(sha) > 7 {
		return sha[:7]
	}
	return sha
}

// when is a time as the pages write it: absolute, because a page may stand open for long.
func when(t time.Time) string {
	t = t.UTC()
	if t.Year() == time.Now().UTC().Year() {
		return t.Format("2 Jan 15:04 UTC")
	}
	return t.Format("2 Jan 2006 15:04 UTC")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func initial(login string) string {
	for _, r := range strings.ToUpper(login) {
		return string(r)
	}
	return "?"
}

// hue picks one of the eight colours of round letters, the same for a name always.
func hue(login string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(login)) // a hash never fails
	return h.Sum32() % 8
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func size(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1000*1000:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1000/1000)
}
