package anthropic

import (
	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// streamer turns events into the protocol's: blocks are opened and closed one after the other, and
// a block's deltas are all of its type. message_start waits until the prompt is counted; pings may
// come before it.
type streamer struct {
	signer  signer
	id      string
	timings bool // they are wanted

	out     *sse.Writer
	model   string
	started bool
	index   int // of the open block, or of the next one
	// kind of the open block: Text, Reasoning or CallStart; Started: none is open
	open     chat.EventKind
	thinking string // of the open thinking block, to be signed
}

// add sends an event.
func (s *streamer) add(e chat.Event) {
	switch e.Kind {
	case chat.Started:
		s.model = e.Model
		return
	case chat.Progress:
		s.start(chat.Usage{Prompt: e.Progress.Total, Cached: e.Progress.Cached})
		return
	}
	s.start(chat.Usage{})
	switch e.Kind {
	case chat.Text:
		s.piece(chat.Text, textBlock{Type: "text"}, delta{Type: "text_delta", Text: &e.Text})
	case chat.Reasoning:
		s.piece(chat.Reasoning, thinkingBlock{Type: "thinking"}, delta{Type: "thinking_delta", Thinking: &e.Text})
		s.thinking += e.Text
	case chat.CallStart:
		s.openBlock(chat.CallStart, toolUseBlock{"tool_use", callID(e.Call), e.Call.Name, []byte("{}")})
	case chat.CallArguments:
		s.delta(delta{Type: "input_json_delta", PartialJSON: &e.Text})
	case chat.CallEnd:
		s.close()
	case chat.HostedList:
		if b := listing(e); b != nil {
			s.openBlock(chat.HostedList, *b)
			s.close()
		}
	case chat.HostedStart:
		arguments := string(e.Call.Arguments)
		s.openBlock(chat.HostedStart, use(e, []byte("{}")))
		s.delta(delta{Type: "input_json_delta", PartialJSON: &arguments})
		s.close()
	case chat.HostedEnd:
		s.openBlock(chat.HostedEnd, result(e))
		s.close()
	case chat.Finished:
		s.finish(e.Finish)
	}
}

// ping is the protocol's heartbeat.
func (s *streamer) ping() { s.out.Event("ping", messageStop{"ping"}) }

func (s *streamer) start(u chat.Usage) {
	if s.started {
		return
	}
	s.started = true
	m := emptyAnswer(s.id, s.model)
	m.Usage = encodeUsage(u)
	s.out.Event("message_start", messageStart{"message_start", m})
}

// piece adds to the open block if it is of the kind, or else opens one.
func (s *streamer) piece(kind chat.EventKind, empty any, d delta) {
	if s.open != kind {
		s.openBlock(kind, empty)
	}
	s.delta(d)
}

func (s *streamer) openBlock(kind chat.EventKind, empty any) {
	s.close()
	s.open = kind
	s.out.Event("content_block_start", blockStart{"content_block_start", s.index, empty})
}

func (s *streamer) delta(d delta) {
	s.out.Event("content_block_delta", blockDelta{"content_block_delta", s.index, d})
}

// close ends the open block, if there is one; thinking is signed.
func (s *streamer) close() {
	if s.open == chat.Started {
		return
	}
	if s.open == chat.Reasoning {
		signature := s.signer.sign(s.thinking)
		s.delta(delta{Type: "signature_delta", Signature: &signature})
	}
	s.out.Event("content_block_stop", blockStop{"content_block_stop", s.index})
	s.open, s.thinking = chat.Started, ""
	s.index++
}

func (s *streamer) finish(f chat.Finish) {
	s.close()
	m := messageDelta{Type: "message_delta", Usage: encodeUsage(f.Usage)}
	m.Delta.StopReason, m.Delta.StopSequence = stopReason(f)
	if s.timings {
		m.Timings = wire.EncodeTimings(f)
	}
	s.out.Event("message_delta", m)
	s.out.Event("message_stop", messageStop{"message_stop"})
}
