package turn

import (
	"fmt"
)

// ToolError is a tool definition or a choice that cannot be served.
type ToolError struct {
	Index   int    // of the tool; -1: the choice
	Name    string // of the tool, if it has one
	Field   string // "name", "parameters", "tool_choice"
	Message string
}

func (e *ToolError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("%s: %s", e.Field, e.Message)
	}
	return fmt.Sprintf("tools[%d] %q: %s: %s", e.Index, e.Name, e.Field, e.Message)
}
