package anthropic

import (
	"testing"

	"tenon/server/chat"
)

// A client that reads max_tokens asks for more of them; one that reads of the context shortens its
// history.
func TestEncode_theLimitThatWasMetIsNamed(t *testing.T) {
	for want, f := range map[string]chat.Finish{
		"max_tokens":                    {Reason: chat.Length},
		"model_context_window_exceeded": {Reason: chat.Length, Full: true},
		"end_turn":                      {Reason: chat.Stop},
	} {
		if got, _ := stopReason(f); *got != want {
			t.Errorf("%+v: %s, want %s", f, *got, want)
		}
	}
}
