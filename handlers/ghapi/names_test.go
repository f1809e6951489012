package ghapi_test

import (
	"context"
	"encoding/json"
	"time"
)

// Short names, so that tables stay readable.
type (
	jsonText = json.RawMessage
	contextT = context.Context
	duration = time.Duration
)

const minute = time.Minute
