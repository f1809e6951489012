package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// outputFlag is --output: text for people, or one JSON value on stdout, also on
// failure.
type outputFlag struct{ format string }

func (o *outputFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "output", "text", "how to print: text or json")
	check := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if o.format != "text" && o.format != "json" {
			return usageError{fmt.Errorf("--output is %q: it must be text or json", o.format)}
		}
		if check != nil {
			return check(cmd, args)
		}
		return nil
	}
}

func (o *outputFlag) json() bool { return o.format == "json" }

// print writes value as JSON, or text, as asked for.
func (o *outputFlag) print(cmd *cobra.Command, value any, text string) error {
	if !o.json() {
		_, err := io.WriteString(cmd.OutOrStdout(), visible(text))
		return err
	}
	return encode(cmd.OutOrStdout(), value)
}

// visible writes what a terminal would act on, or not show, as Go does (\x1b, \u202e):
// control characters and changes of direction in other people's texts.
func visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', r == '\t', !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r):
			out.WriteRune(r)
		default:
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return out.String()
}

// isTerminal reports whether what is written there is read by a person at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// encode writes one JSON value on one line.
func encode(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// failed writes why there is nothing to print, where JSON is asked for, and returns
// err, which main prints on stderr.
func (o *outputFlag) failed(cmd *cobra.Command, err error) error {
	if o.json() {
		_ = encode(cmd.OutOrStdout(), map[string]string{"error": err.Error()})
	}
	return err
}
