// Package metric keeps numbers and shows them in the text form of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats).
//
// A family is one metric with a series for each set of label values. The number of series is bounded: beyond
// MostSeries, what is new counts in one series whose bounded labels say "(others)", so that many repositories can
// cost neither memory nor the one who scrapes.
//
// All methods may be called at the same time.
package metric
