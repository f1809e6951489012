// Package setup registers the GitHub App for a server, and mends what is wrong with one that was registered.
//
// Registering is GitHub's manifest flow: a page on this machine sends the browser to GitHub with the manifest, a person
// says yes there, GitHub sends the browser back with a code, and the code is exchanged for the App's credentials, which
// GitHub shows this once. They go into a file of variables that only its owner may read, or to where the caller prints
// them; no log, page or error holds them.
// https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
//
// What holds when Run returns:
//   - A file that was there keeps all its lines but the one that Run says it changed.
//   - With an error, no half file is left. When the App exists already, the error says where it is.
//   - Nothing listens any more.
//
// The page is for one browser: its address holds a random word, requests under another host's name are refused, and an
// answer counts only with the state that the form sent.
package setup
