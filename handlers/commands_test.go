package handlers_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// cmd is a command as the tables below write it.
func cmd(line int, name string, args ...string) promotion.Command {
	return promotion.Command{Line: line, Name: name, Args: args}
}

func near(line int, name, known string, args ...string) promotion.Command {
	return promotion.Command{Line: line, Name: name, Args: args, Near: known}
}

func TestParseCommands(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []promotion.Command
	}{
		"nothing":                {"", nil},
		"no command":             {"Looks good, thanks!", nil},
		"one":                    {"/promote prod", []promotion.Command{cmd(1, "promote", "prod")}},
		"no arguments":           {"/status", []promotion.Command{cmd(1, "status")}},
		"several, text between":  {"Hi.\n/promote prod web-1.4.2\nand\n/promote eu/prod\n", []promotion.Command{cmd(2, "promote", "prod", "web-1.4.2"), cmd(4, "promote", "eu/prod")}},
		"windows line ends":      {"Hi.\r\n\r\n/promote prod\r\n/status\r\n", []promotion.Command{cmd(3, "promote", "prod"), cmd(4, "status")}},
		"old mac line ends":      {"Hi.\r/status", []promotion.Command{cmd(2, "status")}},
		"three spaces":           {"   /status", []promotion.Command{cmd(1, "status")}},
		"four spaces":            {"    /status", nil},
		"four spaces in text":    {"text\n    /status", nil},
		"a tab":                  {"\t/status", nil},
		"inside a line":          {"please /promote prod", nil},
		"upper case":             {"/Promote prod", []promotion.Command{cmd(1, "promote", "prod")}},
		"a slash alone":          {"/\n/ promote prod", nil},
		"two slashes":            {"//promote prod", nil},
		"a path":                 {"/usr/bin/promote prod", nil},
		"unknown":                {"/deploy prod", nil},
		"one letter off":         {"/promte prod", []promotion.Command{near(1, "promte", "promote", "prod")}},
		"one letter more":        {"/statuss", []promotion.Command{near(1, "statuss", "status")}},
		"swapped":                {"/pormote prod", []promotion.Command{near(1, "pormote", "promote", "prod")}},
		"changed":                {"/Abord x", []promotion.Command{near(1, "Abord", "abort", "x")}},
		"a full stop":            {"/help.", []promotion.Command{near(1, "help.", "help")}},
		"two letters off":        {"/prmte prod", nil},
		"flags and quotes":       {`/promote prod --now --reason "fix for  checkout"`, []promotion.Command{cmd(1, "promote", "prod", "--now", "--reason", "fix for  checkout")}},
		"quotes after equals":    {`/promote prod --reason="a \"b\" c"`, []promotion.Command{cmd(1, "promote", "prod", `--reason=a "b" c`)}},
		"single quotes":          {`/reject prod 'a \ b'`, []promotion.Command{cmd(1, "reject", "prod", `a \ b`)}},
		"round quotes":           {"/reject prod “not now”", []promotion.Command{cmd(1, "reject", "prod", "not now")}},
		"empty quotes":           {`/reject prod ""`, []promotion.Command{cmd(1, "reject", "prod", "")}},
		"an apostrophe":          {"/reject prod it's broken, isn't it", []promotion.Command{cmd(1, "reject", "prod", "it's", "broken,", "isn't", "it")}},
		"an open quote":          {`/reject prod "tis broken`, []promotion.Command{cmd(1, "reject", "prod", `"tis`, "broken")}},
		"an escaped space":       {`/reject prod a\ b \"c`, []promotion.Command{cmd(1, "reject", "prod", "a b", `"c`)}},
		"a backslash in a word":  {`/reject prod C:\temp`, []promotion.Command{cmd(1, "reject", "prod", `C:\temp`)}},
		"a hard line break":      {"/promote prod\\\n/status  \n", []promotion.Command{cmd(1, "promote", "prod"), cmd(2, "status")}},
		"a space that is no tab": {"/promote\u00a0prod", []promotion.Command{cmd(1, "promote", "prod")}},
		"fenced code":            {"```\n/status\n```\n/help", []promotion.Command{cmd(4, "help")}},
		"tilde fence":            {"~~~sh\n/status\n~~~", nil},
		"a fence left open":      {"```\n/status", nil},
		"indented code":          {"text\n\n    /status\n\n/help", []promotion.Command{cmd(5, "help")}},
		"inline code":            {"`/status`", nil},
		"code over two lines":    {"a `b\n/status\nc` d", nil},
		"code in an argument":    {"/promote prod `1.4.2`", []promotion.Command{cmd(1, "promote", "prod", "`1.4.2`")}},
		"a quote":                {"> /status", nil},
		"a quote's lazy line":    {"> quoted\n/status", nil},
		"after a quote":          {"> /status\n\n/help", []promotion.Command{cmd(3, "help")}},
		"a nested quote":         {"- a\n  > /status", nil},
		"a comment":              {"<!-- \n/status\n-->\n/help", []promotion.Command{cmd(4, "help")}},
		"a comment in text":      {"a <!-- b\n/status\n--> c\n/help", []promotion.Command{cmd(4, "help")}},
		"a comment behind":       {"/promote prod <!-- really -->", []promotion.Command{cmd(1, "promote", "prod")}},
		"a comment left open":    {"<!--\n/status", nil},
		"html":                   {"<div>\n/status\n</div>", nil},
		"details, blank line":    {"<details>\n\n/status\n\n</details>", []promotion.Command{cmd(3, "status")}},
		"behind a tag":           {"<b>/status</b>\n/help", []promotion.Command{cmd(2, "help")}},
		"a link's text":          {"[a\n/status\nb](https://example.com)", nil},
		"a link's target":        {"[a](\n/status\n)", nil},
		"an image":               {"![a\n/status](x.png)", nil},
		"a link definition":      {"[a]:\n/status", nil},
		"a list item":            {"- /status", nil},
		"after a list":           {"- a\n- b\n/status", []promotion.Command{cmd(3, "status")}},
		"a heading":              {"# /status", nil},
		"above a rule":           {"/promote prod\n---\nmona", []promotion.Command{cmd(1, "promote", "prod")}},
		"an escaped slash":       {`\/status`, nil},
		"emphasis left open":     {"/reject prod *now", []promotion.Command{cmd(1, "reject", "prod", "*now")}},
		"not utf-8":              {"/reject prod \xff", []promotion.Command{cmd(1, "reject", "prod", "\uFFFD")}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, handlers.ParseCommands(c.body)); diff != "" {
				t.Errorf("commands of %q (-want +got):\n%s", c.body, diff)
			}
		})
	}
}

func TestEveryCommandIsKnown(t *testing.T) {
	names := strings.Fields("promote approve reject abort retry freeze unfreeze rollback resume block unblock plan status help")
	for _, c := range promotion.Commands {
		names = append(names, c.Name)
	}
	for _, name := range names {
		got := handlers.ParseCommands("/" + name + " x")
		if diff := cmp.Diff([]promotion.Command{cmd(1, name, "x")}, got); diff != "" {
			t.Errorf("/%s (-want +got):\n%s", name, diff)
		}
		slip := name[:len(name)-1] + "_" // no command has it
		got = handlers.ParseCommands("/" + slip)
		if diff := cmp.Diff([]promotion.Command{near(1, slip, name)}, got); diff != "" {
			t.Errorf("/%s (-want +got):\n%s", slip, diff)
		}
	}
}

func TestCommandsOfOneCommentAreBounded(t *testing.T) {
	if got := handlers.ParseCommands(strings.Repeat("/help\n", 5000)); len(got) != 100 {
		t.Errorf("got %d commands, want 100", len(got))
	}
}

// The largest comments that GitHub takes must not hold up a worker, however
// they are made. The bound is far above what they need.
func TestHostileCommentsAreCheap(t *testing.T) {
	const size = 65_536
	for name, piece := range map[string]string{
		"brackets":    "[",
		"quotes":      "> ",
		"stars":       "*a ",
		"ticks":       "`a``",
		"tags":        "/help <b>\n",
		"open quotes": "“a ",
		"lists":       "+ ",
		"numbers":     "1) ",
		"mixed marks": "> 1. - ",
		"indented":    "> a\n",
	} {
		t.Run(name, func(t *testing.T) {
			body := "/help " + strings.Repeat(piece, size/len(piece))
			start := time.Now()
			handlers.ParseCommands(body)
			handlers.ParseCommands("/help\n\n" + body[6:])
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func FuzzParseCommands(f *testing.F) {
	for _, seed := range []string{"/promote prod", "> /status\n\n/help", "```\n/help", "a <!--\n/help-->", `/reject a "b\" c' d`, "- a\n/help\\", "\xff/\r/abort x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body), "\n") + 1
		last := 0
		for _, c := range handlers.ParseCommands(body) {
			if c.Line <= last || c.Line > lines {
				t.Errorf("line %d after %d of %d", c.Line, last, lines)
			}
			last = c.Line
			if !strings.Contains(strings.ToLower(body), "/"+strings.ToLower(c.Name)) {
				t.Errorf("nobody wrote /%s", c.Name)
			}
			for _, a := range c.Args {
				if !utf8.ValidString(a) {
					t.Errorf("argument %q is not UTF-8", a)
				}
			}
		}
	})
}
