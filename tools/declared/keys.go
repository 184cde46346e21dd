package declared

import (
	"slices"
)

// CallKeys are the keys that an object which is a call may have. Where no marker says that it is one, another key
// decides that it is not.
var (
	NameKeys = []string{"name", "tool_name", "tool", "function_name", "function", "action", "tool_call", "recipient_name"}
	ArgsKeys = []string{"arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "kwargs", "function_args"}
	IdKeys   = []string{"id", "tool_call_id", "call_id"}
	ListKeys = []string{"tool_calls", "tool_uses"}
	CallKeys = slices.Concat(NameKeys, ArgsKeys, IdKeys, ListKeys, []string{"type", "index", "thought"})
)
