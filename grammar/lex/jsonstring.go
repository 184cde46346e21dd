package lex

import "sync/atomic"

// StringState is a state of the automaton that reads the inside of a JSON string literal (RFC 8259 §7): raw UTF-8 and escapes, which it
// decodes and feeds to a [State]. Like that, it never enters a dead end: \u00e is alive only if some fourth digit leads on.
type StringState int32

const (
	// StringDead refuses everything.
	StringDead StringState = 0
	// StringClosed is reached by the closing quote, which is read when what was decoded is accepted. Nothing follows it.
	StringClosed StringState = 1
)

// Escapes is which escapes may be written.
type Escapes uint8

const (
	// EscapesAny admits all that JSON does: \/, \u for any code point, surrogate pairs. Unpaired surrogates are no text and refused.
	EscapesAny Escapes = iota
	// EscapesCanonical admits only necessary ones, in their shortest form, hex digits in lower case.
	EscapesCanonical
	// EscapesCommon admits what common encoders write: all of EscapesAny but \u for printable ASCII that needs no escape anywhere. A model
	// that has begun to spell letters as \u0061 seldom finds its way back.
	EscapesCommon
)

// StringRow is a state's successor for every byte.
type StringRow [256]StringState

// stringKey is the identity of a StringState. Escapes of code points feed the automaton as soon as a byte of the UTF-8 is known, so that
// states that differ only in how the text was written soon become one.
type stringKey struct {
	inner   State
	mode    stringMode
	escapes Escapes
	pending uint8 // bits known of the next byte or bytes; their meaning is the mode's
}

type stringPage struct {
	rows [pageSize]atomic.Pointer[StringRow]
	keys [pageSize]stringKey
}

// stringTable numbers string states; ids and pages behave like those of State.
type stringTable struct {
	ids   map[stringKey]StringState
	count StringState
	pages [maxPages]atomic.Pointer[stringPage]
}

// StartString returns the state after the opening quote of a string whose decoded text is to be in e. What in e is not valid UTF-8 cannot
// be written and counts for nothing.
func (a *Arena) StartString(e Expr, escapes Escapes) StringState {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work = a.limits.Work
	return a.stringState(stringKey{inner: a.stateOf(a.intersect(e, a.anyText)), escapes: escapes})
}

// StepString returns the state after b. Like Step, it neither locks nor allocates when s has been stepped from before.
func (a *Arena) StepString(s StringState, b byte) StringState { return a.StringRow(s)[b] }

// StringRow returns the successors of s, for inner loops; the result is shared and must not be written.
func (a *Arena) StringRow(s StringState) *StringRow {
	if row := a.strings.page(s).rows[uint32(s)%pageSize].Load(); row != nil {
		return row
	}
	return a.expandString(s)
}

// Decoded returns the state that the decoded text has led to, and whether s is at a point where raw bytes continue it: outside of
// escapes. It is Dead for StringDead and StringClosed.
func (a *Arena) Decoded(s StringState) (State, bool) {
	k := a.stringKey(s)
	return k.inner, k.mode == inText
}

// StringOpen is [Arena.Open] for the text of a string: false inside of escapes.
func (a *Arena) StringOpen(s StringState) bool {
	inner, raw := a.Decoded(s)
	return raw && a.Open(inner)
}

// StringDistance returns the least number of bytes to the end of the string, the closing quote included; 0 for StringDead and StringClosed.
func (a *Arena) StringDistance(s StringState) int {
	k := a.stringKey(s)
	if k.inner == Dead {
		return 0
	}
	return a.stringDistance(k, map[stringKey]int{})
}

// StringAtLeast bounds StringDistance from below, at once, for states outside of escapes.
func (a *Arena) StringAtLeast(s StringState) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return int(a.at(a.Expr(a.stringKey(s).inner)).span.minJSON) + 1
}

func (a *Arena) stringDistance(k stringKey, known map[stringKey]int) int {
	if k.mode == inText {
		return a.minimum(k.inner, inJSON) + 1
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
	if s, ok := t.ids[k]; ok {
		return s
	}
	if int(t.count) >= a.limits.States {
		a.fail(&LimitError{What: "string states", Limit: a.limits.States, Spent: true})
		return StringDead
	}
	s := t.add(k)
	t.ids[k] = s
	return s
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

// expandString computes the successors of s. The rows of the decoded text's states, which it needs, take the lock themselves.
func (a *Arena) expandString(s StringState) *StringRow {
	k := a.stringKey(s)
	moves := a.moves(k)
	a.mu.Lock()
	defer a.mu.Unlock()
	slot := &a.strings.page(s).rows[s%pageSize]
	if row := slot.Load(); row != nil {
		return row
	}
	row := new(StringRow)
	var last stringKey
	var state StringState
	for b, next := range moves {
		if next.inner == Dead {
			continue
		}
		if next != last {
			last, state = next, a.stringState(next)
		}
		row[b] = state
	}
	if k.mode == inText && a.Accepting(k.inner) {
		row['"'] = StringClosed
	}
	if a.mayKeepRow() {
		slot.Store(row)
	}
	return row
}

// moves returns the key of the successor under each byte.
func (a *Arena) moves(k stringKey) *[256]stringKey {
	moves := new([256]stringKey)
	switch {
	case k.inner == Dead:
	case k.mode == inText:
		row := a.Row(k.inner)
		for b := 0x20; b < 256; b++ {
			if t := row[b]; t != Dead && b != '"' && b != '\\' {
				moves[b] = stringKey{inner: t, escapes: k.escapes}
			}
		}
		if escape := (stringKey{inner: k.inner, escapes: k.escapes, mode: inEscape}); a.alive(escape) {
			moves['\\'] = escape
		}
	default:
		for _, b := range []byte(k.bytes()) {
			if next := a.escapeMove(k, b); a.alive(next) {
				moves[b] = next
			}
		}
	}
	return moves
}
