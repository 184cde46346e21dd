package parse

import (
	"encoding/json"
)

// Outcome is what the latest look at a call's arguments gave.
type Outcome struct {
	Known bool
	Tool  int
	Args  json.RawMessage
	Err   error // nil: they are valid
}
