package record

import (
	"strings"
	"time"

	"tenon/engine"
	"tenon/grammar"
	"tenon/server/chat"
	"tenon/server/chat/prepared"
	"tenon/templates"
)

// Trace is everything about one turn: what its plan depended on, the plan, what the engine said,
// and what became of it. As JSON it is part of a saved record.
type Trace struct {
	Model   string          `json:"model"` // as the client named it, or the server's default
	Source  ModelSource     `json:"source"`
	Request chat.Request    `json:"request"` // as it was understood
	Prompt  PromptTrace     `json:"prompt"`
	Grammar string          `json:"grammar"` // of the whole output, as extended GBNF
	Issues  []grammar.Issue `json:"issues,omitempty"`
	Budget  engine.Budget   `json:"budget"`
	// what is in force: the request's, then the model's and the server's
	Sampling map[string]string `json:"sampling,omitempty"`
	// one a choice, and one more for each that was opened anew
	Sessions []*SessionTrace `json:"sessions"`
	Events   []chat.Event    `json:"events"`
	Failure  *Failure        `json:"failure,omitempty"`
	Timings  Timings         `json:"timings_ms"`
}

// ModelSource is what a plan depends on beside the request.
type ModelSource struct {
	Dialect string `json:"dialect"`
	// its source; "": the built-in rendering
	ChatTemplate string   `json:"chat_template,omitempty"`
	BOS          string   `json:"bos,omitempty"`
	EOS          string   `json:"eos,omitempty"`
	Markers      []string `json:"markers,omitempty"`
	// its tokens for filling in the middle
	Infill     []string           `json:"infill,omitempty"`
	ToolFormat string             `json:"tool_format,omitempty"` // the server's setting
	Teaching   *prepared.Teaching `json:"teaching,omitempty"`    // the model's, if it has one
	NPredict   int                `json:"n_predict,omitempty"`   // the server's setting
	Context    int                `json:"context"`               // tokens
	Engine     engine.Can         `json:"engine,omitzero"`
	Now        time.Time          `json:"now"` // the conversation's date
}

// PromptTrace is a rendered prompt.
type PromptTrace struct {
	// how it tells the model to write calls
	Protocol string           `json:"protocol,omitempty"`
	Segments []SegmentTrace   `json:"segments"`
	Heals    []templates.Heal `json:"heals,omitempty"`
	// it ends inside the model's thinking
	Thinking bool     `json:"thinking,omitempty"`
	Stops    []string `json:"stops,omitempty"`
	// tokens that went in as they were sampled in an earlier turn
	Kept int `json:"kept_tokens"`
}

// String is the prompt as text.
func (p PromptTrace) String() string {
	var b strings.Builder
	for _, s := range p.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Output is what the model wrote, all sessions of the turn one after the other.
func (t *Trace) Output() string {
	var b strings.Builder
	for _, s := range t.Sessions {
		for _, step := range s.Steps {
			for _, token := range step.Tokens {
				b.Write(token.token().Bytes)
			}
		}
	}
	return b.String()
}

// SegmentTrace is a piece of a prompt and who wrote it.
type SegmentTrace struct {
	// "text" and "marker" are the template's, "content" is the conversation's
	Kind string `json:"kind"`
	Text string `json:"text"`
	// of content: which part of the message (or tool) it is
	Field string `json:"field,omitempty"`
	// of content: the message's place, or the tool's
	Message *int `json:"message,omitempty"`
	// of a prompt that was sent as tokens
	Tokens []int32 `json:"tokens,omitempty"`
}

// SessionTrace is what an engine said during one session, in order.
type SessionTrace struct {
	Refused *engine.Fault `json:"refused,omitempty"` // it was not opened
	Steps   []Step        `json:"steps"`
}

// Step is one update of a session, or what it was told. Exactly one field is set, but for a check,
// which comes with the tokens that end at it.
type Step struct {
	Progress  *engine.Progress `json:"progress,omitempty"`
	Tokens    []TokenTrace     `json:"tokens,omitempty"`
	Check     *engine.Check    `json:"check,omitempty"`
	Verdict   *engine.Verdict  `json:"verdict,omitempty"`
	Concluded bool             `json:"concluded,omitempty"` // it was told to end
	Finish    *engine.Finish   `json:"finish,omitempty"`
	Error     *engine.Fault    `json:"error,omitempty"`
}

// TokenTrace is a token of the output. Raw is set in place of Text where the bytes alone are not
// UTF-8.
type TokenTrace struct {
	ID   int32  `json:"id"`
	Kind string `json:"kind"` // "sampled", "forced", "symbol"
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"raw,omitempty"`
}

// Failure is why a turn failed.
type Failure struct {
	Kind    string `json:"kind"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Timings of a turn in milliseconds. The engine's own are those of the choice that ended first.
type Timings struct {
	Total      float64 `json:"total"`
	FirstToken float64 `json:"first_token"`
	Queue      float64 `json:"queue"`
	Prompt     float64 `json:"prompt"`
	Decode     float64 `json:"decode"`
	Mask       float64 `json:"mask"`
}
