package ghsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// page is the part of a list that the query asks for: 30 entries, at most 100, counted from page 1.
func page[T any](c *call, all []T) ([]T, string) {
	size := number(c.query("per_page"), 30)
	if size > 100 {
		size = 100
	}
	at := number(c.query("page"), 1)
	last := max((len(all)+size-1)/size, 1)
	from := min((at-1)*size, len(all))
	to := min(from+size, len(all))
	return all[from:to], c.links(at, last)
}

// number is a positive query value, or the default for anything else.
func number(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

// links is the Link header of page at of last, empty when there is only one page.
func (c *call) links(at, last int) string {
	if last <= 1 {
		return ""
	}
	var out []string
	add := func(n int, rel string) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		out = append(out, fmt.Sprintf(`<%s?%s>; rel="%s"`, c.api(c.r.URL.EscapedPath()), q.Encode(), rel))
	}
	if at > 1 {
		add(min(at-1, last), "prev")
	}
	if at < last {
		add(at+1, "next")
		add(last, "last")
	}
	if at > 1 {
		add(1, "first")
	}
	return strings.Join(out, ", ")
}

// list answers with one page of entries, each drawn by draw.
func list[T any](c *call, all []T, draw func(T) obj) reply {
	drawn, link := drawPage(c, all, draw)
	return linked(ok(drawn), link)
}

// counted answers with one page inside an object that also holds the total.
func counted[T any](c *call, key string, all []T, draw func(T) obj) reply {
	drawn, link := drawPage(c, all, draw)
	return linked(ok(obj{"total_count": len(shown(c, all, draw)), key: drawn}), link)
}

func drawPage[T any](c *call, all []T, draw func(T) obj) ([]obj, string) {
	part, link := page(c, shown(c, all, draw))
	drawn := make([]obj, 0, len(part))
	for _, entry := range part {
		drawn = append(drawn, draw(entry))
	}
	return drawn, link
}

// shown leaves out of a list what is too new for it.
func shown[T any](c *call, all []T, draw func(T) obj) []T {
	if c.lags.list == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(entry T) bool { return c.isNew(draw(entry)["id"], c.lags.list) })
}

func linked(answer reply, link string) reply {
	if link == "" {
		return answer
	}
	return answer.with(http.CanonicalHeaderKey("Link"), link)
}
