package grammar

import "tenon/grammar/machine"

// Event is one step of parsing an output: a capture begins or ends (Begin, End, with its Name),
// text inside the innermost open capture (Bytes), a symbol inside it (Symbol, Name being the
// symbol's text), or a %check mark that says that what was captured is to be validated (Check).
//
// Captures nest. The text of a capture comes in any number of Bytes events, in order, and is never
// taken back.
type Event = machine.Event

// The kinds of events.
const (
	Begin  = machine.Begin
	Bytes  = machine.Bytes
	Symbol = machine.Symbol
	End    = machine.End
	Check  = machine.Check
)
