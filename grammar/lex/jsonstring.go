package lex

import (
	"slices"
	"sync/atomic"
)

// StringState is a state of the automaton that reads the inside of a JSON string literal (RFC 8259
// §7). It decodes escapes and feeds the text to a [State]. Like that, it never enters a dead end:
// \u00e is alive only if some fourth digit leads on.
type StringState int32

const (
	// StringDead refuses everything.
	StringDead StringState = 0
	// StringClosed follows the closing quote, which may come where the decoded text is
	// accepted. Nothing follows it.
	StringClosed StringState = 1
)

// Escapes says which escapes may be written.
type Escapes uint8

const (
	// EscapesAny admits all that JSON does: \/, \u for any code point, surrogate pairs.
	// Unpaired surrogates are no text and refused.
	EscapesAny Escapes = iota
	// EscapesCanonical admits only necessary ones, in their shortest form, hex digits in lower
	// case.
	EscapesCanonical
	// EscapesCommon admits what common encoders write: all of EscapesAny but \u for printable
	// ASCII that needs no escape anywhere. A model that has begun to spell letters as \u0061
	// seldom finds its way back.
	EscapesCommon
)

// StringRow is a state's successor for every byte.
type StringRow [256]StringState

// stringKey is the identity of a StringState. A \u escape feeds each byte of its UTF-8 as soon as
// that is known: states that differ only in the spelling of the text soon become one.
type stringKey struct {
	inner   State
	mode    stringMode
	escapes Escapes
	pending uint8 // bits of the next byte or bytes that are known, by mode
}

type stringPage struct {
	rows [pageSize]atomic.Pointer[StringRow]
	keys [pageSize]stringKey
}

// stringTable numbers string states; ids and pages behave like those of State.
type stringTable struct {
	ids   map[stringKey]StringState        // inside of escapes
	first map[stringKey]StringState        // the prototype's ids
	texts [EscapesCommon + 1][]StringState // outside of escapes, by the state of the text
	count StringState
	pages [maxPages]atomic.Pointer[stringPage]
}

// StartString returns the state after the opening quote of a string whose decoded text must be in
// e. Words of e that are not valid UTF-8 cannot be written.
func (a *Arena) StartString(e Expr, escapes Escapes) StringState {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work = a.limits.Work
	return a.stringState(stringKey{inner: a.stateOf(a.intersect(e, a.anyText)), escapes: escapes})
}

// StepString returns the state after b. Like Step, it neither locks nor allocates when s has been
// stepped from before.
func (a *Arena) StepString(s StringState, b byte) StringState { return a.StringRow(s)[b] }

// StepStringOnce is StepString for a state from which only one byte may ever be read: it does not
// make the row of all successors.
func (a *Arena) StepStringOnce(s StringState, b byte) StringState {
	k := a.stringKey(s)
	if b < ' ' || b == '\\' || k.mode != inText || a.strings.page(s).rows[s%pageSize].Load() != nil {
		return a.StepString(s, b)
	}
	if b == '"' {
		if a.Accepting(k.inner) {
			return StringClosed
		}
		return StringDead
	}
	next, ok := a.stepOnce(k.inner, b)
	if !ok {
		return a.StepString(s, b)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stringState(stringKey{inner: next, escapes: k.escapes})
}

// StringRow returns the successors of s, for inner loops; the result is shared and must not be
// written.
func (a *Arena) StringRow(s StringState) *StringRow {
	if row := a.strings.page(s).rows[uint32(s)%pageSize].Load(); row != nil {
		return row
	}
	return a.expandString(s)
}

// Decoded returns the state after the decoded text, and whether s is outside of escapes, so that
// raw bytes may follow. The state is Dead for StringDead and StringClosed.
func (a *Arena) Decoded(s StringState) (State, bool) {
	k := a.stringKey(s)
	return k.inner, k.mode == inText
}

// StringOpen is [Arena.Open] for the text of a string: false inside of escapes.
func (a *Arena) StringOpen(s StringState) bool {
	inner, raw := a.Decoded(s)
	return raw && a.Open(inner)
}

// StringDistance returns the least number of bytes to the end of the string, the closing quote
// included; 0 for StringDead and StringClosed.
func (a *Arena) StringDistance(s StringState) int {
	k := a.stringKey(s)
	if k.inner == Dead {
		return 0
	}
	return a.stringDistance(k, map[stringKey]int{})
}

// ShortestString returns a shortest way to end the string, without the closing quote.
func (a *Arena) ShortestString(s StringState) []byte {
	var text []byte
	for left := a.StringDistance(s) - 1; left > 0; left-- {
		row := a.StringRow(s)
		b := slices.IndexFunc(row[:], func(t StringState) bool { return t > StringClosed && a.StringDistance(t) <= left })
		if b < 0 {
			break // a limit on work was met
		}
		text, s = append(text, byte(b)), row[b]
	}
	return text
}

// StringAtLeast bounds StringDistance from below, at once, for states outside of escapes.
func (a *Arena) StringAtLeast(s StringState) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.at(a.Expr(a.stringKey(s).inner)).span.minJSON) + 1
}

func (a *Arena) stringDistance(k stringKey, known map[stringKey]int) int {
	if k.mode == inText {
		return a.stateDistance(k.inner, inJSON) + 1
	}
	if d, ok := known[k]; ok {
		return d
	}
	best := huge
	for _, b := range []byte(k.bytes()) {
		if next := a.escapeMove(k, b); next.inner != Dead {
			best = min(best, a.stringDistance(next, known)+1)
		}
	}
	known[k] = best
	return best
}

func (a *Arena) stringKey(s StringState) stringKey {
	return a.strings.page(s).keys[s%pageSize]
}

// stringState interns k; it is called with the lock held.
func (a *Arena) stringState(k stringKey) StringState {
	t := &a.strings
	if k.inner == Dead {
		return StringDead
	}
	if s, ok := t.find(k); ok {
		return s
	}
	if int(t.count)-pageSize >= a.limits.States {
		a.fill("string states", a.limits.States)
		return StringDead
	}
	s := t.add(k)
	if k.mode == inText {
		t.texts[k.escapes][k.inner] = s
	} else {
		t.ids[k] = s
	}
	return s
}

// begin takes over the page of the prototype.
func (t *stringTable) begin(p *stringTable) {
	t.ids, t.first = map[stringKey]StringState{}, p.ids
	for i := range t.texts {
		t.texts[i] = slices.Clone(p.texts[i])
	}
	t.count = pageSize
	t.pages[0].Store(p.pages[0].Load())
}

// find looks a state up, and makes room for it.
func (t *stringTable) find(k stringKey) (StringState, bool) {
	if k.mode != inText {
		s, ok := t.first[k]
		if !ok {
			s, ok = t.ids[k]
		}
		return s, ok
	}
	texts := &t.texts[k.escapes]
	if int(k.inner) >= len(*texts) {
		*texts = append(*texts, make([]StringState, int(k.inner)+256-len(*texts))...)
	}
	s := (*texts)[k.inner]
	return s, s != StringDead
}

func (t *stringTable) page(s StringState) *stringPage { return t.pages[uint32(s)/pageSize].Load() }

func (t *stringTable) add(k stringKey) StringState {
	s := t.count
	if s%pageSize == 0 {
		t.pages[s/pageSize].Store(new(stringPage))
	}
	t.page(s).keys[s%pageSize] = k
	t.count++
	return s
}

// expandString computes the successors of s. The rows of the decoded text's states, which it
// needs, take the lock themselves.
func (a *Arena) expandString(s StringState) *StringRow {
	var found StringRow
	if k := a.stringKey(s); k.mode == inText {
		a.expandText(&found, k)
	} else {
		a.expandEscape(&found, k)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	slot := &a.strings.page(s).rows[s%pageSize]
	if known := slot.Load(); known != nil {
		return known
	}
	row := a.stringRows.take()
	*row = found
	if a.mayKeepRow() {
		slot.Store(row)
	}
	return row
}

// expandText fills in what follows raw text.
func (a *Arena) expandText(row *StringRow, k stringKey) {
	if k.inner == Dead {
		return
	}
	inner := a.Row(k.inner)
	escape := stringKey{inner: k.inner, escapes: k.escapes, mode: inEscape}
	escapes := a.alive(escape)
	if a.Accepting(k.inner) {
		row['"'] = StringClosed
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	last, state := Dead, StringDead
	for b := ' '; b < 256; b++ {
		t := inner[b]
		if t != last {
			last, state = t, a.stringState(stringKey{inner: t, escapes: k.escapes})
		}
		if b != '"' && b != '\\' {
			row[b] = state
		}
	}
	if escapes {
		row['\\'] = a.stringState(escape)
	}
}

// expandEscape fills in what follows the beginning of an escape.
func (a *Arena) expandEscape(row *StringRow, k stringKey) {
	if k.inner == Dead {
		return
	}
	bytes := k.bytes()
	var moves [len(anyHex)]stringKey
	for i := range len(bytes) {
		if next := a.escapeMove(k, bytes[i]); a.alive(next) {
			moves[i] = next
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range len(bytes) {
		row[bytes[i]] = a.stringState(moves[i])
	}
}
