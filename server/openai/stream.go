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
	want         shown
	extra        func(model string, f chat.Finish) *wire.Extra // nil: nothing

	usage    usage
	choices  int
	served   int          // calls that the server has executed
	executed bool         // one, since the last text
	wrote    bool         // there was text
	named    map[int]bool // choices whose role has been sent, if only with a heartbeat
	spoke    map[int]bool // choices of whose answer something has been sent
	finished map[int]bool
}

// Add sends an event. It is a chat.Sink.
func (s *streamer) Add(e chat.Event) error {
	switch e.Kind {
	case chat.Started:
		s.head.Model = e.Model
		s.out.Begin()
		return nil
	case chat.Text:
		if s.executed && s.wrote {
			e.Text = between + e.Text
		}
		s.executed, s.wrote = false, true
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
	case chat.HostedStart, chat.HostedAsk:
		return s.hosted(e, encodeServerCall(e))
	case chat.HostedEnd:
		whole := encodeServerCall(e)
		err := s.hosted(e, serverCall{Output: whole.Output, Error: whole.Error})
		s.served++
		s.executed = true
		return err
	case chat.HostedProgress:
		chunk := s.head
		chunk.Choices, chunk.Running = []choice{}, &serverProgress{e.Call.ID, e.Hosted.Done, e.Hosted.Total, e.Hosted.Message}
		return s.out.Event("", chunk)
	case chat.HostedQuestion:
		chunk := s.head
		chunk.Choices, chunk.Question = []choice{}, &serverQuestion{e.Hosted.Source, e.Hosted.Tool, *e.Hosted.Question}
		return s.out.Event("", chunk)
	case chat.Finished:
		return s.finish(e)
	default:
		return nil
	}
}

// hosted sends a piece of a call that the server executes.
func (s *streamer) hosted(e chat.Event, c serverCall) error {
	c.Index = new(int)
	if *c.Index = s.served; e.Kind == chat.HostedAsk {
		s.served++
	}
	return s.send(e.Choice, choice{Delta: &delta{ServerToolCalls: []serverCall{c}}})
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

func (s *streamer) finish(e chat.Event) error {
	s.usage.add(e.Finish.Usage)
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
	if err := s.send(e.Choice, choice{Delta: &delta{}, FinishReason: &reason}); err != nil {
		return err
	}
	mark(&s.finished, e.Choice)
	return nil
}

// beat is the protocol's heartbeat: a chunk of nothing, for the first choice that has not ended.
func (s *streamer) beat() error {
	for i := range s.choices {
		if !s.finished[i] {
			return s.chunk(i, choice{Delta: &delta{}})
		}
	}
	return nil // the stream is about to end
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

// call sends a piece of a call.
func (s *streamer) call(e chat.Event, id, name string) error {
	d := callDelta(e, id, name)
	if s.want.older {
		d.FunctionCall, d.ToolCalls = older(d.ToolCalls), nil
	}
	return s.send(e.Choice, choice{Delta: d})
}

// send writes a chunk; a choice's first one has its role and the beginning of its content.
func (s *streamer) send(index int, c choice) error {
	if !s.spoke[index] {
		mark(&s.spoke, index)
		first := &delta{Content: new(string)}
		if c.Delta.ToolCalls != nil || c.Delta.FunctionCall != nil { // a whole answer of calls alone has no content either
			first.Content = nil
		}
		if err := s.chunk(index, choice{Delta: first}); err != nil {
			return err
		}
	}
	return s.chunk(index, c)
}

// chunk writes a chunk of a choice. The role is said once: some clients join what they are told
// twice.
func (s *streamer) chunk(index int, c choice) error {
	if !s.named[index] {
		mark(&s.named, index)
		c.Delta.Role = "assistant"
	}
	c.Index = index
	chunk := s.head
	chunk.Choices = []choice{c}
	return s.out.Event("", chunk)
}

func mark(set *map[int]bool, index int) {
	if *set == nil {
		*set = map[int]bool{}
	}
	(*set)[index] = true
}
