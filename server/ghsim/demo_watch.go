package ghsim

import (
	"context"
	"net/http"
)

type watcherKey struct{}

// Watched is a request for ServeHTTP whose record is given to f, after its effect and before the client has its answer: for
// a handler around the simulator that knows more of the request, such as its body. f is not called when no route matches.
func Watched(r *http.Request, f func(Request)) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), watcherKey{}, f))
}

// tellWatcher tells who watches this one request.
func tellWatcher(r *http.Request, entry Request) {
	if f, ok := r.Context().Value(watcherKey{}).(func(Request)); ok {
		f(entry)
	}
}
