package responses

import (
	"crypto/rand"
	"strings"
	"time"

	"tenon/server/chat"
	"tenon/server/wire"
)

// builder turns a turn's events into a response and into the stream's events, in one pass: a whole
// answer is the response that the last event carries, so both are the same by construction.
//
// One output item is open at a time; its index is the length of the output so far.
type builder struct {
	response response
	emit     func(event) // nil: nobody listens
	// called when the response is complete, before the last event; nil: nobody waits for it
	settled  func() error
	unkept   error // why it was to be kept and is not
	begun    bool  // response.created has been sent
	ended    bool  // the response has its last status: no heartbeat follows
	sequence int
	summary  bool // thinking is shown as a summary (reasoning.summary)
	timings  bool // they are wanted
	packed   bool // thinking is also sent packed, for clients that keep no state (include)

	open     openItem
	text     strings.Builder // of the open item
	logprobs []wire.Logprob  // of its text, where they are wanted
}

// openItem is the output item that is being written.
type openItem struct {
	kind chat.EventKind // Text, Reasoning or CallStart; Started: none is open
	id   string
	call functionCallItem
	free bool             // the call's input is text
	runs *chat.HostedCall // the server executes the call
}

// Add takes an event. It is a chat.Sink, and never fails.
func (b *builder) Add(e chat.Event) error {
	b.add(e)
	return nil
}

func (b *builder) add(e chat.Event) {
	switch e.Kind {
	case chat.Started:
		b.begin()
	case chat.Text, chat.Reasoning:
		b.piece(e)
	case chat.CallStart:
		b.startCall(e)
	case chat.CallArguments:
		b.argument(e.Text)
	case chat.CallEnd:
		b.close("completed")
	case chat.HostedList, chat.HostedStart, chat.HostedEnd, chat.HostedAsk:
		b.hosted(e)
	case chat.Finished:
		b.finish(e.Finish)
	}
}

// begin opens the response, unless a heartbeat has.
func (b *builder) begin() {
	if b.begun {
		return
	}
	b.begun, b.response.Status = true, "in_progress"
	b.send(event{Type: "response.created", Response: b.snapshot()})
	b.send(event{Type: "response.in_progress", Response: b.snapshot()})
}

// beat is the protocol's heartbeat: clients know no event of another name. A response that has
// ended is in progress no more.
func (b *builder) beat() {
	switch {
	case b.ended:
	case !b.begun:
		b.begin()
	default:
		b.send(event{Type: "response.in_progress", Response: b.snapshot()})
	}
}

// fail ends the stream after an error.
func (b *builder) fail(e *chat.Error) {
	b.ended, b.response.Status = true, "failed"
	b.response.Error = &responseError{Code: failure(e), Message: wire.Message(e)}
	b.send(event{Type: "response.failed", Response: b.snapshot()})
}

// piece adds text to the open item of its kind, or opens one.
func (b *builder) piece(e chat.Event) {
	if b.open.kind != e.Kind {
		b.close("completed")
		b.start(e.Kind)
	}
	b.text.WriteString(e.Text)
	logprobs := wire.EncodeLogprobs(e.Tokens)
	b.logprobs = append(b.logprobs, logprobs...)
	out := event{Type: "response.output_text.delta", ContentIndex: zero(), Logprobs: logprobs}
	if e.Kind == chat.Reasoning {
		out = event{Type: "response.reasoning_text.delta", ContentIndex: zero()}
		if b.summary {
			out = event{Type: "response.reasoning_summary_text.delta", SummaryIndex: zero()}
		}
	}
	out.Delta = &e.Text
	b.sendItem(out)
}

// start opens a message or a reasoning item, and its only part.
func (b *builder) start(kind chat.EventKind) {
	b.open = openItem{kind: kind, id: "msg_" + rand.Text()}
	part := event{Type: "response.content_part.added", ContentIndex: zero(), Part: textPart("", nil)}
	if kind == chat.Reasoning {
		b.open.id = "rs_" + rand.Text()
		part = event{Type: "response.content_part.added", ContentIndex: zero(), Part: reasoningText{Type: "reasoning_text"}}
		if b.summary {
			part = event{Type: "response.reasoning_summary_part.added", SummaryIndex: zero(), Part: summaryPart{Type: "summary_text"}}
		}
	}
	b.sendAdded(b.item("in_progress", ""))
	b.sendItem(part)
}

func (b *builder) startCall(e chat.Event) {
	b.close("completed")
	b.open = openItem{kind: chat.CallStart, id: "fc_" + rand.Text(), free: e.Freeform}
	b.open.call = functionCallItem{CallID: e.Call.ID, Name: e.Call.Name, Namespace: e.Call.Namespace}
	b.sendAdded(b.item("in_progress", ""))
}

func (b *builder) argument(text string) {
	b.text.WriteString(text)
	kind := "response.function_call_arguments.delta"
	if b.open.free {
		kind = "response.custom_tool_call_input.delta"
	}
	b.sendItem(event{Type: kind, Delta: &text})
}

// close ends the open item, if there is one. Its status is "completed", or "incomplete" where the
// answer was cut off in it.
func (b *builder) close(status string) {
	switch {
	case b.open.kind == chat.Started:
	case b.open.runs != nil:
		b.closeHosted(status)
	default:
		text := b.text.String()
		b.sendItem(b.closing(text)...)
		b.done(b.item(status, text))
	}
}

// done ends the open item.
func (b *builder) done(item any) {
	index := len(b.response.Output)
	b.response.Output = append(b.response.Output, item)
	b.open = openItem{kind: chat.Started}
	b.text.Reset()
	b.logprobs = nil
	b.send(event{Type: "response.output_item.done", OutputIndex: &index, Item: item})
}

// closing are the events that come before an item is done.
func (b *builder) closing(text string) []event {
	switch {
	case b.open.kind == chat.CallStart && b.open.free:
		return []event{{Type: "response.custom_tool_call_input.done", Input: &text}}
	case b.open.kind == chat.CallStart:
		return []event{{Type: "response.function_call_arguments.done", Name: b.open.call.Name, Arguments: &text}}
	case b.open.kind == chat.Text:
		return []event{
			{Type: "response.output_text.done", ContentIndex: zero(), Text: &text, Logprobs: append([]wire.Logprob{}, b.logprobs...)},
			{Type: "response.content_part.done", ContentIndex: zero(), Part: textPart(text, b.logprobs)},
		}
	case b.summary:
		return []event{
			{Type: "response.reasoning_summary_text.done", SummaryIndex: zero(), Text: &text},
			{Type: "response.reasoning_summary_part.done", SummaryIndex: zero(), Part: summaryPart{"summary_text", text}},
		}
	}
	return []event{
		{Type: "response.reasoning_text.done", ContentIndex: zero(), Text: &text},
		{Type: "response.content_part.done", ContentIndex: zero(), Part: reasoningText{"reasoning_text", text}},
	}
}

// item is the open item with the text that it has.
func (b *builder) item(status, text string) any {
	o := b.open
	switch {
	case o.kind == chat.CallStart && o.free:
		return customCallItem{"custom_tool_call", o.id, status, o.call.CallID, o.call.Name, o.call.Namespace, text}
	case o.kind == chat.CallStart:
		o.call.Type, o.call.ID, o.call.Status, o.call.Arguments = "function_call", o.id, status, text
		return o.call
	case o.kind == chat.Text:
		m := messageItem{Type: "message", ID: o.id, Status: status, Role: "assistant", Content: []any{}}
		if status != "in_progress" {
			m.Content = append(m.Content, textPart(text, b.logprobs))
		}
		return m
	}
	return b.reasoning(status, text)
}

func (b *builder) reasoning(status, text string) reasoningItem {
	r := reasoningItem{Type: "reasoning", ID: b.open.id, Status: status, Summary: []summaryPart{}}
	if status == "in_progress" {
		return r
	}
	if b.summary {
		r.Summary = append(r.Summary, summaryPart{"summary_text", text})
	} else {
		r.Content = append(r.Content, reasoningText{"reasoning_text", text})
	}
	if b.packed {
		sealed := pack(text)
		r.Encrypted = &sealed
	}
	return r
}

func (b *builder) finish(f chat.Finish) {
	status := "completed"
	if f.Reason == chat.Length || f.Reason == chat.Cancelled {
		status = "incomplete"
	}
	b.close(status)
	now := time.Now().Unix()
	if f.Reason != chat.Cancelled { // nobody counted what was cancelled
		b.response.Usage = encodeUsage(f.Usage)
	}
	b.ended, b.response.Status, b.response.CompletedAt = true, "completed", &now
	switch f.Reason {
	case chat.Length:
		b.response.Status, b.response.CompletedAt = "incomplete", nil
		b.response.IncompleteDetails = &incompleteDetails{Reason: "max_output_tokens"}
	case chat.Cancelled:
		b.response.Status, b.response.CompletedAt = "cancelled", nil
	}
	if b.timings {
		b.response.Timings = wire.EncodeTimings(f)
	}
	if b.settled != nil {
		if b.unkept = b.settled(); b.unkept != nil {
			b.fail(wire.OfInput(b.unkept))
			return
		}
	}
	kind := "response." + b.response.Status
	if f.Reason == chat.Cancelled {
		kind = "response.incomplete" // the description has no event of its own for it
	}
	b.send(event{Type: kind, Response: b.snapshot()})
}

func (b *builder) sendAdded(item any) {
	index := len(b.response.Output)
	b.send(event{Type: "response.output_item.added", OutputIndex: &index, Item: item})
}

// sendItem sends events about the open item.
func (b *builder) sendItem(all ...event) {
	for _, e := range all {
		index := len(b.response.Output)
		e.OutputIndex, e.ItemID = &index, b.open.id
		b.send(e)
	}
}

func (b *builder) send(e event) {
	e.Sequence = b.sequence
	b.sequence++
	if b.emit != nil {
		b.emit(e)
	}
}

// snapshot is the response as it is now; what is added later does not change it.
func (b *builder) snapshot() *response {
	r := b.response
	r.Output = append([]any{}, r.Output...)
	return &r
}

func zero() *int { return new(int) }

func textPart(text string, logprobs []wire.Logprob) outputText {
	return outputText{Type: "output_text", Text: text, Annotations: []any{}, Logprobs: append([]wire.Logprob{}, logprobs...)}
}

func encodeUsage(u chat.Usage) *usage {
	return &usage{
		InputTokens: u.Prompt, InputTokensDetails: inputDetails{CachedTokens: u.Cached},
		OutputTokens: u.Completion, OutputTokensDetails: outputDetails{ReasoningTokens: u.Reasoning},
		TotalTokens: u.Prompt + u.Completion,
	}
}
