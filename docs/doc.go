// Package docs holds what people read about Stagecoach. It has no code; its tests
// see that the pages are true as far as a test can tell: links lead somewhere,
// tables name the keys, settings, steps and commands that this version has,
// examples can be read, and the rooms import what their table lets them.
//
//	go test ./docs -update
//
// writes the parts that are generated.
package docs
