// Package deploy holds what it takes to run the server in a container: a
// Dockerfile, a Compose file, a manifest for Kubernetes and a Helm chart. It has no
// code; its tests see that the files name only settings that the server knows, that
// the server starts with them, that paths they mount are the ones they name, that
// the container may do no more than it needs, and that manifests, also those that
// Helm's engine renders strictly from the chart, are what Kubernetes describes. Helm's
// own lint judges the chart, and promtool the alerts where it is there; with
// STAGECOACH_IMAGE=1 buildah builds the image, which is then started.
package deploy
