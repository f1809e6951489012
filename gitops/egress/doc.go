// Package egress guards requests to addresses that a pipeline's author chose:
// chart repositories, registries, schemas. The server stands inside a network
// whose other members trust it; a pipeline must not be a way to them.
//
// A Policy lets connections go to public addresses, and to those private ones
// that the operator allowed. It judges the address that is dialed, after the name
// was looked up, so a name that first answers with a public address and then with
// a private one gains nothing, and each hop of a redirect is judged too.
//
// A proxy that the environment names is used. It dials in the guard's place, so what
// it is asked for is judged before: an address, and those of a name that can be looked
// up here. A name that cannot is left to the proxy, unless it is one of an inner
// network. The proxy itself is the operator's, and may be anywhere.
//
// A refused address is an error that errors.As finds as *Refused. Nothing was
// sent then. All of it may be called at the same time.
package egress
