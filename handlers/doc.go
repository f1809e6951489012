// Package handlers is the way in from GitHub: it turns a webhook's payload into
// events of the core, and a comment into commands. GitHub's words end here.
//
// Translate asks nobody anything: what it returns follows from the payload
// alone, so the same delivery gives the same events however often it is taken
// up again. A payload is a hint that says where to look; what counts is read
// again by whoever acts on it. Payloads are decoded into small types that hold
// only what is used, so that a member that GitHub adds or changes elsewhere
// cannot stop a delivery.
//
// When Translate returns an error, the payload is malformed, and no later try
// can help. Actions that mean nothing to us give no event and no error.
//
// All functions may be called at the same time; nothing is kept between calls.
package handlers
