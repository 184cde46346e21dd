package chat

import (
	"time"

	"tenon/engine"
	"tenon/grammar"
	"tenon/tools"
)

// EventKind says what an Event tells.
type EventKind uint8

const (
	Started        EventKind = iota // the turn is in the queue; Model and Issues are set. The first event, once
	Progress                        // of the prompt's evaluation; Progress is set
	Text                            // a piece of the visible answer
	Reasoning                       // a piece of the thinking
	CallStart                       // Call has ID, Index and Name
	CallArguments                   // Text is a piece of the call's arguments; Call has ID and Index
	CallEnd                         // Call is complete
	Finished                        // Finish is set; the last event of a choice
	HostedList                      // the tools of a source, or why they are not there. This and what follows come from package agent
	HostedStart                     // the server begins to execute Call
	HostedProgress                  // of a running tool
	HostedEnd                       // Call has its result
	HostedAsk                       // Call waits for the client's approval, whose id is the call's
)

func (k EventKind) String() string {
	return [...]string{
		"started", "progress", "text", "reasoning", "call_start", "call_arguments", "call_end", "finished",
		"hosted_list", "hosted_start", "hosted_progress", "hosted_end", "hosted_ask",
	}[k]
}

// Event is a piece of the answer. Events of one choice come in order; those of different choices
// may interleave.
type Event struct {
	Kind     EventKind
	Choice   int
	Text     string
	Call     tools.Call
	Freeform bool           // the call's input is text, not JSON
	Tokens   []engine.Token // the tokens behind Text, where logprobs were asked for
	Count    int            // tokens of the output that were read since the event before
	Model    string
	Dropped  int             // messages that were left out so that the prompt fits, with Started
	Ignored  []string        // fields that have no effect in this turn, with Started
	Issues   []grammar.Issue // keywords of the tools' schemas that the mask does not enforce
	Progress engine.Progress
	Hosted   *HostedCall // of tools that the server executes
	Finish   Finish
}

// Reason says why a choice ended.
type Reason string

const (
	Stop         Reason = "stop"          // the model ended its turn
	StopSequence Reason = "stop_sequence" // one of the request's stops; Finish.StopText says which
	Length       Reason = "length"        // max_tokens or the context
	ToolCalls    Reason = "tool_calls"    // the turn ended with calls
	Cancelled    Reason = "cancelled"
)

// Finish ends a choice.
type Finish struct {
	Reason   Reason
	Full     bool // the context is: with Length, it was not the request's own limit that was met
	StopText string
	Usage    Usage
	Timing   engine.Timing
	Rewound  int            // tokens that were generated and taken back; not in Usage
	Parsing  time.Duration  // spent reading the output
	Repairs  []tools.Repair // what was mended in the calls
	Notes    []tools.Note   // what was left out or proved to be no call, what was written anew and why
	Mending  Mending        // how often
	Paused   bool           // the turn stopped between two rounds and can be gone on with
	Limit    string         // what ended the server's calls: "rounds", "time", "tokens", "equal calls"; "": the model did
}

// Usage counts tokens as clients are told them.
type Usage struct {
	Prompt, Cached, Completion, Reasoning int
}

// Sink takes events. An error from it (the client is gone) ends the turn.
type Sink func(Event) error
