package hcledit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step/hcledit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

const doc = `# versions
image_uri     = "web:1.10" # keep
replica_count = -3
on            = true
nothing = null
list = [ 1, "b", /* c */ 3 ]
user_data = <<-EOT
  hi
EOT

resource "aws_instance" "web" {
  ami = var.ami
  tags = {
    Name      = "web"
    "a.b"     : "x", # c
  }
  ebs { size = 1 }
  ebs {
    size = 2
  }
}

module "app" {
  source = "git::https://example.com/app.git?ref=v1.0.0"
  one = { a = "p$${q}", b = 1 }
}
empty {}
`

func TestEdits(t *testing.T) {
	for name, tt := range map[string]struct {
		key, value string
		add        bool
		old, new   string // the bytes that change; both empty: none do
	}{
		"text":              {"image_uri", `"web:1.20"`, false, `"web:1.10"`, `"web:1.20"`},
		"text with all":     {"image_uri", `"a\"\\\n${x}%{y}$$ü"`, false, `"web:1.10"`, `"a\"\\\n$${x}%%{y}$$ü"`},
		"text of a number":  {"image_uri", `"1.10"`, false, `"web:1.10"`, `"1.10"`},
		"number":            {"replica_count", `30000000`, false, "-3", "30000000"},
		"boolean":           {"on", `false`, false, "true", "false"},
		"null":              {"on", `null`, false, "true", "null"},
		"over null":         {"nothing", `1.50`, false, "= null", "= 1.50"},
		"item":              {"list.2", `4`, false, "3 ]", "4 ]"},
		"in a block":        {"module.app.source", `"x"`, false, `"git::https://example.com/app.git?ref=v1.0.0"`, `"x"`},
		"in an object":      {"resource.aws_instance.web.tags.Name", `"api"`, false, `Name      = "web"`, `Name      = "api"`},
		"key with a dot":    {`resource.aws_instance.web.tags.a\.b`, `"y"`, false, `"x"`, `"y"`},
		"one of two blocks": {"resource.aws_instance.web.ebs.1.size", `7`, false, "size = 2", "size = 7"},
		"the only block":    {"module.app.0.one.b", `7`, false, "b = 1", "b = 7"},
		"as it is":          {"module.app.one.a", `"p${q}"`, false, "", ""},
		"attribute":         {"region", `"eu"`, true, "  hi\nEOT\n", "  hi\nEOT\nregion = \"eu\"\n"},
		"in the block":      {"module.app.version", `"2"`, true, "b = 1 }\n", "b = 1 }\n  version = \"2\"\n"},
		"in an empty block": {"empty.a", `1`, true, "empty {}", "empty {\n  a = 1\n}"},
		"key of an object":  {"resource.aws_instance.web.tags.team", `"sre"`, true, "\"x\", # c", "\"x\"\n    team = \"sre\", # c"},
		"key on the line":   {"module.app.one.c d", `1`, true, "b = 1 }", "b = 1, \"c d\" = 1 }"},
		"last item":         {"list.3", `4`, true, "3 ]", "3, 4 ]"},
		"there already":     {"on", `false`, true, "true", "false"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{doc, "\ufeff" + strings.ReplaceAll(doc, "\n", "\r\n")} {
				old, new := tt.old, tt.new
				if strings.Contains(text, "\r") {
					old, new = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(new, "\n", "\r\n")
				}
				f, err := hcledit.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if err := edit(t, f, tt.key, tt.value, tt.add); err != nil {
					t.Fatal(err)
				}
				if want := strings.Replace(text, old, new, 1); string(f.Bytes()) != want || old != "" && want == text {
					t.Errorf("got\n%s\nwant\n%s", f.Bytes(), want)
				}
			}
		})
	}
}

func edit(t testing.TB, f *hcledit.File, key, value string, add bool) error {
	t.Helper()
	path, err := yamledit.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if add {
		return f.Add(path, json.RawMessage(value))
	}
	return f.Set(path, json.RawMessage(value))
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		key, value string
		add        bool
		want       string
	}{
		"missing":         {"resource.aws_instance.web.tags.Nam", `1`, false, "no such key resource.aws_instance.web.tags.Nam (nearest: resource.aws_instance.web.tags.Name)"},
		"computed":        {"resource.aws_instance.web.ami", `"x"`, false, "is computed (line 12): var.ami; only a literal is replaced"},
		"heredoc":         {"user_data", `"x"`, false, "is a heredoc (line 7)"},
		"two blocks":      {"resource.aws_instance.web.ebs.size", `1`, false, "there are 2 blocks resource.aws_instance.web.ebs (lines 17, 18): write an index behind it"},
		"a block":         {"module.app", `1`, true, "module.app is a block (line 23)"},
		"an object":       {"module.app.one", `1`, true, "module.app.one is an object"},
		"a list":          {"list", `1`, false, "list is a list of 3"},
		"behind the last": {"list.9", `1`, true, "list has 3 items"},
		"no index":        {"list.x", `1`, true, "write an index in place of"},
		"through a value": {"image_uri.x", `1`, true, "image_uri is \"web:1.10\" (line 2), not an object"},
		"blocks are not":  {"module.api.source", `1`, true, "no block or object is made"},
		"no identifier":   {"a b", `1`, true, "cannot be the name of an attribute"},
		"list as value":   {"on", `[1]`, false, "set its parts one by one"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := hcledit.Parse([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if err := edit(t, f, tt.key, tt.value, tt.add); err == nil || !strings.Contains(err.Error(), tt.want) || string(f.Bytes()) != doc {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// FuzzEdit: an edit either fails and changes nothing, or gives HCL that has the
// value, and is done when it is made again.
func FuzzEdit(f *testing.F) {
	f.Add(doc, "module.app.one.b", `"${x}"`, true)
	f.Add("a {\n b = [{}]\n}", "a.b.0.c", `-1.5e3`, true)
	f.Add("a \"b\" \"c\" { d = 1 }", "a.b.c.d", `null`, false)
	f.Fuzz(func(t *testing.T, text, key, value string, add bool) {
		file, err := hcledit.Parse([]byte(text))
		if _, keyErr := yamledit.ParseKey(key); err != nil || keyErr != nil {
			return
		}
		if edit(t, file, key, value, add) != nil {
			if string(file.Bytes()) != text {
				t.Errorf("an edit that failed changed %q to %q", text, file.Bytes())
			}
			return
		}
		once := string(file.Bytes())
		if err := edit(t, file, key, value, false); err != nil || string(file.Bytes()) != once {
			t.Errorf("%q: %s = %s gave %q, and again %q (%v)", text, key, value, once, file.Bytes(), err)
		}
	})
}
