// Package step holds the steps that edit files, one per file, over a workspace.
//
// Run reads a step's evaluated config, computes every new file, and only then
// writes. So after an error the workspace is as it was, unless the workspace
// itself failed while it was written to. After success it differs in what the
// step's config says and in nothing else: an edited file keeps every byte but
// those of the values that were set.
//
// Paths in configs are relative to the workspace's root. They never leave it,
// neither by "..", nor by an absolute path, nor by a symbolic link: links are
// followed inside the tree and refused where they lead out of it.
//
// A step that writes no file (the parsers, compose-output) gives outputs alone;
// fail ends in an Outcome that says no, which is no error.
//
// Errors are promotion.Terminal, as the same edit of the same files fails again,
// except those of the workspace's own reads and writes, which may pass.
//
// Run may be called at the same time with different workspaces.
package step
