// Package page serves web pages for a person over the simulated GitHub: repositories, files, commits, issues, pull requests
// and check runs, under GitHub's own addresses, so that links in texts of an App lead somewhere. Who is at the keyboard
// is a choice in the head of every page; there are no passwords. It is for the demo and for looking at what a test made.
//
// The pages read the simulator's snapshots and change nothing by themselves. What a person does goes through their
// ghsim.Person, that is through REST with their own token or through a push, so that GitHub's permissions and refusals
// apply and webhooks are sent.
//
// What holds when a request is answered:
//   - A form without the token of its browser's session changed nothing.
//   - A refused act changed nothing, and the next page says why, in GitHub's words; a text that was typed is still there.
//   - All text of others is escaped, or is Markdown after the policy of package markdown. The pages allow scripts and
//     styles only from themselves.
//
// The handler may serve any number of requests at the same time.
package page
