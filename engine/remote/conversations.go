package remote

import (
	"container/list"
	"slices"
	"time"
)

const (
	chunk             = 256       // tokens of a prompt that have a key together
	mostConversations = 1 << 16   // ends that are remembered
	idle              = time.Hour // after which a conversation counts as ended
)

// conversations are where prompts ended that were read lately, and which upstream read them. A
// prompt that goes on behind one of these ends is the next of its conversation. Prompts that only
// begin alike, as those of agents with one system prompt do, have their ends apart; where they end
// alike as well, it shows as soon as they go on in two ways.
type conversations struct {
	known map[uint64]*list.Element
	order list.List // of *ending, what was used last first
}

type ending struct {
	key    uint64
	at     *upstream
	tokens int // of the conversation; 0: it has gone on since
	used   time.Time
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

// add says that an upstream reads a prompt. Ends before it are still known: the next prompt may go
// on behind one of those, where its template leaves out what was thought, or a user edits a turn.
func (c *conversations) add(keys []uint64, at *upstream, now time.Time) {
	if len(keys) == 0 {
		return
	}
	if before, read := c.find(keys); before != nil {
		before.count(nil, 0)
		if i := read / chunk; i < len(keys) {
			before.shared = before.next != 0 && before.next != keys[i]
			before.next = keys[i]
		}
	}
	key := keys[len(keys)-1]
	if c.known == nil {
		c.known = map[uint64]*list.Element{}
	}
	if c.known[key] == nil {
		c.known[key] = c.order.PushFront(&ending{key: key})
	}
	e := c.known[key]
	c.order.MoveToFront(e)
	e.Value.(*ending).used = now
	e.Value.(*ending).count(at, chunk*len(keys))
	for last := c.order.Back(); len(c.known) > mostConversations || now.Sub(last.Value.(*ending).used) > idle; last = c.order.Back() {
		old := c.order.Remove(last).(*ending)
		old.count(nil, 0)
		delete(c.known, old.key)
	}
}

// count has an end's tokens count as in use at an upstream; nil: where they were, they no longer do.
func (e *ending) count(at *upstream, tokens int) {
	if e.at != nil {
		e.at.inUse -= e.tokens
	}
	if e.tokens = tokens; at != nil {
		e.at = at
		at.inUse += tokens
	}
}
