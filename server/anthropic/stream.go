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

	out      *sse.Writer
	model    string
	started  bool
	index    int            // of the open block, or of the next one
	open     chat.EventKind // kind of the open block: Text, Reasoning or CallStart; Started: none is open
	thinking string         // of the open thinking block, to be signed
}

// Add sends an event. It is a chat.Sink.
func (s *streamer) Add(e chat.Event) error {
	switch e.Kind {
	case chat.Started:
		s.model = e.Model
		s.out.Begin()
		return nil
	case chat.Progress:
		return s.start(chat.Usage{Prompt: e.Progress.Total, Cached: e.Progress.Cached})
	}
	if err := s.start(chat.Usage{}); err != nil {
		return err
	}
	switch e.Kind {
	case chat.Text:
		return s.piece(chat.Text, textBlock{Type: "text"}, delta{Type: "text_delta", Text: &e.Text})
	case chat.Reasoning:
		err := s.piece(chat.Reasoning, thinkingBlock{Type: "thinking"}, delta{Type: "thinking_delta", Thinking: &e.Text})
		s.thinking += e.Text
		return err
	case chat.CallStart:
		if err := s.close(); err != nil {
			return err
		}
		return s.openBlock(chat.CallStart, toolUseBlock{"tool_use", callID(e.Call), e.Call.Name, []byte("{}")})
	case chat.CallArguments:
		return s.delta(delta{Type: "input_json_delta", PartialJSON: &e.Text})
	case chat.CallEnd:
		return s.close()
	case chat.HostedList:
		if b := listing(e); b != nil {
			return s.block(chat.HostedList, *b)
		}
	case chat.HostedStart:
		if err := s.close(); err != nil {
			return err
		}
		if err := s.openBlock(chat.HostedStart, use(e, []byte("{}"))); err != nil {
			return err
		}
		arguments := string(e.Call.Arguments)
		if err := s.delta(delta{Type: "input_json_delta", PartialJSON: &arguments}); err != nil {
			return err
		}
		return s.close()
	case chat.HostedEnd:
		return s.block(chat.HostedEnd, result(e))
	case chat.Finished:
		return s.finish(e.Finish)
	}
	return nil
}

// block sends a block that is whole.
func (s *streamer) block(kind chat.EventKind, b any) error {
	if err := s.close(); err != nil {
		return err
	}
	if err := s.openBlock(kind, b); err != nil {
		return err
	}
	return s.close()
}

// ping is the protocol's heartbeat.
func (s *streamer) ping() error { return s.out.Event("ping", messageStop{"ping"}) }

func (s *streamer) start(u chat.Usage) error {
	if s.started {
		return nil
	}
	s.started = true
	m := emptyAnswer(s.id, s.model)
	m.Usage = encodeUsage(u)
	return s.out.Event("message_start", messageStart{"message_start", m})
}

// piece adds to the open block if it is of the kind, or else opens one.
func (s *streamer) piece(kind chat.EventKind, empty any, d delta) error {
	if s.open != kind {
		if err := s.close(); err != nil {
			return err
		}
		if err := s.openBlock(kind, empty); err != nil {
			return err
		}
	}
	return s.delta(d)
}

func (s *streamer) openBlock(kind chat.EventKind, empty any) error {
	s.open = kind
	return s.out.Event("content_block_start", blockStart{"content_block_start", s.index, empty})
}

func (s *streamer) delta(d delta) error {
	return s.out.Event("content_block_delta", blockDelta{"content_block_delta", s.index, d})
}

// close ends the open block, if there is one; thinking is signed.
func (s *streamer) close() error {
	if s.open == chat.Started {
		return nil
	}
	if s.open == chat.Reasoning {
		signature := s.signer.sign(s.thinking)
		if err := s.delta(delta{Type: "signature_delta", Signature: &signature}); err != nil {
			return err
		}
	}
	s.open, s.thinking = chat.Started, ""
	s.index++
	return s.out.Event("content_block_stop", blockStop{"content_block_stop", s.index - 1})
}

func (s *streamer) finish(f chat.Finish) error {
	if err := s.close(); err != nil {
		return err
	}
	m := messageDelta{Type: "message_delta", Usage: encodeUsage(f.Usage)}
	m.Delta.StopReason, m.Delta.StopSequence = stopReason(f)
	if s.timings {
		m.Timings = wire.EncodeTimings(f)
	}
	if err := s.out.Event("message_delta", m); err != nil {
		return err
	}
	return s.out.Event("message_stop", messageStop{"message_stop"})
}
