package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

// row is one measured value.
type row struct {
	Suite  string  `json:"suite"`
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Budget string  `json:"budget"` // "≤ 0.6" for example; empty: there is none
	Pass   bool    `json:"pass"`   // true where there is no budget
}

// value is a row without a budget; unit is empty for a count or a ratio.
func value(name string, v float64, unit string) row {
	return row{Name: name, Value: v, Unit: unit, Pass: true}
}

func (r row) atMost(limit float64) row {
	return r.budget("≤", limit, r.Value <= limit)
}

func (r row) atLeast(limit float64) row {
	return r.budget("≥", limit, r.Value >= limit)
}

func (r row) exactly(want float64) row {
	return r.budget("=", want, r.Value == want)
}

func (r row) budget(sign string, limit float64, pass bool) row {
	r.Budget, r.Pass = sign+" "+short(limit), pass && !math.IsNaN(r.Value)
	return r
}

// short shows three digits that count, and all of a large number.
func short(v float64) string {
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func writeJSON(w io.Writer, rows []row) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if rows == nil {
		rows = []row{}
	}
	return e.Encode(rows)
}

func writeTable(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "suite\twhat\tmeasured\tbudget\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Suite, r.Name, space(short(r.Value), r.Unit), space(r.Budget, r.Unit), verdict(r))
	}
	return t.Flush()
}

func space(v, unit string) string {
	if v == "" || unit == "" {
		return v
	}
	return v + " " + unit
}

func verdict(r row) string {
	switch {
	case r.Budget == "":
		return ""
	case r.Pass:
		return "ok"
	}
	return "MISSED"
}
