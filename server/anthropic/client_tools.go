package anthropic

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Tools that Anthropic defines and the client runs are declared by their type alone. The vendor's
// models were taught them; any other has to be told what they do and which input they take. The
// inputs are those of the pages bash-tool, text-editor-tool, computer-use-tool and memory-tool
// below https://platform.claude.com/docs/en/agents-and-tools/tool-use, and of the SDKs' types.

// clientTool is such a tool.
type clientTool struct {
	// what its type begins with; the first tool that fits counts
	Types       []string        `json:"types"`
	Name        string          `json:"name"` // where the client gives none
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

//go:embed client_tools.json
var clientToolsFile []byte

var clientTools = sync.OnceValue(func() (all []clientTool) {
	var compact bytes.Buffer
	_ = json.Compact(&compact, clientToolsFile) // a test reads it
	_ = json.Unmarshal(compact.Bytes(), &all)
	return all
})

// known returns a tool that is declared by its type alone as one that says what it does; false
// where the type is another's.
func (t tool) known() (tool, bool) {
	fits := func(begin string) bool { return strings.HasPrefix(t.Type, begin) }
	for _, k := range clientTools() {
		if !slices.ContainsFunc(k.Types, fits) {
			continue
		}
		t.Name, t.Description, t.InputSchema = cmp.Or(t.Name, k.Name), k.Description, k.InputSchema
		if t.Width > 0 && t.Height > 0 {
			t.Description += fmt.Sprintf(" The screen has %d × %d pixels.", t.Width, t.Height)
		}
		return t, true
	}
	return t, false
}
