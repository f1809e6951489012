package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// file is a style sheet or script, under a name that changes with what is in it, so that
// browsers may keep it for ever.
type file struct {
	kind    string
	content []byte
}

// filesByName are the files by the names that they are served under, and named gives
// those names by the ones in the source.
var filesByName, named = readFiles()

func readFiles() (files map[string]file, names map[string]string) {
	files, names = map[string]file{}, map[string]string{}
	for source, kind := range map[string]string{
		"style.css": "text/css; charset=utf-8", "live.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		content, err := fs.ReadFile(assets, "static/"+source)
		if err != nil {
			panic(err) // they are embedded
		}
		sum := sha256.Sum256(content)
		extension := path.Ext(source)
		name := strings.TrimSuffix(source, extension) + "." + hex.EncodeToString(sum[:6]) + extension
		files[name], names[source] = file{kind, content}, name
	}
	return files, names
}

// filePath is where a file is served.
func filePath(source string) string { return "/-/" + named[source] }

func serveFile(w http.ResponseWriter, r *http.Request) {
	f, is := filesByName[r.PathValue("file")]
	if !is {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f.kind)
	w.Header().Set("Cache-Control", "public, max-age="+year+", immutable")
	_, _ = w.Write(f.content) // a reader who went away is not our error
}
