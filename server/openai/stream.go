package openai

import (
	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// streamer turns events into chunks. The stream begins with the first event, when the turn is queued: until then errors are
// plain statuses.
type streamer struct {
	begin        func() *sse.Writer
	out          *sse.Writer
	head         chatCompletion
	includeUsage bool
	want         shown

	usage usage
	spoke map[int]bool // choices whose role has been sent
}

// Add sends an event. It is a chat.Sink.
func (s *streamer) Add(e chat.Event) error {
	switch e.Kind {
	case chat.Started:
		s.out = s.begin()
		s.head.Object, s.head.Model, s.head.Usage.wanted = "chat.completion.chunk", e.Model, s.includeUsage
		return nil
	case chat.Text:
		c := choice{Delta: &delta{Content: &e.Text}}
		if s.want.logprobs {
			c.Logprobs = encodeLogprobs(e.Tokens)
		}
		return s.send(e.Choice, c)
	case chat.Reasoning:
		return s.send(e.Choice, choice{Delta: &delta{Reasoning: &e.Text}})
	case chat.CallStart:
		return s.call(e, e.Call.ID, e.Call.Name)
	case chat.CallArguments:
		return s.call(e, "", "")
	case chat.Finished:
		return s.finish(e)
	default:
		return nil
	}
}

// callDelta is a piece of a call. The first has its id, type and name and no arguments; the others only arguments.
func callDelta(e chat.Event, id, name string) *delta {
	d := toolCall{Index: &e.Call.Index, ID: id}
	if e.Freeform {
		d.Custom = &callCustom{Name: name, Input: e.Text}
	} else {
		d.Function = &callFunction{Name: name, Arguments: e.Text}
	}
	if id != "" {
		d.Type = "function"
		if e.Freeform {
			d.Type = "custom"
		}
	}
	return &delta{ToolCalls: []toolCall{d}}
}

func (s *streamer) finish(e chat.Event) error {
	s.usage.add(e.Finish.Usage)
	if s.want.timings {
		s.head.Timings = wire.EncodeTimings(e.Finish)
	}
	reason := finishReason(e.Finish.Reason)
	if s.want.older {
		reason = olderReason(reason)
	}
	return s.send(e.Choice, choice{Delta: &delta{}, FinishReason: &reason})
}

// end closes the stream: the usage chunk, if it was asked for, and the end mark.
func (s *streamer) end() error {
	if s.includeUsage {
		chunk := s.head
		chunk.Choices, chunk.Usage = []choice{}, shownUsage{true, &s.usage}
		if err := s.out.Event("", chunk); err != nil {
			return err
		}
	}
	return s.out.Data("[DONE]")
}

// close waits for the reader. It runs however the turn ended.
func (s *streamer) close() {
	if s.out != nil {
		s.out.Close()
	}
}

// call sends a piece of a call.
func (s *streamer) call(e chat.Event, id, name string) error {
	d := callDelta(e, id, name)
	if s.want.older {
		d.FunctionCall, d.ToolCalls = older(d.ToolCalls), nil
	}
	return s.send(e.Choice, choice{Delta: d})
}

// send writes a chunk; a choice's first one says whose turn it is.
func (s *streamer) send(index int, c choice) error {
	if !s.spoke[index] {
		if s.spoke == nil {
			s.spoke = map[int]bool{}
		}
		s.spoke[index] = true
		first := &delta{Role: "assistant", Content: new(string)}
		if c.Delta.ToolCalls != nil || c.Delta.FunctionCall != nil { // a whole answer of calls alone has no content either
			first.Content = nil
		}
		if err := s.send(index, choice{Delta: first}); err != nil {
			return err
		}
	}
	c.Index = index
	chunk := s.head
	chunk.Choices = []choice{c}
	return s.out.Event("", chunk)
}
