package promotion

import (
	"encoding/json"
	"time"
)

// TrailerArtifacts says in the commit that brings freight what it is made of. Its ID
// is a hash of that, so whoever reads the trailer can tell that nobody changed it. It
// is how freight is known again that is no longer the newest, when the tracking issue
// and the disk are lost together.
const TrailerArtifacts = "Stagecoach-Artifacts"

// carried is what that trailer holds, as JSON in one line.
type carried struct {
	Number    int64      `json:"number,omitempty"` // see Freight.Number; 0: it is older than all that came by itself
	CreatedAt time.Time  `json:"created,omitzero"` // see Freight.CreatedAt
	Artifacts []Artifact `json:"artifacts"`        // without titles: others' words have no place in our commits
}

// Bounds of what is believed of a trailer: whoever may push can write one.
const (
	longestCarried = 16 << 10 // bytes
	highestNumber  = 1 << 40
)

// artifactsTrailer is the value of the trailer; "": it would be longer than anybody reads.
func (f *Freight) artifactsTrailer() string {
	all := make([]Artifact, len(f.Artifacts))
	for i, a := range f.Artifacts {
		a.Title, a.From, a.Revision = "", "", ""
		all[i] = a
	}
	raw, err := json.Marshal(carried{Number: f.Number, CreatedAt: f.CreatedAt.UTC(), Artifacts: all})
	if err != nil || len(raw) > longestCarried {
		return ""
	}
	return string(raw)
}

// CarriedFreight is the freight that a commit's message says it brings; nil: it does
// not say, or what it says is not what it names.
func CarriedFreight(message string) *Freight {
	value := Trailer(message, TrailerArtifacts)
	var c carried
	if len(value) > longestCarried || json.Unmarshal([]byte(value), &c) != nil {
		return nil
	}
	if len(c.Artifacts) == 0 || c.Number < 0 || c.Number > highestNumber {
		return nil
	}
	f := NewFreight(c.Artifacts, c.Number, c.CreatedAt)
	if f.ID != Trailer(message, TrailerFreight) {
		return nil
	}
	return f
}
