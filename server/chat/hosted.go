package chat

import (
	"context"
	"encoding/json"
	"time"

	"tenon/tools"
)

// Hosted is what a request asks of tools that the server executes. A [Service] executes none:
// package agent does.
type Hosted struct {
	Asked     []HostedTools
	Approvals []Approval
	// tool_choice: one of these must be called; nil: as the request's Choice says
	Choose *HostedTools
	// the protocol has a form in which the client is asked to approve a call
	CanAsk bool
	// its client answers questions that come in the midst of a turn
	CanElicit bool
	// it has one for a turn that stops between two rounds and is gone on with later
	CanPause bool
}

// HostedTools are tools of one source that a request asks for.
type HostedTools struct {
	// as the configuration names it, or as the request does where it gives URL
	Source  string
	Names   []string // as the source calls them; nil: all of them
	Without []string // but for these
	// the client wants to approve these calls; nil: none. What must be asked about anyway
	// stays so
	Ask     func(tool string) bool
	URL     string            // the request names the server itself
	Headers map[string]string // its credentials, for that server alone
	// the protocol's word for it, given back with what becomes of it
	Kind string
	// what there is not is left out and told in a header, rather than refused
	Optional bool
	Field    string // where it stands, for errors
}

// Approval is a client's answer to a request for approval.
type Approval struct {
	ID      string // of the request
	Approve bool
	Reason  string
	Field   string
}

// HostedCall is what an event says of a tool that the server executes.
type HostedCall struct {
	Source, Tool string // of the tool, as its source calls it
	Kind         string // see [HostedTools]; "" where the request did not ask for it
	Approval     string // id of the approval that let the call run
	Done, Total  float64
	Message      string // of progress; of a list that could not be made, why
	Result       *HostedResult
	Question     *Question
	Tools        []tools.Tool // of a list
}

// Question is what a running tool asks the client's user.
type Question struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	// of the answer's content, an object of plain values
	Schema json.RawMessage `json:"schema,omitempty"`
}

// Reply is what a user answers.
type Reply struct {
	Action  string          `json:"action"` // "accept", "decline", "cancel"
	Content json.RawMessage `json:"content"`
}

// HostedResult is what an executed call came to.
type HostedResult struct {
	Text       string          // what the model is told
	Structured json.RawMessage // nil: none
	Failed     bool
	Exit       int
	Cut        int // bytes that were left out of Text
	Took       time.Duration
	Approver   string // "settings", or the name of the key whose client approved
	// it failed: "refused", "timeout", "invalid", "unknown", "error"; "": the tool said so
	// itself
	Why string
}

// CheckTool tells why a tool could not be declared in any turn.
func CheckTool(t tools.Tool) error {
	one := []tools.Tool{t}
	if err := check(Request{Tools: one}); err != nil {
		return err
	}
	if _, err := tools.Fallback().Plan(tools.Turn{Tools: one}); err != nil {
		return ToolPlaces{}.toolError(err)
	}
	return nil
}

// Room is how many tokens the prompt of r has, and how many the context of its model. The model is
// loaded if it is not.
func (s *Service) Room(ctx context.Context, r Request) (prompt, size int, err error) {
	_, err = with(ctx, s.acquire, r.Model, func(m Model) (struct{}, error) {
		size = m.Engine.Model().Context
		_, prompt, err = s.measure(ctx, m, s.dated(ctx, r))
		return struct{}{}, err
	})
	return prompt, size, err
}
