package deploy_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/metric"
)

// TestAlerts sees that the rules have what Prometheus asks for, and name only
// metrics that the server shows, with labels that these have; that rates are taken
// of counters alone; and that the page on operating says what to do.
func TestAlerts(t *testing.T) {
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	must(t, yaml.Unmarshal([]byte(read(t, "chart/alerts.yaml")), &file))
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) == 0 {
		t.Fatal("there are no rules")
	}
	operating, err := os.ReadFile("../docs/operating.md")
	must(t, err)
	for _, rule := range file.Groups[0].Rules {
		if rule.Alert == "" || rule.Expr == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("the rule %+v is incomplete", rule)
		}
		if !strings.Contains(string(operating), "| `"+rule.Alert+"` |") {
			t.Errorf("docs/operating.md does not say what to do on %s", rule.Alert)
		}
		for _, wrong := range wrongIn(rule.Expr, rule.Annotations["summary"]) {
			t.Errorf("%s: %s", rule.Alert, wrong)
		}
	}
}

var (
	selector = regexp.MustCompile(`(\w+\()?(stagecoach_\w+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"`)
	named    = regexp.MustCompile(`\$labels\.(\w+)`)
)

func wrongIn(expr, summary string) (wrong []string) {
	var labels []string
	for _, m := range selector.FindAllStringSubmatch(expr, -1) {
		at := slices.IndexFunc(server.Metrics(), func(d metric.Desc) bool { return d.Name == m[2] })
		if at < 0 {
			wrong = append(wrong, "the server does not show "+m[2])
			continue
		}
		d := server.Metrics()[at]
		labels = append(labels, d.Labels...)
		if rated := m[1] == "increase(" || m[1] == "rate("; rated != (d.Kind == metric.Counter) {
			wrong = append(wrong, m[2]+" is a "+d.Kind)
		}
		for _, l := range matcher.FindAllStringSubmatch(m[3], -1) {
			if !slices.Contains(d.Labels, l[1]) {
				wrong = append(wrong, m[2]+" has no label "+l[1])
			}
		}
	}
	for _, l := range named.FindAllStringSubmatch(summary, -1) {
		if !slices.Contains(labels, l[1]) {
			wrong = append(wrong, "the summary names a label "+l[1]+" that is not there")
		}
	}
	if strings.Count(expr, "(") != strings.Count(expr, ")") || strings.Count(expr, "[") != strings.Count(expr, "]") {
		wrong = append(wrong, "the expression does not close what it opens")
	}
	return wrong
}
