// Package egress guards requests to addresses that a pipeline's author chose:
// chart repositories, registries, schemas. The server stands inside a network
// whose other members trust it; a pipeline must not be a way to them.
//
// A Policy lets connections go to public addresses, and to those private ones
// that the operator allowed. It judges the address that is dialed, after the name
// was looked up, so a name that first answers with a public address and then with
// a private one gains nothing, and each hop of a redirect is judged too. A
// proxy from the environment is not used, as it would dial in the guard's place.
//
// A refused address is an error that errors.As finds as *Refused. Nothing was
// sent then. All of it may be called at the same time.
package egress
