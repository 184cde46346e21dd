package tools

import (
	"encoding/json"

	"tenon/tools/bind"
	"tenon/tools/declared"
	"tenon/tools/emit"
	"tenon/tools/retry"
	"tenon/tools/turn"
)

// What a turn is made of (package turn).
type (
	Tool      = turn.Tool
	Freeform  = turn.Freeform
	Mode      = turn.Mode
	Choice    = turn.Choice
	Call      = turn.Call
	Repair    = turn.Repair
	Turn      = turn.Turn
	Thinking  = turn.Thinking
	Answer    = turn.Answer
	Event     = turn.Event
	Note      = turn.Note
	Parser    = turn.Parser
	ToolError = turn.ToolError
	Refusal   = turn.Refusal
)

// The modes of a choice, and the kinds of events (package turn).
const (
	Auto     = turn.Auto
	None     = turn.None
	Required = turn.Required

	Text          = turn.Text
	Reasoning     = turn.Reasoning
	CallStart     = turn.CallStart
	CallArguments = turn.CallArguments
	CallEnd       = turn.CallEnd
	StopHit       = turn.StopHit
)

type (
	Evidence = bind.Evidence // what is known of a model's way of calling
	Shown    = bind.Shown    // how a template renders canonical turns
	Binding  = bind.Binding  // the dialect that was found, and how
	Piece    = emit.Piece    // text, or one marker, of what a family writes
	Fault    = retry.Fault   // a call whose arguments do not validate
)

// Arguments is the schema that a tool's arguments are held to: the declared one, without the nulls
// that stand for absent keywords ([Heal]), and for objects only. narrowed tells that it allowed
// other values.
func Arguments(schema json.RawMessage) (object json.RawMessage, narrowed bool) {
	return declared.Arguments(schema)
}

// Heal leaves the keywords out of a schema, valid JSON, whose value is null: clients in Go write
// so what they do not set.
func Heal(schema json.RawMessage) json.RawMessage { return declared.Heal(schema) }

// PromptName is the name by which the model sees a tool. A namespace goes before the name.
func PromptName(namespace, name string) string { return turn.PromptName(namespace, name) }
