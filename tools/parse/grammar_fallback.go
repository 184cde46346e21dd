package parse

import (
	"maps"
	"slices"
	"unicode/utf8"

	"tenon/grammar"
	"tenon/tools/turn"
)

// leave has the tolerant parser take over from the start of the output, because the grammar does
// not accept it: the engine did not follow the grammar, or cut the output off. What has been sent
// stays; the tolerant parser's events begin behind it. A call that is on its way can be neither
// taken back nor ended, which would invent what the model did not write: only where the output was
// cut off it ends as the mask would have had it end.
func (p *Constrained) leave(truncated bool) {
	p.told()
	if p.call.tool != nil && !p.call.held {
		if p.Rest = (&latecomer{mute: true}); truncated {
			p.closeCall()
		} else {
			p.broken = true
			p.note(p.call.at, "the output left its grammar inside a call of which a part had been sent")
		}
		return
	}
	p.Rest = &latecomer{inner: NewTolerant(p.plan, false, p.newID), text: p.sentText, reasoning: p.sentReasoning, calls: p.called}
	p.Rest.inner.sent = p.called
	at := 0
	for _, s := range append(p.symbols, symbol{len(p.output), len(p.output)}) {
		p.events = append(p.events, p.Rest.token(p.output[at:s.from], false)...)
		p.events = append(p.events, p.Rest.token(p.output[s.from:s.to], true)...)
		at = s.to
	}
	p.output, p.symbols = nil, nil
}

// Repairs implements Parser.
func (p *Constrained) Repairs() []turn.Repair {
	if p.Rest == nil || p.Rest.mute {
		return p.repairs
	}
	return p.Rest.inner.repairs // it has read the whole output
}

// Notes implements Parser.
func (p *Constrained) Notes() []turn.Note {
	if p.Rest == nil || p.Rest.mute {
		return p.notes
	}
	return p.Rest.inner.notes
}

// latecomer is a tolerant parser that begins when some of its events have been sent.
type latecomer struct {
	inner           *Tolerant
	text, reasoning int  // bytes not to be sent again
	calls           int  // calls not to be sent again
	read            int  // calls read again so far
	mute            bool // nothing more is sent
	events          []turn.Event
}

func (l *latecomer) token(text []byte, isSymbol bool) []turn.Event {
	if l.mute {
		return nil
	}
	return l.unsent(l.inner.Token(text, isSymbol))
}

func (l *latecomer) close(truncated bool) []turn.Event {
	if l.mute {
		return nil
	}
	return l.unsent(l.inner.Close(truncated))
}

// unsent leaves out what has been sent.
func (l *latecomer) unsent(all []turn.Event) []turn.Event {
	l.events = l.events[:0]
	for _, e := range all {
		switch e.Kind {
		case turn.Text:
			if e.Text = behind(e.Text, &l.text); l.read < l.calls {
				continue // what stood before and in calls that were sent is known
			}
		case turn.Reasoning:
			e.Text = behind(e.Text, &l.reasoning)
		case turn.CallEnd:
			l.read++
		}
		if inCall := e.Kind == turn.CallStart || e.Kind == turn.CallArguments || e.Kind == turn.CallEnd; inCall && e.Call.Index < l.calls {
			continue
		}
		if e.Text != "" || e.Kind == turn.CallStart || e.Kind == turn.CallEnd {
			l.events = append(l.events, e)
		}
	}
	return l.events
}

// behind takes n bytes, in whole characters, off the start of text.
func behind(text string, n *int) string {
	i := min(*n, len(text))
	*n -= i
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return text[i:]
}

// maxClosing bounds the steps that bring a call to its end.
const maxClosing = 1 << 16

// closeCall brings a call that has been begun to its nearest legal end, as the mask does where a
// budget runs out.
func (p *Constrained) closeCall() {
	p.note(p.call.at, "the output was cut off inside a call, which was ended as soon as the grammar allows")
	m := p.matcher()
	for range maxClosing {
		text, isSymbol := p.nearest(m)
		if text == "" || !p.read([]byte(text), isSymbol) {
			return
		}
		if p.told(); p.call.tool == nil {
			return
		}
	}
}

// matcher follows what the grammar has accepted of the output.
func (p *Constrained) matcher() *grammar.Matcher {
	m, at := p.compiled.Matcher(nil), 0
	for _, s := range append(p.symbols, symbol{p.accepted, p.accepted}) {
		to := min(s.from, p.accepted)
		_ = m.AcceptBytes(p.output[at:to]) // the parser has accepted it before
		if s.to <= p.accepted && s.from < s.to {
			_ = m.AcceptSymbol(string(p.output[s.from:s.to]))
		}
		at = min(s.to, p.accepted)
	}
	return m
}

// nearest has the matcher read the byte or the symbol that brings it nearest to an end, and
// returns it; "" if there is none.
func (p *Constrained) nearest(m *grammar.Matcher) (text string, isSymbol bool) {
	best := m.Distance()
	for b := range 256 {
		one := [1]byte{byte(b)}
		if m.AcceptBytes(one[:]) != nil {
			continue
		}
		if m.Distance() < best {
			return string(one[:]), false
		}
		m.Rollback(1)
	}
	for _, s := range slices.Sorted(maps.Keys(p.plan.Dialect.Symbols)) {
		if m.AcceptSymbol(s) != nil {
			continue
		}
		if m.Distance() < best {
			return s, true
		}
		m.Rollback(1)
	}
	return "", false
}
