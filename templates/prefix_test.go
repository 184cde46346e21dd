package templates

import "fmt"

// Break says where and why a new prompt does not begin with an old one.
type Break struct {
	Offset  int    // bytes that the prompts have in common
	Message int    // index of the message at fault in the new conversation; -1: none
	Reason  Reason // what kind of change it was
	Detail  string // both texts at that place
}

// Reason is why a prompt's beginning changed.
type Reason string

const (
	// the template no longer shows a turn's thinking
	ReasonThinking Reason = "thinking-dropped"
	// the template shows the answered turn otherwise than it opened it
	ReasonGeneration Reason = "generation-prompt"
	ReasonMessage    Reason = "message-changed"   // the client sent another text
	ReasonTurns      Reason = "turns-changed"     // a message came, went or moved
	ReasonTools      Reason = "tools-changed"     // the client declared other tools
	ReasonArguments  Reason = "arguments-changed" // the client sent other template arguments
	ReasonDate       Reason = "date-changed"      // the prompt names the day
	ReasonTemplate   Reason = "template-rewrites" // the template shows an old turn otherwise
	ReasonRule       Reason = "rule-"             // followed by the healing rule's name
)

// PrefixBreak compares a conversation's prompt with its prompt one turn earlier. ok is false where
// the new one begins with the old one.
func PrefixBreak(old, next Rendering) (b Break, ok bool) {
	o, n := cursor{segments: old.Segments}, cursor{segments: next.Segments}
	for o.fill() && n.fill() {
		same := commonPrefix(o.rest(), n.rest())
		if same == 0 {
			break
		}
		o.at, n.at, b.Offset = o.at+same, n.at+same, b.Offset+same
	}
	if !o.fill() {
		return b, false
	}
	was, is := o.segment(), n.segment()
	b.Message, b.Reason = blame(old, next, o, n)
	b.Detail = fmt.Sprintf("%q became %q", excerpt(was.Text[o.at:]), excerpt(is.Text[min(n.at, len(is.Text)):]))
	return b, true
}

// cursor is a place in a prompt.
type cursor struct {
	segments []Segment
	i, at    int // segment, and byte in it
}

// fill moves on to a segment with text left; false at the prompt's end.
func (c *cursor) fill() bool {
	for c.i < len(c.segments) && c.at == len(c.segments[c.i].Text) {
		c.i, c.at = c.i+1, 0
	}
	return c.i < len(c.segments)
}

func (c *cursor) rest() string { return c.segments[c.i].Text[c.at:] }

// segment is where the cursor stands; behind the end it is empty text.
func (c *cursor) segment() Segment {
	if c.i < len(c.segments) {
		return c.segments[c.i]
	}
	return Segment{}
}

// blame names the message at fault and the reason.
func blame(old, next Rendering, o, n cursor) (int, Reason) {
	was, is := o.segment(), n.segment()
	lost, found := o.nextMessage()
	switch {
	case found && !next.showsMessage(lost.Message):
		return lost.Message, ReasonTurns
	case found && lost.Field == FieldReasoning && !next.shows(lost.Message, FieldReasoning):
		return lost.Message, ReasonThinking
	case was.Kind == Content && was.Field == FieldTool || is.Kind == Content && is.Field == FieldTool:
		return -1, ReasonTools
	case was.Kind == Content && was.Field == FieldArg || is.Kind == Content && is.Field == FieldArg:
		return -1, ReasonArguments
	case was.Kind == Content:
		if r := ruleBetween(old, next, was.Message); r != "" {
			return was.Message, ReasonRule + Reason(r)
		}
		if is.Kind == Content && is.Message == was.Message && is.Field == was.Field {
			return was.Message, ReasonMessage
		}
		return was.Message, ReasonTurns
	case o.content() == n.content() && digit(o.rest()) && n.i < len(n.segments) && digit(n.rest()):
		return -1, ReasonDate
	case !found:
		return n.lastMessage(), ReasonGeneration
	}
	return n.lastMessage(), ReasonTemplate
}

// ruleBetween returns a healing rule that changed a message in one of the prompts only.
func ruleBetween(old, next Rendering, message int) string {
	rules := map[string]int{}
	for _, h := range old.Heals {
		if h.Message == message {
			rules[h.Rule]++
		}
	}
	for _, h := range next.Heals {
		if h.Message == message {
			rules[h.Rule]--
		}
	}
	for _, r := range Rules() { // in their order
		if rules[r.Name] != 0 {
			return r.Name
		}
	}
	return ""
}

// content counts the pieces of content before the cursor.
func (c *cursor) content() int {
	n := 0
	for _, s := range c.segments[:c.i] {
		if s.Kind == Content {
			n++
		}
	}
	return n
}

// nextMessage is the next piece that a message wrote.
func (c *cursor) nextMessage() (Segment, bool) {
	for _, s := range c.segments[min(c.i, len(c.segments)):] {
		if s.ofMessage() {
			return s, true
		}
	}
	return Segment{}, false
}

// lastMessage is the message whose content stands nearest: behind the cursor, else before it; -1
// if none.
func (c *cursor) lastMessage() int {
	if s, ok := c.nextMessage(); ok {
		return s.Message
	}
	for i := min(c.i, len(c.segments)) - 1; i >= 0; i-- {
		if s := c.segments[i]; s.ofMessage() {
			return s.Message
		}
	}
	return -1
}

func (r Rendering) shows(message int, f Field) bool {
	for _, s := range r.Segments {
		if s.ofMessage() && s.Message == message && s.Field == f {
			return true
		}
	}
	return false
}

func (r Rendering) showsMessage(message int) bool {
	for _, s := range r.Segments {
		if s.ofMessage() && s.Message == message {
			return true
		}
	}
	return false
}

func digit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// ofMessage says whether a message wrote the segment, rather than a tool's declaration or the
// template.
func (s Segment) ofMessage() bool { return s.Kind == Content && s.Field < FieldTool }
