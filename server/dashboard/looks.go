package dashboard

import (
	"embed"
	"html/template"
	"io/fs"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

//go:embed templates static
var assets embed.FS

// looks are the parsed templates, one set for each page with the frame around it.
type looks map[string]*template.Template

// parseLooks panics when a template is broken, which every test of the package shows.
func parseLooks(webURL string, now func() time.Time) looks {
	shared := template.Must(template.New("frame").Funcs(helpers(webURL, now)).ParseFS(assets, "templates/frame.html", "templates/part_*.html"))
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

func helpers(webURL string, now func() time.Time) template.FuncMap {
	write := newMarkdown(webURL)
	return template.FuncMap{
		"md":     write.html,
		"file":   filePath,
		"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"tone":   tone,
		"pair":   func(top frame, it any) pair { return pair{top, it} },
		"github": func() string { return webURL },
		"when":   func(t time.Time) string { return clock(t, now()) },
		"left":   func(t time.Time) string { return left(t, now()) },
	}
}

// pair gives a part of a page both the frame and what it is about.
type pair struct {
	Top frame
	It  any
}

// tones are the classes of marks, for colours: the mark and its word say the same.
var tones = map[string]string{
	"✅": "good", "🔄": "busy", "❌": "bad", "⏭️": "past", "⏳": "wait", "✋": "person", "❄️": "cold", "↩️": "back",
}

// tone is the class for a mark, or for the one that a text begins with.
func tone(text string) string {
	for mark, class := range tones {
		if strings.HasPrefix(text, mark) {
			return class
		}
	}
	return "still"
}

// left is how long it is until a time; empty: no time was set, or it is over.
func left(t, now time.Time) string {
	if t.IsZero() || !t.After(now) {
		return ""
	}
	whole := (t.Sub(now) + time.Minute - 1).Truncate(time.Minute) // begun minutes count
	return promotion.Lasting(whole) + " left"
}

// clock is a time in UTC, with the year unless it is this one.
func clock(t, now time.Time) string {
	if t.IsZero() {
		return "–"
	}
	t = t.UTC()
	if t.Year() == now.UTC().Year() {
		return t.Format("2 Jan 15:04 UTC")
	}
	return t.Format("2 Jan 2006 15:04 UTC")
}
