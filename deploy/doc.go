// Package deploy holds what it takes to run the server in a container: a
// Dockerfile, a Compose file and a manifest for Kubernetes. It has no code; its
// tests see that the files name only settings that the server knows, that the
// server starts with them, and that paths they mount are the ones they name.
package deploy
