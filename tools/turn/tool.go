package turn

import (
	"encoding/json"
)

// MaxName is the longest name of a tool, as OpenAI and Anthropic limit it, with room for a namespace.
const MaxName = 256

// Tool is a tool that a client declared.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments; nil: an object without properties
	Strict      bool            // a keyword that cannot be enforced is an error instead of an issue
	Freeform    *Freeform       // set: the input is text, not JSON, and Parameters is nil
	Namespace   string          // the name of the group a client put it in; "" for none
}

// Freeform describes a tool whose input is text.
type Freeform struct {
	Syntax     string // "lark", "regex" or "" for any text
	Definition string
}

// Mode of a Choice.
type Mode uint8

const (
	Auto     Mode = iota // the model decides
	None                 // no call
	Required             // at least one call
)

// Choice says what a turn may call.
type Choice struct {
	Mode  Mode
	Names []string // only these tools; empty: every declared tool
}

// Call is a call that a model made: it names a declared tool and its arguments validate against the tool's schema.
type Call struct {
	ID        string
	Index     int // place among the turn's calls, from 0
	Name      string
	Namespace string
	Arguments json.RawMessage // a JSON object; nil for a free-form tool
	Input     string          // a free-form tool's text
}

// Repair is a change that made a model's call valid without changing its meaning.
type Repair struct {
	Rule    string `json:"rule"` // the rule's name, such as "number-from-string"
	Tool    string `json:"tool"`
	Pointer string `json:"pointer,omitempty"` // JSON pointer into the arguments
	Detail  string `json:"detail,omitempty"`
}
