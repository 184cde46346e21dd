package remote

import (
	"container/list"
	"slices"
	"time"
)

const (
	chunk      = 256       // tokens of a prompt that have a key together
	mostEnds   = 1 << 16   // that are remembered
	endsBefore = 2         // of a conversation, beside its last
	idle       = time.Hour // after which a conversation counts as ended
)

// conversations remembers where each prompt ended that was read lately, and which upstream read
// it. A prompt that begins with such an end is the next one of that conversation.
//
// Agents with one system prompt begin alike, but end differently: they are not taken for one. If
// two do end alike, the end is marked as shared once they go on in two ways.
type conversations struct {
	known map[uint64]*list.Element
	order list.List // of *ending, what was used last first
}

type ending struct {
	key    uint64
	at     *upstream
	tokens int // of the conversation; 0: it has gone on since
	used   time.Time
	before uint64 // the end that it went on behind; 0: none
	next   uint64 // what it went on with; 0: nothing yet
	shared bool   // it went on in two ways, and is the end of no one conversation
}

// find is the latest end that a prompt goes on behind, and how many tokens come before it; nil: it
// is a new conversation.
func (c *conversations) find(keys []uint64) (e *ending, read int) {
	for i, key := range slices.Backward(keys) {
		if at := c.known[key]; at != nil && !at.Value.(*ending).shared {
			return at.Value.(*ending), chunk * (i + 1)
		}
	}
	return nil, 0
}

// add says that an upstream reads a prompt. The ends right before it are still known: the next
// prompt may go on behind one of those, where its template leaves out what was thought, or a user
// edits a turn.
func (c *conversations) add(keys []uint64, at *upstream, now time.Time) {
	if len(keys) == 0 {
		return
	}
	if c.known == nil {
		c.known = map[uint64]*list.Element{}
	}
	before, read := c.find(keys)
	e := c.end(keys[len(keys)-1])
	if before != nil && before != e {
		e.before = before.key
		before.count(nil, 0)
		next := keys[read/chunk]
		before.shared = before.next != 0 && before.next != next
		before.next = next
		c.forget(c.earlier(e, endsBefore+1))
	}
	e.used = now
	e.count(at, chunk*len(keys))
	for last := c.order.Back(); len(c.known) > mostEnds || now.Sub(last.Value.(*ending).used) > idle; last = c.order.Back() {
		c.forget(last.Value.(*ending))
	}
}

// end is the end with a key, which is used now.
func (c *conversations) end(key uint64) *ending {
	if c.known[key] == nil {
		c.known[key] = c.order.PushFront(&ending{key: key})
	}
	c.order.MoveToFront(c.known[key])
	return c.known[key].Value.(*ending)
}

// earlier is the end so many before one, nil if it is not known or that of several conversations.
func (c *conversations) earlier(e *ending, by int) *ending {
	for ; by > 0; by-- {
		at := c.known[e.before]
		if at == nil {
			return nil
		}
		e = at.Value.(*ending)
	}
	if e.shared {
		return nil
	}
	return e
}

func (c *conversations) forget(e *ending) {
	if e == nil {
		return
	}
	e.count(nil, 0)
	c.order.Remove(c.known[e.key])
	delete(c.known, e.key)
}

// count moves an end's tokens to the tokens in use at an upstream. With nil they are only taken
// off where they were.
func (e *ending) count(at *upstream, tokens int) {
	if e.at != nil {
		e.at.inUse -= e.tokens
	}
	if e.tokens = tokens; at != nil {
		e.at = at
		at.inUse += tokens
	}
}
