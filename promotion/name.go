package promotion

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
)

// crockford is the alphabet of ULIDs (https://github.com/ulid/spec), in the
// lower case that promotion names use.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// NewName names a promotion: <stage>.<ulid>.<7 of freight>. The ULID's time is
// at, in milliseconds, so that a stage's names sort by creation; its random part
// hashes the cause, so that one cause names one promotion.
func NewName(stage string, at time.Time, cause, freight string) string {
	return fmt.Sprintf("%s.%s%s.%s", stage, ulidTime(at), causePart(cause), short(freight))
}

// ulidTime is the first 10 characters of a ULID: 48 bits of milliseconds.
func ulidTime(at time.Time) string {
	ms := uint64(at.UnixMilli())
	out := make([]byte, 10)
	for i := 9; i >= 0; i-- {
		out[i] = crockford[ms&31]
		ms >>= 5
	}
	return string(out)
}

// causePart is the last 16 characters of a ULID: 80 bits, here of a hash.
func causePart(cause string) string {
	sum := sha256.Sum256([]byte(cause))
	out := make([]byte, 16)
	for i := range out {
		bit := i * 5
		pair := uint16(sum[bit/8])<<8 | uint16(sum[bit/8+1])
		out[i] = crockford[pair>>(11-bit%8)&31]
	}
	return string(out)
}

// Named is a promotion's name taken apart.
type Named struct {
	Stage   string
	Cause   string    // the 16 characters that hash the cause
	Freight string    // the first 7 digits of the freight's ID
	At      time.Time // to the millisecond, UTC
}

// ParseName takes a promotion's name apart; ok is false when it is none.
func ParseName(name string) (n Named, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || parts[0] == "" || len(parts[1]) != 26 || len(parts[2]) != 7 {
		return Named{}, false
	}
	var ms int64
	for _, c := range parts[1][:10] {
		v := strings.IndexRune(crockford, c)
		if v < 0 {
			return Named{}, false
		}
		ms = ms<<5 | int64(v)
	}
	return Named{Stage: parts[0], Cause: parts[1][10:], Freight: parts[2], At: time.UnixMilli(ms).UTC()}, true
}

// BranchName is the branch that a pull request's promotion is pushed to.
func BranchName(pipeline, stage, promotion string) string {
	return "stagecoach/" + pipeline + "/" + stage + "/" + promotion
}

// ParseBranch takes apart a branch that BranchName made.
func ParseBranch(branch string) (pipeline, stage, promotion string, ok bool) {
	parts := strings.Split(branch, "/")
	if len(parts) != 4 || parts[0] != "stagecoach" {
		return "", "", "", false
	}
	n, valid := ParseName(parts[3])
	return parts[1], parts[2], parts[3], valid && n.Stage == parts[2]
}

// DefaultPipeline is the name of the pipeline in .github/stagecoach.yml.
const DefaultPipeline = "default"

// StageRef names a stage for people and in trailers: STAGE, or PIPELINE/STAGE
// outside the default pipeline.
func StageRef(pipeline, stage string) string {
	if pipeline == DefaultPipeline || pipeline == "" {
		return stage
	}
	return pipeline + "/" + stage
}

// CheckName is the check run of a stage.
func CheckName(pipeline, stage string) string { return "stagecoach/" + StageRef(pipeline, stage) }

// The trailers of every commit that a promotion makes (DESIGN, section 5).
const (
	TrailerPromotion   = "Stagecoach-Promotion"
	TrailerFreight     = "Stagecoach-Freight"
	TrailerStage       = "Stagecoach-Stage"
	TrailerRequestedBy = "Stagecoach-Requested-By"
)

// inertJSON writes JSON in which GitHub sees no mention, and no reference that a keyword
// could close. It means the same.
var inertJSON = strings.NewReplacer("@", `\u0040`, "#", `\u0023`, "/", `\/`, "GH-", `GH\u002d`, "gh-", `gh\u002d`)

// Trailers are those of a promotion's commits, a line each: by them everybody,
// we included, can tell whose commit it is (DESIGN, section 5), and what f, the freight
// that it carries, is made of; nil: not known.
func (p *Promotion) Trailers(f *Freight) string {
	artifacts := ""
	if f != nil && f.ID == p.Freight {
		artifacts = f.artifactsTrailer()
	}
	var b strings.Builder
	for _, each := range [][2]string{
		{TrailerPromotion, p.Name},
		{TrailerFreight, p.Freight},
		{TrailerStage, StageRef(p.Pipeline, p.Stage)},
		{TrailerRequestedBy, p.RequestedBy},
		{TrailerArtifacts, inertJSON.Replace(artifacts)},
	} {
		if each[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", each[0], strings.Join(strings.Fields(each[1]), " "))
		}
	}
	return b.String()
}

// Trailer returns the value of the trailer key in a commit message, or "".
// The last one wins, as in git interpret-trailers.
func Trailer(message, key string) string {
	value := ""
	for line := range strings.Lines(message) {
		name, rest, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(strings.TrimSpace(name), key) {
			value = strings.TrimSpace(rest)
		}
	}
	return value
}
