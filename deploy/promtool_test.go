package deploy_test

import (
	"os/exec"
	"testing"
)

// TestAlertsByPromtool has Prometheus' own tool read the alerts, and play the days of testdata/alerts.yaml: each
// fires when it should, and none on a day when nothing is wrong. It is skipped where promtool is not there.
func TestAlertsByPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool")
	}
	for _, args := range [][]string{{"check", "rules", "chart/alerts.yaml"}, {"test", "rules", "testdata/alerts.yaml"}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// Every alert has a day on which it fires, whether promtool is there or not.
func TestEveryAlertIsPlayed(t *testing.T) {
	played := map[string]bool{}
	var days struct {
		Tests []struct {
			Alerts []struct {
				Name string `yaml:"alertname"`
				Want []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	for _, node := range documents(t, read(t, "testdata/alerts.yaml")) {
		must(t, node.Decode(&days))
	}
	for _, day := range days.Tests {
		for _, alert := range day.Alerts {
			played[alert.Name] = played[alert.Name] || len(alert.Want) > 0
		}
	}
	for _, node := range documents(t, read(t, "chart/alerts.yaml")) {
		var file struct {
			Groups []struct{ Rules []struct{ Alert string } }
		}
		must(t, node.Decode(&file))
		for _, rule := range file.Groups[0].Rules {
			if !played[rule.Alert] {
				t.Errorf("no day of testdata/alerts.yaml sees %s fire", rule.Alert)
			}
		}
	}
}
