// Package registry asks registries of images and repositories of charts which
// versions there are.
//
// What holds when Image or Chart returns without an error: the digest is that of
// bytes which were received and hashed here, the tag stood in the registry's own
// list, and whoever owns the pipeline may read it by the credentials that the
// operator gave for that owner, or nobody needs any. The credentials, connections
// and remembered answers of one owner are never used for another one.
//
// Every connection is judged by the policy of gitops/egress, redirects too. What a
// registry answered is asked for again by its ETag. A registry's limit (429, or
// Docker Hub's headers) is a promotion.RetryAfter, and until then nothing more is
// sent there for that owner. What trying again cannot help (no such image, credentials refused, a registry that
// says one digest and sends another) is promotion.Terminal.
//
// All methods may be called at the same time.
package registry
