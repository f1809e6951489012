// Package tag chooses among the tags of an image, a chart or a git repository:
// which of them count, and which of those is the newest.
//
// What holds: a choice depends on the tags alone, never on the order in which
// they came, and of tags that name one version (v1.2.3 and 1.2.3) it is always the
// same one that wins. Versions are those of semver.org in full, with or without a
// v in front: what merely looks like one (1.2, 20240131, 4f2a9c1) is none, because
// it would stand above every real version. All of it may be called at the same time.
package tag
