package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The exit codes.
const (
	exitPassed = 0
	exitMissed = 1 // a budget failed
	exitError  = 2 // wrong usage, or something could not be measured
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings given, so that a test can call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("suite", "", "run one suite: "+strings.Join(names(), ", "))
	quick := flags.Bool("quick", false, "smaller sizes and fewer rounds: within a minute")
	asJSON := flags.Bool("json", false, "print the rows as JSON")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitPassed
	} else if err != nil {
		return exitError
	}
	rows, err := measure(ctx, *only, &bench{quick: *quick, log: stderr})
	if err == nil && *asJSON {
		err = writeJSON(stdout, rows)
	} else if err == nil {
		err = writeTable(stdout, rows)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitError
	}
	for _, r := range rows {
		if !r.Pass {
			return exitMissed
		}
	}
	return exitPassed
}
