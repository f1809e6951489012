package page

import (
	"html/template"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/server/ghsim/page/markdown"
)

// maxShown is the size, in bytes, up to which a file is shown and can be edited.
const maxShown = 1 << 20

type blobPage struct {
	place
	Branches []string
	Bytes    int64
	Lines    []string
	Rendered template.HTML // of a Markdown file; empty: lines are shown
	Binary   bool
	TooLarge bool
	Plain    bool // the lines of a Markdown file were asked for
	Last     *commitLine
}

// blob shows a file with line numbers, or rendered when it is Markdown.
func (v *visit) blob() error {
	at, text, err := v.file()
	if err != nil {
		return err
	}
	page := blobPage{place: at, Branches: v.branchNames(), Bytes: int64(len(text)), Plain: v.r.URL.Query().Get("plain") == "1"}
	switch {
	case isBinary(text):
		page.Binary = true
	case len(text) > maxShown:
		page.TooLarge = true
	case page.Markdown() && !page.Plain:
		context := v.context()
		context.Base = address(at.Repo, "blob", at.Ref, path.Dir(at.Path)) + "/"
		page.Rendered = markdown.File(text, context)
	default:
		page.Lines = splitLines(text)
	}
	if last, err := v.commitLines(at.SHA, at.Path, 0, 1); err == nil && len(last) == 1 {
		page.Last = &last[0]
	}
	return v.show("blob", title(at), "code", page)
}

func (p blobPage) Markdown() bool { return strings.EqualFold(path.Ext(p.Path), ".md") }

// file reads the file that the address names.
func (v *visit) file() (place, string, error) {
	at, err := v.place(v.r.PathValue("rest"))
	if err != nil {
		return at, "", err
	}
	text, err := v.sim.File(v.repo, at.SHA, at.Path)
	if err != nil || at.Path == "" {
		return at, "", missing("%s has no file %s.", at.Ref, at.Path)
	}
	return at, text, nil
}

func isBinary(text string) bool {
	return strings.ContainsRune(text[:min(len(text), 8000)], 0) || !utf8.ValidString(text)
}

// splitLines gives the lines without their ends; text that ends in a line end has no empty line after it.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\r\n", "\n"), "\n")
}

// raw serves a file as plain text, which no browser runs.
func (v *visit) raw() error {
	_, text, err := v.file()
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if isBinary(text) {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	v.w.WriteHeader(http.StatusOK)
	_, _ = v.w.Write([]byte(text)) // a reader who went away is not our error
	return nil
}
