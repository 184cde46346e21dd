package templates

import (
	"fmt"
	"strings"
)

// orderResults puts every result behind its call, in the order of the calls. A result belongs to
// the call whose id it names, else to the first call before it that has none, of its tool if it
// names one.
func orderResults(h *healing) {
	m := newMatching(h)
	for i := range h.turns {
		if h.turns[i].Role == ToolRole {
			m.assign(i)
		}
	}
	h.turns = m.ordered()
}

// Answered returns for each message the index of the one whose call it answers, as healing pairs
// them; -1 where it answers none.
func Answered(messages []Message) []int {
	m := newMatching(&healing{turns: make([]turn, len(messages))})
	out := make([]int, len(messages))
	for i, message := range messages {
		m.h.turns[i] = turn{Message: message, index: i}
	}
	for i, message := range messages {
		out[i] = -1
		if message.Role != ToolRole {
			continue
		}
		if call, found := m.assign(i); found {
			out[i] = call.turn
		}
	}
	return out
}

// matching pairs results with calls. Everything is looked up by position in the turns as they
// came.
type matching struct {
	h       *healing
	results map[place]*turn
	more    map[place][]string // texts of further results of a call
	byID    map[string]place   // of the calls seen so far; the latest wins
	orphans map[int]bool       // results without a call
	seen    int                // turns whose calls are known
	// calls of the latest turn that has any, less those answered before the first open one
	latest []place
	byName map[string][]place
}

type place struct{ turn, call int }

func newMatching(h *healing) *matching {
	return &matching{h: h, results: map[place]*turn{}, more: map[place][]string{}, byID: map[string]place{}, orphans: map[int]bool{}}
}

// see takes note of the calls before the i-th turn.
func (m *matching) see(i int) {
	for ; m.seen < i; m.seen++ {
		calls := m.h.turns[m.seen].Calls
		if len(calls) == 0 {
			continue
		}
		m.latest, m.byName = nil, map[string][]place{}
		for c, call := range calls {
			p := place{m.seen, c}
			if call.ID != "" {
				m.byID[call.ID] = p
			}
			m.latest = append(m.latest, p)
			m.byName[call.Name] = append(m.byName[call.Name], p)
		}
	}
}

// assign finds the call of the result at i.
func (m *matching) assign(i int) (call place, found bool) {
	m.see(i)
	r := m.h.turns[i]
	p, found := m.byID[r.CallID]
	if r.CallID == "" || !found {
		p, found = m.unanswered(r.Name)
	}
	switch {
	case !found:
		m.orphans[i] = true
	case m.results[p] != nil:
		m.more[p] = append(m.more[p], r.Text)
		m.h.note(ruleMergeResults, r.index, r.CallID)
	default:
		m.results[p] = &r
	}
	return p, found
}

// unanswered returns the first call without a result of the latest turn with calls, of the named
// tool if there is one. Earlier turns are not looked at: a result of unknown id cannot answer a
// call that was left behind.
func (m *matching) unanswered(name string) (place, bool) {
	if open := m.open(m.byName[name]); len(open) > 0 {
		m.byName[name] = open
		return open[0], true
	}
	if m.latest = m.open(m.latest); len(m.latest) > 0 {
		return m.latest[0], true
	}
	return place{}, false
}

// open drops the answered calls at the beginning.
func (m *matching) open(calls []place) []place {
	for len(calls) > 0 {
		if m.results[calls[0]] == nil {
			break
		}
		calls = calls[1:]
	}
	return calls
}

// ordered returns the turns with each result in its place.
func (m *matching) ordered() []turn {
	out := make([]turn, 0, len(m.h.turns))
	for i, t := range m.h.turns {
		if t.Role != ToolRole {
			out = append(out, t)
			out = append(out, m.answers(i)...)
		} else if m.orphans[i] {
			out = append(out, m.orphan(t))
		}
	}
	return out
}

// answers returns the results of the i-th turn's calls.
func (m *matching) answers(i int) []turn {
	t := m.h.turns[i]
	out := make([]turn, len(t.Calls))
	for c, call := range t.Calls {
		p := place{i, c}
		r := m.results[p]
		if r == nil {
			m.h.note(ruleMissingResult, t.index, call.Name)
			r = &turn{Message: Message{Role: ToolRole, Text: "[no result was returned]", CallID: call.ID}, index: t.index}
		} else if at := i + 1 + c; at >= len(m.h.turns) || m.h.turns[at].index != r.index {
			m.h.note(ruleMoveResult, r.index, call.Name)
		}
		r.Name = call.Name
		r.Text = strings.Join(append([]string{r.Text}, m.more[p]...), "\n")
		out[c] = *r
	}
	return out
}

func (m *matching) orphan(t turn) turn {
	m.h.note(ruleOrphanResult, t.index, t.CallID)
	name := t.Name
	if name == "" {
		name = "an earlier call"
	}
	t.Text = fmt.Sprintf("Result of %s:\n%s", name, t.Text)
	t.Role, t.CallID, t.Name = User, "", ""
	return t
}

// completeIDs gives every call an id of its own, and its result the same. Results stand behind
// their calls by now.
func completeIDs(h *healing) {
	seen := map[string]bool{}
	n := 0
	h.eachCall(func(t, result *turn, c *Call) {
		n++
		switch {
		case c.ID == "":
			c.ID = fmt.Sprintf("call_%d", n)
			h.note(ruleMissingID, t.index, c.Name)
		case seen[c.ID]:
			h.note(ruleDuplicateID, t.index, c.ID)
			c.ID = fmt.Sprintf("%s_%d", c.ID, n)
		}
		seen[c.ID] = true
		result.CallID = c.ID
	})
}

// eachCall calls f for every call with its turn and its result's. Calls are copied before: the
// client's stay as they are.
func (h *healing) eachCall(f func(t, result *turn, c *Call)) {
	for i := range h.turns {
		t := &h.turns[i]
		t.Calls = append([]Call(nil), t.Calls...)
		for c := range t.Calls {
			f(t, &h.turns[i+1+c], &t.Calls[c])
		}
	}
}

func mapIDs(h *healing) {
	n, inTurn := 0, 0
	var last *turn
	h.eachCall(func(t, result *turn, c *Call) {
		if inTurn++; t != last {
			last, inTurn = t, 0
		}
		id := c.ID
		switch h.probe.IDs {
		case IDAlnum9:
			id = alnum9(c.ID)
		case IDNamed:
			id = fmt.Sprintf("functions.%s:%d", c.Name, n)
		case IDNamedTurn:
			id = fmt.Sprintf("functions.%s:%d", c.Name, inTurn)
		}
		n++
		if id != c.ID {
			h.note(ruleMapID, t.index, c.ID+" is "+id+" in the prompt")
			c.ID, result.CallID = id, id
		}
	})
}
