package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
)

// mostCalls bounds what is gathered of an answer's calls, in bytes.
const mostCalls = 64 << 20

// Calls gathers the calls of an answer from their pieces, whose order, ids and places in the list
// upstreams get wrong in many ways. The zero value has none.
type Calls struct {
	Notes []string // what the turn's trace is to tell of the answer

	all  []*call
	size int
}

// mostNotes bounds them: an upstream's words are in them.
const mostNotes = 16

// note takes down what was decided, once.
func (c *Calls) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(c.Notes) < mostNotes && !slices.Contains(c.Notes, text) {
		c.Notes = append(c.Notes, text)
	}
}

type call struct {
	index     int // in the answer, -1: not told
	id, name  string
	arguments []string // pieces, and perhaps the whole behind them
}

// Add takes a piece. What it does not tell is nil or "". A name that comes with each piece is one.
func (c *Calls) Add(index *int, id, name, arguments string) {
	if c.size += len(id) + len(name) + len(arguments); c.size > mostCalls {
		return // Tokens tells
	}
	at := -1
	if index != nil {
		at = *index
	}
	to := c.find(at, id, name)
	if to == nil {
		to = &call{index: at}
		c.all = append(c.all, to)
	}
	to.id = cmp.Or(to.id, id)
	if to.index < 0 {
		to.index = at
	}
	if name != to.name {
		to.name += name
	}
	if arguments != "" {
		to.arguments = append(to.arguments, arguments)
	}
}

// find is the call that a piece belongs to; nil: a new one. A piece goes to the call of its id, or
// else of its index, or else to the last. A call whose start has not come yet has no id.
func (c *Calls) find(index int, id, name string) *call {
	var found *call
	for _, one := range c.all {
		if index >= 0 && one.index >= 0 && one.index != index || id != "" && one.id != "" && one.id != id {
			continue
		}
		if id == "" && name != "" && one.name != "" && one.name != name && one.whole() {
			continue // calls without ids, each whole, in one place
		}
		if found == nil || id == "" || one.id == id || found.id != id {
			found = one
		}
	}
	return found
}

// Tokens are the calls as tokens. Those that a limit cut off are none. Two calls in one place of
// the list are two if each is whole.
func (c *Calls) Tokens(limited bool) (all []engine.Token, err error) {
	if c.size > mostCalls {
		return nil, fmt.Errorf("its calls have more than %d bytes", mostCalls)
	}
	slices.SortStableFunc(c.all, func(a, b *call) int { return cmp.Compare(a.index, b.index) })
	for i, one := range c.all {
		if i > 0 && one.index >= 0 && one.index == c.all[i-1].index && !(one.whole() && c.all[i-1].whole()) {
			return nil, fmt.Errorf("the call %q goes on as %q", c.all[i-1].id, one.id)
		}
	}
	for _, one := range c.all {
		arguments, taken := one.text()
		if one.name == "" && arguments == "" || limited && !one.whole() {
			continue
		}
		if taken != "" {
			c.note("the arguments of a call of %.64q came more than once: %s", one.name, taken)
		}
		name, _ := json.Marshal(one.name) // a text can be
		text := fmt.Sprintf("\n{\"name\": %s, \"arguments\": %s}\n", name, cmp.Or(arguments, "{}"))
		all = append(all, Symbol(engine.ChatMarkers[0]), Text(text), Symbol(engine.ChatMarkers[1]))
	}
	return all, nil
}

// Symbol is a marker as a token.
func Symbol(text string) engine.Token {
	return engine.Token{ID: engine.NoID, Kind: engine.Symbol, Bytes: []byte(text)}
}

// Text is a text as a token.
func Text(text string) engine.Token { return engine.Token{ID: engine.NoID, Bytes: []byte(text)} }

func (one *call) whole() bool {
	text, _ := one.text()
	return one.name != "" && isObject(text)
}

// text is the arguments that the pieces make. Some upstreams send the whole behind the pieces:
// where all together are no object, the last piece is taken if it is one, or else the pieces
// before it. taken tells of that; it is "" where all were taken.
func (one *call) text() (text, taken string) {
	sum, n := strings.Join(one.arguments, ""), len(one.arguments)-1
	if n < 1 || isObject(sum) {
		return sum, ""
	}
	last, before := one.arguments[n], strings.Join(one.arguments[:n], "")
	switch {
	case last == before:
		return last, "both are equal"
	case isObject(last) && isObject(before):
		return last, "the last, which is whole, is taken, not the pieces before it"
	case isObject(last):
		return last, "the last is taken, and the pieces before it are no object"
	case isObject(before):
		return before, "the pieces are taken, and the last is no object"
	}
	return sum, ""
}

func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text))
}
