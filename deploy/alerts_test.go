package deploy

import (
	"os"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestAlerts sees that the rules have what Prometheus asks for, and name only
// metrics that the server shows.
func TestAlerts(t *testing.T) {
	raw, err := os.ReadFile("chart/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := os.ReadFile("../server/metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) == 0 {
		t.Fatal("there are no rules")
	}
	metric := regexp.MustCompile(`stagecoach_\w+`)
	for _, rule := range file.Groups[0].Rules {
		if rule.Alert == "" || rule.Expr == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("the rule %+v is incomplete", rule)
		}
		for _, name := range metric.FindAllString(rule.Expr, -1) {
			if !regexp.MustCompile(`"` + name + `"`).Match(shown) {
				t.Errorf("%s asks for %s, which the server does not show", rule.Alert, name)
			}
		}
	}
}
