// Package helm holds the steps helm-template and helm-update-chart: Helm's own
// engine and chart packages over the workspace. Importing it registers the steps;
// it is a package of its own because the library is large.
//
// Rendering reads the workspace alone. The network is asked only for what a
// chart's dependencies or the references of its schema name, through
// step.Task.Client, which guards where requests go; without one such a need is an
// error. Templates see no environment, no cluster and no DNS, as in
// `helm template`; what differs from run to run (random text, the time) is
// rendered once, since a step's outcome is recorded.
//
// A template is a program by whoever may write to a repository, so it is bounded:
// each loop, each named template and each function looks whether time or memory
// is used up, and no function gives a value larger than a few tens of megabytes
// or one that holds itself. To that end the sources are rendered with a call at
// the head of each body, which shifts columns in messages about the same line.
//
// Steps may run at the same time; a few render at once, others wait.
package helm
