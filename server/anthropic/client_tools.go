package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"
)

// Tools that Anthropic defines and the client runs are declared by their type alone. The vendor's
// models were taught them; any other has to be told what they do and which input they take, as
// published in https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/bash-tool and
// …/text-editor-tool.

// clientTool is such a tool.
type clientTool struct {
	kind        string // what its type begins with; the first that fits counts
	name        string // where the client gives none
	description string
	schema      string
}

var clientTools = []clientTool{
	{
		kind: "bash_20", name: "bash",
		description: "Run a command in a bash session that lasts: its folder, variables and files are there in the next call.",
		schema: `{"type":"object","properties":{
"command":{"type":"string","description":"The command to run. Required unless the session is restarted."},
"restart":{"type":"boolean","description":"true starts the session anew."}},
"anyOf":[{"required":["command"]},{"required":["restart"]}]}`,
	},
	{
		kind: "text_editor_2024", name: "str_replace_editor", description: editing + " undo_edit takes the last change of a file back.",
		schema: editorSchema(`,"undo_edit"`, "new_str"),
	},
	{
		kind: "text_editor_20250124", name: "str_replace_editor", description: editing + " undo_edit takes the last change of a file back.",
		schema: editorSchema(`,"undo_edit"`, "new_str"),
	},
	{
		kind: "text_editor_20", name: "str_replace_based_edit_tool", description: editing, schema: editorSchema("", "insert_text"),
	},
}

const editing = "View, create and change text files. view shows a file with line numbers, or what is in a folder; create writes a new file; " +
	"str_replace replaces a text that stands in the file exactly once; insert puts text behind a line."

// editorSchema is the input of the text editor. Its first versions had one more command, and
// another name for the inserted text.
func editorSchema(commands, inserted string) string {
	properties := `"command":{"type":"string","enum":["view","create","str_replace","insert"` + commands + `],"description":"What to do."},
"path":{"type":"string","description":"The file or folder."},
"view_range":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2,"description":"For view: the first and the last line, from 1; -1 is the file's end."},
"file_text":{"type":"string","description":"For create: the file's text."},
"old_str":{"type":"string","description":"For str_replace: the text to replace, exactly as it stands in the file."},
"new_str":{"type":"string","description":"For str_replace: the text in its place; left out, the old text goes."},
"insert_line":{"type":"integer","minimum":0,"description":"For insert: the line behind which the text goes; 0 is the file's beginning."}`
	if inserted != "new_str" {
		properties += `,"` + inserted + `":{"type":"string","description":"For insert: the text."}`
	}
	return `{"type":"object","required":["command","path"],"properties":{` + properties + `}}`
}

// known returns a tool that is declared by its type alone as one that says what it does; false
// where the type is another's.
func (t tool) known() (tool, bool) {
	for _, k := range clientTools {
		if strings.HasPrefix(t.Type, k.kind) {
			t.Name, t.Description, t.InputSchema = cmp.Or(t.Name, k.name), k.description, json.RawMessage(k.schema)
			return t, true
		}
	}
	return t, false
}
