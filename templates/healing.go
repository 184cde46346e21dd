package templates

import (
	"crypto/rand"
	"maps"
	"slices"
	"time"

	"tenon/templates/jinja"
)

// healing is a conversation on its way into a template: the rules of [Rules] change it in place.
type healing struct {
	probe    Probe
	turns    []turn
	tools    *toolSet // nil: none are to be shown
	protocol Protocol
	args     []arg
	now      time.Time
	stop     func() error // asked while the template runs; nil: nothing ends it
	closed   bool
	prefill  bool // the last turn is the assistant's and goes on
	heals    []Heal
	complete completing // of the schemas that are shown; nil: they are shown as they are
	// texts that the template does not see, each behind its placeholder; nil: it sees all
	hidden   []string
	guided   bool // the tools are explained
	wording  Wording
	examples *jinja.Str // of calls, with guidance
	write    WriteCalls // of a template that shows no calls
	sayOff   bool       // that no thinking is wanted has to be said
}

// turn is a message while it is healed: Text holds the whole content.
type turn struct {
	Message
	index int // in the client's messages
	// ours, behind a system message's text, or calls: the only text here that may hold markers
	more *jinja.Str
}

// arg is a template argument.
type arg struct {
	name  string
	value any
}

func newHealing(p Probe, c Conversation, tools *toolSet) *healing {
	h := &healing{probe: p, tools: tools, protocol: p.protocol(c), now: c.Now, closed: c.Closed}
	if h.now.IsZero() {
		h.now = time.Now()
	}
	if tools != nil {
		h.heals = append(h.heals, tools.heals...)
	}
	h.turns = make([]turn, len(c.Messages))
	for i, m := range c.Messages {
		m.Text, m.Parts = m.Content(), nil
		h.turns[i] = turn{Message: m, index: i}
	}
	h.args = arguments(p, c)
	h.sayOff = p.saysOff(c.Thinking)
	return h
}

// arguments are the client's template arguments, in a stable order, and those that say what it
// wants of the thinking.
func arguments(p Probe, c Conversation) []arg {
	var args []arg
	for _, name := range slices.Sorted(maps.Keys(c.Args)) {
		if !reserved(name) {
			args = append(args, arg{name, c.Args[name]})
		}
	}
	for _, s := range p.Switches {
		if v := s.value(c.Thinking); v != nil && c.Args[s.Name] == nil {
			args = append(args, arg{s.Name, v})
		}
	}
	return args
}

// heal applies every rule in order.
func (h *healing) heal() {
	for _, r := range rules {
		if r.apply != nil {
			r.apply(h)
		}
	}
}

func (h *healing) note(rule string, message int, detail string) {
	h.heals = append(h.heals, Heal{Rule: rule, Message: message, Detail: detail})
}

// unwritten is a text that nobody writes, not even who wants to: to search for one that is free
// would cost a hostile client little and the server much.
func unwritten(word string) string { return "\uE000" + word + rand.Text() + "\uE000" }

// markEnd puts a mark that nobody writes at the end of the message to be continued, and returns
// it.
func (h *healing) markEnd() string {
	if !h.prefill {
		return ""
	}
	last := h.turns[len(h.turns)-1]
	mark := unwritten("end")
	if last.Text == "" && last.Reasoning != "" {
		last.Reasoning += mark
	} else {
		last.Text += mark
	}
	h.turns = append(append([]turn(nil), h.turns[:len(h.turns)-1]...), last)
	return mark
}

// insert puts a turn before the i-th. Its index is that of the message which made it necessary.
func (h *healing) insert(i int, t turn) {
	h.turns = slices.Insert(h.turns, i, t)
}

// leading counts the system turns that the conversation begins with.
func (h *healing) leading() int {
	n := 0
	for n < len(h.turns) && h.turns[n].Role == System {
		n++
	}
	return n
}
