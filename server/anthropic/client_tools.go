package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Tools that Anthropic defines and the client runs are declared by their type alone. The vendor's
// models were taught them; any other has to be told what they do and which input they take. The
// inputs are those of the pages bash-tool, text-editor-tool, computer-use-tool and memory-tool
// below https://platform.claude.com/docs/en/agents-and-tools/tool-use, and of the SDKs' types.

// clientTool is such a tool.
type clientTool struct {
	kind        string // what its type begins with; the first that fits counts
	name        string // where the client gives none
	description string
	by          string // the member that says what is to be done; "" where none does
	forms       string // for each value of it, the members that go with it; a mark after those that may be left out
}

var clientTools = []clientTool{
	{
		kind: "bash_20", name: "bash", forms: "command; restart",
		description: "Run a command in a bash session that lasts: its folder, variables and files are there in the next call.",
	},
	{kind: "text_editor_2024", name: "str_replace_editor", by: "command", description: editing + undoing, forms: olderEditor},
	{kind: "text_editor_20250124", name: "str_replace_editor", by: "command", description: editing + undoing, forms: olderEditor},
	{
		kind: "text_editor_20", name: "str_replace_based_edit_tool", by: "command",
		description: editing, forms: editor + "insert path insert_line insert_text",
	},
	{
		kind: "memory_20", name: "memory", by: "command",
		description: "Keep notes in files below /memories, which are there in later conversations: look there first, and write down what will be of use. " +
			editing + " delete removes a file or folder; rename gives it another path.",
		forms: editor + "insert path insert_line insert_text; delete path; rename old_path new_path",
	},
	{
		kind: "computer_2024", name: "computer", by: "action", description: pointing,
		forms: "key text; type text; mouse_move coordinate; left_click; left_click_drag coordinate; right_click; middle_click; double_click; screenshot; cursor_position",
	},
	{kind: "computer_202501", name: "computer", by: "action", description: pointing, forms: computer},
	{kind: "computer_20", name: "computer", by: "action", description: pointing + " zoom shows a part of it in full.", forms: computer + "; zoom region"},
}

const (
	editing = "View, create and change text files. view shows a file with line numbers, or what is in a folder; create writes a new file; " +
		"str_replace replaces a text that stands in the file exactly once; insert puts text behind a line."
	undoing = " undo_edit takes the last change of a file back."
	editor  = "view path view_range?; create path file_text; str_replace path old_str new_str?; "

	olderEditor = editor + "insert path insert_line new_str; undo_edit path"

	pointing = "Use a computer's mouse and keyboard, and look at its screen. Places are in pixels from the upper left corner."
	computer = "key text; hold_key text duration; type text; cursor_position; mouse_move coordinate; left_mouse_down; left_mouse_up; " +
		"left_click coordinate? text?; left_click_drag start_coordinate coordinate; right_click coordinate? text?; middle_click coordinate? text?; " +
		"double_click coordinate? text?; triple_click coordinate? text?; scroll coordinate? scroll_direction scroll_amount text?; wait duration; screenshot"
)

// clientInputs are the members of the inputs, without their braces.
var clientInputs = map[string]string{
	"command":          `"type":"string","description":"The command to run."`,
	"restart":          `"const":true,"description":"Starts the session anew."`,
	"path":             `"type":"string","description":"The file or folder."`,
	"view_range":       `"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2,"description":"The first and the last line, from 1; -1 is the file's end."`,
	"file_text":        `"type":"string","description":"The file's text."`,
	"old_str":          `"type":"string","description":"The text to replace, exactly as it stands in the file."`,
	"new_str":          `"type":"string","description":"The new text."`,
	"insert_line":      `"type":"integer","minimum":0,"description":"The line behind which the text goes; 0 is the file's beginning."`,
	"insert_text":      `"type":"string","description":"The text."`,
	"old_path":         `"type":"string","description":"The path that it has."`,
	"new_path":         `"type":"string","description":"The path that it gets."`,
	"text":             `"type":"string","description":"The text to type, the keys to press (such as ctrl+s), or those to hold while clicking."`,
	"coordinate":       point + `"minItems":2,"maxItems":2,"description":"The place, x and y."`,
	"start_coordinate": point + `"minItems":2,"maxItems":2,"description":"The place where dragging begins."`,
	"region":           point + `"minItems":4,"maxItems":4,"description":"x and y of its upper left and its lower right corner."`,
	"duration":         `"type":"number","minimum":0,"maximum":300,"description":"Seconds."`,
	"scroll_direction": `"enum":["up","down","left","right"]`,
	"scroll_amount":    `"type":"integer","minimum":0,"description":"Notches of the wheel."`,
}

const point = `"type":"array","items":{"type":"integer","minimum":0},`

// schema is the input: a form demands its members.
func (k clientTool) schema() json.RawMessage {
	var values, members, alternatives []string
	seen := map[string]bool{}
	for form := range strings.SplitSeq(k.forms, "; ") {
		names := strings.Fields(form)
		var required, condition string
		if k.by != "" {
			condition = fmt.Sprintf(`"properties":{%q:{"const":%q}},`, k.by, names[0])
			values, names, required = append(values, fmt.Sprintf("%q", names[0])), names[1:], fmt.Sprintf(",%q", k.by)
		}
		for _, name := range names {
			name, optional := strings.CutSuffix(name, "?")
			if !optional {
				required += fmt.Sprintf(",%q", name)
			}
			if !seen[name] {
				seen[name] = true
				members = append(members, fmt.Sprintf(`%q:{%s}`, name, clientInputs[name]))
			}
		}
		alternatives = append(alternatives, fmt.Sprintf(`{%s"required":[%s]}`, condition, required[1:]))
	}
	if k.by != "" {
		members = append([]string{fmt.Sprintf(`%q:{"enum":[%s],"description":"What to do."}`, k.by, strings.Join(values, ","))}, members...)
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"anyOf":[%s]}`, strings.Join(members, ","), strings.Join(alternatives, ",")))
}

// known returns a tool that is declared by its type alone as one that says what it does; false
// where the type is another's.
func (t tool) known() (tool, bool) {
	for _, k := range clientTools {
		if !strings.HasPrefix(t.Type, k.kind) {
			continue
		}
		t.Name, t.Description, t.InputSchema = cmp.Or(t.Name, k.name), k.description, k.schema()
		if t.Width > 0 && t.Height > 0 {
			t.Description += fmt.Sprintf(" The screen has %d × %d pixels.", t.Width, t.Height)
		}
		return t, true
	}
	return t, false
}
