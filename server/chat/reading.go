package chat

import (
	"errors"
	"iter"
	"time"
	"unicode/utf8"

	"tenon/engine"
	"tenon/tools"
)

// reading is what has been understood of a session's output so far. But for the ids of calls it
// depends on the tokens alone, so that it can be made again from those that stay when some are
// taken back.
type reading struct {
	plan   planned
	parser tools.Parser
	tokens []engine.Token // all that were read
	held   []engine.Token // of those, whose text has not left; for logprobs
	begun  []byte         // the rest of the last token whose text has left in part
	bytes  int            // of the output
	limit  int            // most tokens that the output can have; 0: not known
	fresh  int            // tokens since the last event that left

	refused *tools.Refusal // what has just proved to be no call; nobody has decided about it
	waiting []tools.Event  // behind it

	took time.Duration // by the parser

	nest      nester
	events    int // that have left
	reasoning int // tokens of thinking
	calls     int
	ended     bool   // the last thing that left is the end of a call
	stop      string // the stop string that ended the text
}

func newReading(p planned, limit int) *reading {
	return &reading{plan: p, parser: p.parser(), limit: limit}
}

// readAgain reads tokens whose events have left already.
func readAgain(p planned, limit int, tokens []engine.Token) *reading {
	r := newReading(p, limit)
	for _, t := range tokens {
		// nothing is sent, so nothing can fail
		_ = r.token(t, func(Event) error { return nil })
	}
	return r
}

// token reads a token and sends what became certain by it.
func (r *reading) token(t engine.Token, send Sink) error {
	r.tokens = append(r.tokens, t)
	r.fresh++
	r.bytes += len(t.Bytes)
	if r.plan.logprobs && t.Kind != engine.Symbol {
		r.held = append(r.held, t)
	}
	if r.limit > 0 {
		r.parser.Room(r.limit - len(r.tokens))
	}
	begin := time.Now()
	events := r.parser.Token(t.Bytes, t.Kind == engine.Symbol)
	r.took += time.Since(begin)
	if len(events) > 0 && events[len(events)-1].Kind == tools.Reasoning {
		r.reasoning++
	}
	if err := r.deliver(events, send); err != nil {
		return err
	}
	return r.whole()
}

// errBroken ends a turn in whose open call the engine broke its promise: protocols tell an error,
// and no finish.
var errBroken = errors.New("the engine's output left its grammar inside a call of which a part had been sent")

// whole is nil behind a stop: what the engine wrote there is no part of the answer.
func (r *reading) whole() error {
	if r.parser.Broken() && r.stop == "" {
		return errBroken
	}
	return nil
}

// close ends the output and sends what is left of it.
func (r *reading) close(truncated bool, send Sink) error {
	err := r.deliver(r.parser.Close(truncated), send)
	if truncated && err == nil {
		err = r.resume(send) // there are no tokens left to try with
	}
	if err != nil {
		return err
	}
	return r.whole()
}

// deliver sends events, up to what looked like a call and is none: the turn may be tried again
// before its text leaves.
func (r *reading) deliver(events []tools.Event, send Sink) error {
	if r.refused = r.parser.Refused(); r.refused != nil {
		n := min(r.refused.Before, len(events))
		events, r.waiting = events[:n], events[n:]
	}
	return r.send(events, send)
}

// resume sends what waited for a decision.
func (r *reading) resume(send Sink) error {
	events := r.waiting
	r.refused, r.waiting = nil, nil
	return r.send(events, send)
}

func (r *reading) send(events []tools.Event, send Sink) error {
	for _, e := range events {
		if r.stop != "" { // what came with it came too late
			return nil
		}
		r.ended = e.Kind == tools.CallEnd
		if e.Kind == tools.StopHit {
			r.stop = e.Text
			continue
		}
		for _, e := range r.nest.event(e, r.plan.flat) {
			r.events++
			if err := send(r.event(e)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reading) event(e tools.Event) Event {
	count := r.fresh
	r.fresh = 0
	if e.Kind == tools.Text {
		return Event{Kind: Text, Text: e.Text, Tokens: r.behind(e.Text), Count: count}
	}
	r.held, r.begun = nil, nil
	out := Event{Text: e.Text, Call: e.Call, Count: count, Freeform: r.plan.freeform[toolName{e.Call.Namespace, e.Call.Name}]}
	switch e.Kind {
	case tools.CallStart:
		r.calls++
		out.Kind = CallStart
	case tools.CallArguments:
		out.Kind = CallArguments
	case tools.CallEnd:
		out.Kind = CallEnd
	default:
		out.Kind = Reasoning
	}
	return out
}

// behind takes the tokens that a piece of text is made of. A token that the text ends in goes with
// its beginning, and its rest belongs to the next piece. Tokens whose text did not leave, such as
// white space that was layout, go with the text behind them.
func (r *reading) behind(text string) []engine.Token {
	taken := 0
	for len(text) > 0 {
		if len(r.begun) == 0 {
			if taken == len(r.held) {
				break
			}
			r.begun = r.held[taken].Bytes
			taken++
			continue
		}
		if n := leading(text, r.begun); n > 0 {
			text, r.begun = text[n:], r.begun[n:]
		} else if c, n := utf8.DecodeRuneInString(text); c == utf8.RuneError && !utf8.Valid(r.begun) {
			// a byte that is no text leaves as this character
			text, r.begun = text[n:], r.begun[1:]
		} else {
			r.begun = r.begun[1:] // a byte that did not leave
		}
	}
	out := r.held[:taken:taken]
	r.held = r.held[taken:]
	return out
}

// leading is how many bytes a text and bytes begin with in common.
func leading(text string, b []byte) int {
	n := 0
	for n < len(text) && n < len(b) && text[n] == b[n] {
		n++
	}
	return n
}

// outputOf is an output as package tools takes it.
func outputOf(tokens []engine.Token) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		for _, t := range tokens {
			if !yield(t.Bytes, t.Kind == engine.Symbol) {
				return
			}
		}
	}
}

// within is how many tokens end within the first n bytes of an output.
func within(tokens []engine.Token, n int) int {
	for i, t := range tokens {
		if n -= len(t.Bytes); n < 0 {
			return i
		}
	}
	return len(tokens)
}
