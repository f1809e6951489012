// Package browser drives a Chromium in tests, over its debugging pipe and without a
// library: it opens pages, runs script in them, and takes pictures.
//
// The browser has a profile of its own, reaches nothing but this machine, and is gone
// when the test ends. Where no Chromium is installed, Start skips the test and says so;
// with STAGECOACH_BROWSER=required it fails instead.
package browser
