//go:build race

package model_test

// underRace says that the race detector runs: less is played then.
const underRace = true
