package eventlog

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// An event may be set aside anew while its old record is removed: that it is gone
// is what was wanted. nats.go tells of it in text alone.
func TestAMessageThatIsGoneIsNoError(t *testing.T) {
	gone := fmt.Errorf("%w: %s", jetstream.ErrMsgDeleteUnsuccessful, "nats: API error: code=500 err_code=10057 description=no message found")
	if !isNoMessage(gone) {
		t.Errorf("%v counts as an error", gone)
	}
	if isNoMessage(fmt.Errorf("%w: %s", jetstream.ErrMsgDeleteUnsuccessful, "nats: API error: code=503 err_code=10008 description=jetstream system temporarily unavailable")) {
		t.Error("a store that is not available counts as gone")
	}
}
