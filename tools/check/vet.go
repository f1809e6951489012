package main

import (
	"context"
	"slices"
	"strings"
)

// large are packages of steps with large libraries. The build tag small leaves
// out the files that link them into others.
var large = []string{"gitops/step/helm", "gitops/step/kustomize"}

// linksLarge have such files.
var linksLarge = []string{".", "bench", "deploy", "docs", "gitops/step", "server"}

const withoutLarge = "-tags=small"

func vet(ctx context.Context) error {
	dirs, err := smallPackages(ctx)
	if err != nil {
		return err
	}
	return command(ctx, "go", append([]string{"vet", withoutLarge}, dirs...)...)
}

func lint(ctx context.Context) error {
	dirs, err := smallPackages(ctx)
	if err != nil {
		return err
	}
	return command(ctx, "go", append([]string{"tool", "-modfile=tools/lint.mod", "staticcheck", withoutLarge}, dirs...)...)
}

// vetLarge vets and lints what the others leave out.
func vetLarge(ctx context.Context) error {
	var dirs []string
	for _, dir := range slices.Concat(large, linksLarge) {
		dirs = append(dirs, "./"+dir)
	}
	if err := command(ctx, "go", append([]string{"vet"}, dirs...)...); err != nil {
		return err
	}
	return command(ctx, "go", append([]string{"tool", "-modfile=tools/lint.mod", "staticcheck"}, dirs...)...)
}

// smallPackages are all but the large ones.
func smallPackages(ctx context.Context) ([]string, error) {
	race, plain, err := packages(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(append(race, plain...), func(path string) bool {
		return slices.ContainsFunc(large, func(dir string) bool { return strings.HasSuffix(path, "/"+dir) })
	}), nil
}
