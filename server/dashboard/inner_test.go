package dashboard

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestUntilWhenALimitHolds(t *testing.T) {
	reset := time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)
	h := http.Header{}
	h.Set("X-RateLimit-Remaining", "0")
	h.Set("X-RateLimit-Reset", "1796043600")
	if got := until(h); !got.Equal(reset) {
		t.Errorf("until %s, want %s", got, reset)
	}
	h.Set("X-RateLimit-Remaining", "10")
	if got := until(h); !got.IsZero() {
		t.Errorf("a limit that is not reached holds until %s", got)
	}
}

func TestTimesThatAreLeft(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for in, want := range map[time.Duration]string{
		0: "", -time.Minute: "", time.Second: "1 min left", time.Minute: "1 min left", 61 * time.Second: "2 min left", 2 * time.Hour: "2 h 0 min left",
	} {
		if got := left(now.Add(in), now); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if got := left(time.Time{}, now); got != "" {
		t.Errorf("no time: %q", got)
	}
	if got := clock(now.AddDate(1, 0, 0), now); got != "30 Nov 2027 12:00 UTC" {
		t.Errorf("next year is %q", got)
	}
}

// What others wrote is text, and a link leads to GitHub or is none.
func TestMarkdownIsTame(t *testing.T) {
	m := newMarkdown("https://github.example")
	for in, want := range map[string]string{
		"**prod** waits": "<strong>prod</strong> waits",
		"[#3](https://github.example/a/b/pull/3)":   `<a href="https://github.example/a/b/pull/3">#3</a>`,
		"[x](https://github.example.evil.com/)":     "x",
		"[*x* `y`](https://evil.com/)":              "<em>x</em> <code>y</code>",
		"[x](//evil.com)":                           "x",
		"[x](javascript:alert(1))":                  "x",
		"[x](/logout)":                              "x",
		"![x](https://github.example/a.png)":        "x",
		"<https://evil.com>":                        "",
		"[![x](https://evil.com)](http://evil.com)": "x",
		"<b>x</b>":  "<!-- raw HTML omitted -->x<!-- raw HTML omitted -->",
		"a & b < c": "a &amp; b &lt; c",
	} {
		if got := string(m.html(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A sealed value opens with its own key, for its own purpose and ID, and nothing else.
func TestSeals(t *testing.T) {
	one, err := newSealer("a client secret")
	if err != nil {
		t.Fatal(err)
	}
	other, err := newSealer("another")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := one.close("session", "id", map[string]string{"token": "ghu_hush"})
	if err != nil || strings.Contains(string(sealed), "ghu_hush") {
		t.Fatalf("%q, %v", sealed, err)
	}
	var got map[string]string
	if err := one.open("session", "id", sealed, &got); err != nil || got["token"] != "ghu_hush" {
		t.Errorf("%v, %v", got, err)
	}
	changed := append([]byte{}, sealed...)
	changed[len(changed)-1] ^= 1
	for name, err := range map[string]error{
		"another secret": other.open("session", "id", sealed, &got), "another purpose": one.open("sign-in", "id", sealed, &got),
		"another ID": one.open("session", "di", sealed, &got), "changed": one.open("session", "id", changed, &got), "short": one.open("session", "id", sealed[:5], &got),
	} {
		if err == nil {
			t.Errorf("%s opens it", name)
		}
	}
}

// Names of what is embedded change with it, and there is nothing else to serve.
func TestFilesAreNamedByContent(t *testing.T) {
	for source, name := range named {
		if name == source || !strings.HasPrefix(name, strings.Split(source, ".")[0]+".") || filesByName[name].content == nil {
			t.Errorf("%s is served as %s", source, name)
		}
	}
}
