package page

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// numbered is the address of an issue or pull request.
func (v *visit) numbered(kind string, number int) string {
	return fmt.Sprintf("%s/%d", v.at(kind), number)
}

func (v *visit) goTo(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// at is an address in the repository; the parts are escaped one by one.
func (v *visit) at(kind string, parts ...string) string { return address(v.repo, kind, parts...) }

func address(repo ghsim.Repo, kind string, parts ...string) string {
	out := "/" + repo.FullName()
	if kind != "" {
		out += "/" + kind
	}
	for _, part := range parts {
		for _, segment := range strings.Split(part, "/") {
			if segment != "" {
				out += "/" + url.PathEscape(segment)
			}
		}
	}
	return out
}

// number reads a number of the address, 0 when it is none.
func (v *visit) number(name string) int {
	n, err := strconv.Atoi(v.r.PathValue(name))
	if err != nil {
		return 0
	}
	return n
}
