package wire

import (
	"encoding/json"
	"testing"
)

// A request can only narrow what runs unasked: a tool that stands in both lists is asked about.
func TestApprovals_alwaysWins(t *testing.T) {
	ask, err := approvals(json.RawMessage(`{"never":{"tool_names":["a","b"]},"always":{"tool_names":["b"]}}`), "require_approval")
	if err != nil || ask("a") || !ask("b") || !ask("c") {
		t.Errorf("%v: %v %v %v", err, ask("a"), ask("b"), ask("c"))
	}
	if _, err := approvals(json.RawMessage(`{"always":{"read_only":true}}`), "require_approval"); err == nil {
		t.Error("a filter that is not served is accepted")
	}
}
