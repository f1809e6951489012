package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
)

var _ = register("edit", editSuite)

// editSuite measures steps against the libraries that they are built on, by the
// time that they have the processor.
func editSuite(ctx context.Context, b *bench) ([]row, error) {
	rows, err := updates(ctx, b)
	if err != nil || rendering == nil {
		return rows, err
	}
	more, err := rendering(ctx, b)
	return append(rows, more...), err
}

// rendering measures the steps that render, where they are linked.
var rendering suite

// updates compares yaml-update, its self-check included, with reading and
// writing the file by the YAML library.
func updates(ctx context.Context, b *bench) ([]row, error) {
	b.say("  yaml-update against the YAML library")
	src := valuesFile()
	config := json.RawMessage(`{"path": "f.yaml", "updates": [{"key": "service150.image.tag", "value": "2.0.0"}]}`)
	ours := func(int) (time.Duration, error) {
		ws := steptest.New(map[string]string{"f.yaml": src})
		begin := processor()
		_, err := step.Run(ctx, ws, step.Task{Uses: "yaml-update", Config: config})
		if took := processor() - begin; err != nil || ws.Files["f.yaml"].Content != src {
			return took, err
		}
		return 0, fmt.Errorf("yaml-update changed nothing")
	}
	library := func(int) (time.Duration, error) {
		begin := processor()
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(src), &n); err != nil {
			return 0, err
		}
		_, err := yaml.Marshal(&n)
		return processor() - begin, err
	}
	times, err := contest(ctx, b.pick(200, 60), ours, library)
	if err != nil {
		return nil, err
	}
	size := fmt.Sprintf("%d KB", len(src)/1024)
	return []row{
		value("yaml-update, "+size, times[0], "ms"),
		value("the library reads and writes it", times[1], "ms"),
		value("yaml-update / library", times[0]/times[1], "").atMost(0.6),
	}, nil
}

// valuesFile is a file of values for 245 services.
func valuesFile() string {
	var out strings.Builder
	for i := range 245 {
		fmt.Fprintf(&out, "service%d: # owned by team %d\n  image:\n    repository: ghcr.io/acme/service%d\n    tag: \"1.4.%d\"\n  replicas: %d\n  env: [a, b]\n", i, i%7, i, i, i%5)
	}
	return out.String()
}
