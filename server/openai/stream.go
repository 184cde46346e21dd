package openai

import (
	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// streamer turns events into chunks.
type streamer struct {
	out          *sse.Writer
	head         chatCompletion
	includeUsage bool
	want         answerOptions
	extra        func(model string, f chat.Finish) *wire.Extra // nil: nothing

	usage    chat.Usage
	choices  int
	served   int          // calls that the server has executed
	executed bool         // one, since the last text
	wrote    bool         // there was text
	named    map[int]bool // choices whose role has been sent, if only with a heartbeat
	spoke    map[int]bool // choices of whose answer something has been sent
	finished map[int]bool
}

// add sends an event.
func (s *streamer) add(e chat.Event) {
	switch e.Kind {
	case chat.Started:
		s.head.Model = e.Model
	case chat.Text:
		if s.executed && s.wrote {
			e.Text = between + e.Text
		}
		s.executed, s.wrote = false, true
		c := choice{Delta: &delta{Content: &e.Text}}
		if s.want.logprobs {
			c.Logprobs = encodeLogprobs(e.Tokens)
		}
		s.send(e.Choice, c)
	case chat.Reasoning:
		s.send(e.Choice, choice{Delta: &delta{Reasoning: &e.Text}})
	case chat.CallStart:
		s.call(e, e.Call.ID, e.Call.Name)
	case chat.CallArguments:
		s.call(e, "", "")
	case chat.HostedStart, chat.HostedAsk:
		s.hosted(e, encodeServerCall(e))
	case chat.HostedEnd:
		whole := encodeServerCall(e)
		s.hosted(e, serverCall{Output: whole.Output, Error: whole.Error})
		s.served++
		s.executed = true
	case chat.HostedProgress:
		chunk := s.head
		chunk.Choices, chunk.Running = []choice{}, &serverProgress{e.Call.ID, e.Hosted.Done, e.Hosted.Total, e.Hosted.Message}
		s.out.Event("", chunk)
	case chat.HostedQuestion:
		chunk := s.head
		chunk.Choices, chunk.Question = []choice{}, &serverQuestion{e.Hosted.Source, e.Hosted.Tool, *e.Hosted.Question}
		s.out.Event("", chunk)
	case chat.Finished:
		s.finish(e)
	}
}

// hosted sends a piece of a call that the server executes.
func (s *streamer) hosted(e chat.Event, c serverCall) {
	c.Index = new(int)
	if *c.Index = s.served; e.Kind == chat.HostedAsk {
		s.served++
	}
	s.send(e.Choice, choice{Delta: &delta{ServerToolCalls: []serverCall{c}}})
}

// callDelta is a piece of a call. The first has its id, type and name and no arguments; the others
// only arguments.
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

func (s *streamer) finish(e chat.Event) {
	s.usage = s.usage.And(e.Finish.Usage)
	if s.want.timings {
		s.head.Timings = wire.EncodeTimings(e.Finish)
	}
	if s.extra != nil {
		s.head.Extra = s.extra(s.head.Model, e.Finish)
	}
	reason := finishReason(e.Finish.Reason)
	if s.want.older {
		reason = olderReason(reason)
	}
	s.send(e.Choice, choice{Delta: &delta{}, FinishReason: &reason})
	s.finished[e.Choice] = true
}

// beat is the protocol's heartbeat: a chunk of nothing, for the first choice that has not ended.
// Where all have, the stream is about to end.
func (s *streamer) beat() {
	for i := range s.choices {
		if !s.finished[i] {
			s.chunk(i, choice{Delta: &delta{}})
			return
		}
	}
}

// end closes the stream: the usage chunk, if it was asked for, and the end mark.
func (s *streamer) end() {
	if s.includeUsage {
		chunk := s.head
		chunk.Choices, chunk.Usage = []choice{}, optionalUsage{true, encodeUsage(s.usage)}
		s.out.Event("", chunk)
	}
	s.out.Data(sse.Done)
}

// call sends a piece of a call.
func (s *streamer) call(e chat.Event, id, name string) {
	d := callDelta(e, id, name)
	if s.want.older {
		d.FunctionCall, d.ToolCalls = older(d.ToolCalls), nil
	}
	s.send(e.Choice, choice{Delta: d})
}

// send writes a chunk; a choice's first one has its role and the beginning of its content.
func (s *streamer) send(index int, c choice) {
	if !s.spoke[index] {
		s.spoke[index] = true
		first := &delta{Content: new(string)}
		// a whole answer of calls alone has no content either
		if c.Delta.ToolCalls != nil || c.Delta.FunctionCall != nil {
			first.Content = nil
		}
		s.chunk(index, choice{Delta: first})
	}
	s.chunk(index, c)
}

// chunk writes a chunk of a choice. The role is said once: some clients join what they are told
// twice.
func (s *streamer) chunk(index int, c choice) {
	if !s.named[index] {
		s.named[index] = true
		c.Delta.Role = "assistant"
	}
	c.Index = index
	chunk := s.head
	chunk.Choices = []choice{c}
	s.out.Event("", chunk)
}
