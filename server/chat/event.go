package chat

import (
	"fmt"
	"slices"
	"time"

	"tenon/engine"
	"tenon/grammar"
	"tenon/tools"
)

// EventKind says what an Event tells.
type EventKind uint8

const (
	// the turn is in the queue; Model and Issues are set. The first event, once
	Started   EventKind = iota
	Progress            // of the prompt's evaluation; Progress is set
	Text                // a piece of the visible answer
	Reasoning           // a piece of the thinking
	CallStart           // Call has ID, Index and Name
	// Text is a piece of the call's arguments; Call has ID and Index
	CallArguments
	CallEnd  // Call is complete
	Finished // Finish is set; the last event of a choice
	// the tools of a source, or why they are not there. This and what follows come from
	// package agent
	HostedList
	HostedStart    // the server begins to execute Call
	HostedProgress // of a running tool
	HostedEnd      // Call has its result
	// Call waits for the client's approval, whose id is the call's
	HostedAsk
	HostedQuestion // Call, which runs, asks the client's user
)

var eventKinds = [...]string{
	"started", "progress", "text", "reasoning", "call_start", "call_arguments", "call_end", "finished",
	"hosted_list", "hosted_start", "hosted_progress", "hosted_end", "hosted_ask", "hosted_question",
}

func (k EventKind) String() string { return eventKinds[k] }

// MarshalText writes a kind's name.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what [EventKind.MarshalText] wrote.
func (k *EventKind) UnmarshalText(text []byte) error {
	i := slices.Index(eventKinds[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no kind of an event", text)
	}
	*k = EventKind(i)
	return nil
}

// Event is a piece of the answer. Events of one choice come in order; those of different choices
// may interleave.
type Event struct {
	Kind   EventKind  `json:"kind"`
	Choice int        `json:"choice"`
	Text   string     `json:"text,omitempty"`
	Call   tools.Call `json:"call,omitzero"`
	// the call's input is text, not JSON
	Freeform bool `json:"freeform,omitempty"`
	// the tokens behind Text, where logprobs were asked for
	Tokens []engine.Token `json:"-"`
	// tokens of the output that were read since the event before
	Count int    `json:"-"`
	Model string `json:"-"`
	// messages that were left out so that the prompt fits, with Started
	Dropped int `json:"dropped,omitempty"`
	// fields that have no effect in this turn, with Started
	Ignored []string `json:"-"`
	// keywords of the tools' schemas that the mask does not enforce
	Issues []grammar.Issue `json:"-"`
	// promises that this model's engine keeps in a weaker form, with Started
	Weaker   []string        `json:"-"`
	Progress engine.Progress `json:"progress,omitzero"`
	Hosted   *HostedCall     `json:"-"` // of tools that the server executes
	Finish   Finish          `json:"finish,omitzero"`
}

// Reason says why a choice ended.
type Reason string

const (
	Stop Reason = "stop" // the model ended its turn
	// one of the request's stops; Finish.StopText says which
	StopSequence Reason = "stop_sequence"
	Length       Reason = "length"     // max_tokens or the context
	ToolCalls    Reason = "tool_calls" // the turn ended with calls
	Cancelled    Reason = "cancelled"
)

// Finish ends a choice.
type Finish struct {
	Reason Reason `json:"reason"`
	// the context is: with Length, it was not the request's own limit that was met
	Full     bool   `json:"-"`
	StopText string `json:"stop_text,omitempty"`
	Usage    Usage  `json:"usage"`
	// why no more of the prompt was cached; nil: nothing known differs
	Miss   *Miss         `json:"miss,omitempty"`
	Timing engine.Timing `json:"-"`
	// tokens that were generated and taken back; not in Usage
	Rewound int `json:"-"`
	// spent reading the output
	Parsing time.Duration `json:"-"`
	// what was mended in the calls
	Repairs []tools.Repair `json:"repairs,omitempty"`
	// what was left out or proved to be no call, what was written anew and why
	Notes []tools.Note `json:"notes,omitempty"`
	// how often
	Mending Mending `json:"mending,omitzero"`
	// the turn stopped between two rounds and can be gone on with
	Paused bool `json:"-"`
	// what ended the server's calls: "rounds", "time", "tokens", "equal calls"; "": the model
	// did
	Limit string `json:"-"`
}

// Behind is the end of a turn that went on behind another's: what is counted is counted together.
func (f Finish) Behind(sum Finish) Finish {
	f.Repairs, f.Notes = append(sum.Repairs, f.Repairs...), append(sum.Notes, f.Notes...)
	f.Rewound, f.Parsing, f.Limit = f.Rewound+sum.Rewound, f.Parsing+sum.Parsing, sum.Limit
	f.Usage = f.Usage.Plus(sum.Usage)
	f.Timing.Queue += sum.Timing.Queue
	f.Timing.Prompt += sum.Timing.Prompt
	f.Timing.Decode += sum.Timing.Decode
	f.Timing.Mask += sum.Timing.Mask
	f.Mending.Checks += sum.Mending.Checks
	f.Mending.Rewinds += sum.Mending.Rewinds
	f.Mending.Rewound += sum.Mending.Rewound
	f.Mending.Retries += sum.Mending.Retries
	f.Mending.Refused += sum.Mending.Refused
	f.Mending.Loops += sum.Mending.Loops
	return f
}

// Usage counts tokens as clients are told them.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Cached     int `json:"cached_tokens"`
	Completion int `json:"completion_tokens"`
	Reasoning  int `json:"reasoning_tokens"`
}

// Plus is the usage of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Cached + v.Cached, u.Completion + v.Completion, u.Reasoning + v.Reasoning}
}

// And is the usage with that of a further choice: all choices have one prompt, which counts once.
func (u Usage) And(v Usage) Usage {
	return Usage{v.Prompt, max(u.Cached, v.Cached), u.Completion + v.Completion, u.Reasoning + v.Reasoning}
}

// Sink takes events. An error from it (the client is gone) ends the turn.
type Sink func(Event) error
