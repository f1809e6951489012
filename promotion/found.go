package promotion

import "time"

// Found is a promotion's trace on GitHub, seen by KindAdopt: its branch, or its commit
// on the branch that its stage writes.
type Found struct {
	Promotion   string    `json:"promotion"` // its name
	Pipeline    string    `json:"pipeline"`
	Freight     string    `json:"freight"`           // ID of 40 digits; empty when only the name is known
	Carries     *Freight  `json:"carries,omitempty"` // what its commit says of the freight; nil: nothing
	RequestedBy string    `json:"requestedBy,omitempty"`
	Branch      string    `json:"branch"` // where it was found
	Commit      string    `json:"commit"` // of the promotion, where one is known
	At          time.Time `json:"at,omitzero"`
	// At: the commit's date. Of one that we made that is when the promotion started.
	Foreign bool `json:"foreign,omitempty"` // somebody else's commit is the branch's tip
	Landed  bool `json:"landed"`            // it is on the stage's own branch
	// Depth is how many commits of that branch came after it: 0 is the tip.
	Depth int        `json:"depth,omitempty"`
	Pull  *FoundPull `json:"pull,omitempty"` // its last pull request, where that was looked for; nil: it was not, or there is none
}

// FoundPull is a promotion's pull request, as GitHub's list shows it.
type FoundPull struct {
	Number   int      `json:"number"`
	URL      string   `json:"url,omitempty"`
	Branch   string   `json:"branch"` // from which it comes
	Base     string   `json:"base"`   // to which it goes
	Head     string   `json:"head"`   // commit
	State    string   `json:"state"`  // open, merged, closed
	MergedAs string   `json:"mergedAs,omitempty"`
	Pushers  []string `json:"pushers,omitempty"` // logins of people whose commits it holds
}
