// Package doctor looks at everything that a server needs and says what is wrong and
// how to mend it: GitHub's address and clock, the App's credentials, permissions,
// events and webhook, its installations, what became of the last deliveries, the data
// directory and the engine.
//
// What holds when Run returns: each check was made or says why it could not be;
// nothing was changed on GitHub; on disk nothing is left. No secret is in a report.
// Several Runs may go on at the same time, also beside a running server.
package doctor
