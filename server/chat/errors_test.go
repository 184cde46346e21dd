package chat

import (
	"testing"

	"tenon/engine"
)

// An engine's error that callers branch on is told apart in every protocol, too.
func TestAsError_knowsEveryKindOfTheEngine(t *testing.T) {
	for name, err := range engine.Kinds {
		if e := AsError(err); e.Kind == Internal {
			t.Errorf("%s is an internal error", name)
		}
	}
}
