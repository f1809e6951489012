// Package dashboard serves the pages at "/": where the promotions of a repository
// stand, to look at. To act, each thing links to its place on GitHub. The pages say
// what the tracking issue says, in its words, from the store's working copy.
//
// People sign in with GitHub. What somebody may see is asked of GitHub with their own
// token, never with the App's rights.
//
// What holds when a request is answered:
//   - Without a session nothing is shown but how to sign in, a style sheet and a script.
//   - A repository that the person may not see is answered like one that does not exist.
//   - Nothing was changed but sessions, and those by a sign-in that this browser began, by
//     a form with this session's token, or by their end.
//   - Text of others is escaped, or is Markdown of package ledger; pages run no script and
//     load nothing but their own two files. A link leads into the dashboard or to GitHub.
//   - No request went to GitHub but those that ask who the person is and what they see.
//
// Memory is bounded: states are read on demand; what GitHub answered is kept for minutes,
// of a bounded number of people and repositories.
//
// The handler may serve any number of requests at the same time; several processes that
// share a store share its sessions.
package dashboard
