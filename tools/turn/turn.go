package turn

// Turn says what one assistant turn may be.
type Turn struct {
	Tools    []Tool
	Choice   Choice
	Parallel bool // more than one call is allowed
	Thinking Thinking
	Answer   *Answer  // what visible text must match; nil: any
	Stops    []string // strings that end visible text and are not part of it
	// NewID makes the id of a call that has Index and Name. Nil: ids that are unique within the turn only.
	NewID func(Call) string
}

// Thinking says what a turn may think.
type Thinking struct {
	Open   bool // the prompt ends inside thinking
	Off    bool // no thinking is wanted
	Budget int  // most tokens to spend on it; 0: no limit
	// Routing has a model that does not think begin with a line that names the tool it is about to call.
	Routing bool
}

// Answer constrains visible text (response_format, grammar).
type Answer struct {
	Syntax     string // "json_schema", "json_object", "gbnf", "regex", "lark"
	Definition string
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
