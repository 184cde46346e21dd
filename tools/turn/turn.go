package turn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Turn says what one assistant turn may be.
type Turn struct {
	Tools    []Tool
	Choice   Choice
	Parallel bool // more than one call is allowed
	Thinking Thinking
	Answer   *Answer  // what visible text must match; nil: any
	Stops    []string // strings that end visible text and are not part of it
	// NewID makes the id of a call that has Index and Name. Nil: ids that are unique within
	// the turn only.
	NewID func(Call) string
	// Stop is asked while tools are compiled. An error of its ends that, and is what planning
	// returns. Nil: it goes on to its end.
	Stop func() error
}

// Thinking says what a turn may think.
type Thinking struct {
	Open   bool // the prompt ends inside thinking
	Off    bool // no thinking is wanted
	Budget int  // most tokens to spend on it; 0: no limit
	// Routing has a model that does not think begin with a line that names the tool it is
	// about to call.
	Routing bool
}

// Answer constrains visible text (response_format, grammar).
type Answer struct {
	Syntax     string `json:"syntax"` // "json_schema", "json_object", "gbnf", "regex", "lark"
	Definition string `json:"definition"`
}

// EventKind says what an Event tells.
type EventKind uint8

const (
	Text          EventKind = iota // visible text
	Reasoning                      // thinking
	CallStart                      // a call's name is known; ID, Index and Name are set
	CallArguments                  // a piece of the call's arguments (or input)
	CallEnd                        // the call is complete and valid; Call is set
	StopHit                        // a stop string ended the text; Text is the string
)

// String is the kind's name, for traces.
func (k EventKind) String() string {
	return [...]string{"text", "reasoning", "call_start", "call_arguments", "call_end", "stop"}[k]
}

// Event is what a parser found. Events are never taken back.
type Event struct {
	Kind EventKind
	Text string
	Call Call
}

// Note is what a parser did that no event tells: a call that was none and why, what was left out.
type Note struct {
	Offset int    `json:"offset"` // in the output, in bytes
	Text   string `json:"text"`
}

// MaxName is the longest name of a tool, as OpenAI and Anthropic limit it, with room for a
// namespace.
const MaxName = 256

// Tool is a tool that a client declared.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// JSON Schema of the arguments; nil: an object without properties
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// a keyword that cannot be enforced is an error instead of an issue
	Strict bool `json:"strict,omitempty"`
	// set: the input is text, not JSON, and Parameters is nil
	Freeform *Freeform `json:"freeform,omitempty"`
	// the name of the group a client put it in; "" for none
	Namespace string `json:"namespace,omitempty"`
}

// Freeform describes a tool whose input is text.
type Freeform struct {
	Syntax     string `json:"syntax"` // "lark", "regex" or "" for any text
	Definition string `json:"definition"`
}

// Mode of a Choice.
type Mode uint8

const (
	Auto     Mode = iota // the model decides
	None                 // no call
	Required             // at least one call
)

var modes = [...]string{"auto", "none", "required"}

// MarshalText writes a mode as the protocols name it.
func (m Mode) MarshalText() ([]byte, error) { return []byte(modes[m]), nil }

// UnmarshalText reads what [Mode.MarshalText] wrote.
func (m *Mode) UnmarshalText(text []byte) error {
	i := slices.Index(modes[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no mode of a choice", text)
	}
	*m = Mode(i)
	return nil
}

// Choice says what a turn may call.
type Choice struct {
	Mode  Mode     `json:"mode"`
	Names []string `json:"names,omitempty"` // only these tools; empty: every declared tool
}

// Call is a call that a model made: it names a declared tool and its arguments validate against
// the tool's schema.
type Call struct {
	ID        string `json:"id,omitempty"`
	Index     int    `json:"index"` // place among the turn's calls, from 0
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// a JSON object; nil for a free-form tool
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Input     string          `json:"input,omitempty"` // a free-form tool's text
}

// Repair is a change that made a model's call valid without changing its meaning.
type Repair struct {
	Rule    string `json:"rule"` // the rule's name, such as "number-from-string"
	Tool    string `json:"tool"`
	Pointer string `json:"pointer,omitempty"` // JSON pointer into the arguments
	Detail  string `json:"detail,omitempty"`
}

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

// Parser turns a turn's output into events. It is total: every sequence of bytes gives a valid
// turn, and how the output is cut into pieces changes nothing but how the same texts are cut into
// events.
type Parser interface {
	// Token takes the next token: its bytes, and whether it is a control or marker token
	// rather than text. The events are valid until the next call.
	Token(text []byte, isSymbol bool) []Event
	// Close ends the turn and returns the last events. truncated says that the model was cut
	// off.
	Close(truncated bool) []Event
	// Room tells how many bytes the output may have behind the next token, one token a byte.
	// Where it is told before each token, no call is begun whose shortest end does not fit.
	Room(bytes int)
	// InCall says whether a call may have begun that has not ended.
	InCall() bool
	// Broken says that the output left its grammar inside a call of which a part had been
	// sent: an engine that promised to follow the grammar did not. The call can be neither
	// taken back nor ended, and nothing follows it. Parsers of text never say so.
	Broken() bool
	// Refused is what the last Token or Close found to be no call though it looked like one,
	// or nil. Nothing of it has left before its events. Only parsers of text say so: under a
	// grammar a call is judged before it ends.
	Refused() *Refusal
	// Repairs lists what was mended in the calls that were emitted.
	Repairs() []Repair
	// Notes lists what was left out or was no call, and why.
	Notes() []Note
}

// Refusal is a part of the output that looked like a call and is none.
type Refusal struct {
	Tool   string          // as the model named it; "" where it cannot be read
	Args   json.RawMessage // nil where they cannot be read
	Source string          // what the model wrote
	Err    error
	Before int // how many of the events that came with it stand before it
}

// PromptName is the name by which the model sees a tool. A namespace goes before the name; the
// namespaces of some clients end with their own separator.
func PromptName(namespace, name string) string {
	switch {
	case namespace == "" || strings.HasPrefix(name, namespace):
		return name
	case strings.HasSuffix(namespace, "__") || strings.HasSuffix(namespace, "."):
		return namespace + name
	default:
		return namespace + "__" + name
	}
}

// PromptNames are the names by which the model sees tools, each of them once: where a namespace
// makes two alike, tools without one keep theirs, and of others the later ones get a number.
func PromptNames(tools []Tool) []string {
	all, taken := make([]string, len(tools)), map[string]bool{}
	for _, spaced := range []bool{false, true} {
		for i, t := range tools {
			if (t.Namespace != "") != spaced {
				continue
			}
			name := PromptName(t.Namespace, t.Name)
			for n := 2; taken[name] && spaced; n++ {
				name = fmt.Sprintf("%s_%d", PromptName(t.Namespace, t.Name), n)
			}
			all[i], taken[name] = name, true
		}
	}
	return all
}
