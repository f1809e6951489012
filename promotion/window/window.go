package window

// Window is one line of a stage's windows, as written: exactly one of Allow and
// Deny is set.
type Window struct {
	Allow    string `json:"allow,omitempty"`
	Deny     string `json:"deny,omitempty"`
	Timezone string `json:"timezone,omitempty"` // IANA name; empty: UTC
}
