package templates

import "strings"

// mergeTurns joins what stands in a row: a user's turns, an assistant's texts, a text and the
// calls that follow it.
func mergeTurns(h *healing) {
	if !h.probe.Alternation {
		return
	}
	var out []turn
	for i := 0; i < len(h.turns); {
		n := h.row(i)
		out = append(out, h.merged(h.turns[i:i+n]))
		i += n
	}
	h.turns = out
}

// row counts the turns from the i-th that can be one: all but the last are without calls.
func (h *healing) row(i int) int {
	role := h.turns[i].Role
	if role != User && role != Assistant {
		return 1
	}
	n := 1
	for i+n < len(h.turns) && h.turns[i+n].Role == role && len(h.turns[i+n-1].Calls) == 0 {
		n++
	}
	return n
}

func (h *healing) merged(row []turn) turn {
	if len(row) == 1 {
		return row[0]
	}
	var texts, reasonings []string
	for i, t := range row {
		texts, reasonings = appendNonEmpty(texts, t.Text), appendNonEmpty(reasonings, t.Reasoning)
		if i > 0 {
			h.note(ruleMergeTurns, t.index, string(t.Role))
		}
	}
	one := row[0]
	one.Text, one.Reasoning = strings.Join(texts, "\n\n"), strings.Join(reasonings, "\n\n")
	one.Calls = row[len(row)-1].Calls
	return one
}

func appendNonEmpty(list []string, s string) []string {
	if s == "" {
		return list
	}
	return append(list, s)
}

func bridgeTurns(h *healing) {
	if !h.probe.Alternation {
		return
	}
	var out []turn
	for i, t := range h.turns {
		if i > 0 && h.turns[i-1].Role == ToolRole && t.Role == User {
			h.note(ruleBridge, t.index, "")
			out = append(out, turn{Message: Message{Role: Assistant, Text: "Noted."}, index: t.index})
		}
		out = append(out, t)
	}
	h.turns = out
}

// greeting stands for a user who has said nothing.
const greeting = "Hello."

func addUser(h *healing) {
	if !h.probe.UserNeeded && len(h.turns) > 0 {
		return
	}
	for _, t := range h.turns {
		if t.Role == User {
			return
		}
	}
	h.note(ruleNeedUser, -1, greeting)
	h.insert(h.leading(), turn{Message: Message{Role: User, Text: greeting}, index: 0})
}

func userFirst(h *healing) {
	n := h.leading()
	if !h.probe.UserFirst || n == len(h.turns) || h.turns[n].Role == User {
		return
	}
	h.note(ruleUserFirst, h.turns[n].index, greeting)
	h.insert(n, turn{Message: Message{Role: User, Text: greeting}, index: h.turns[n].index})
}

// continueLast leaves an assistant's last turn open. Calls at the end have results by now.
func continueLast(h *healing) {
	n := len(h.turns)
	if n == 0 || h.closed || h.turns[n-1].Role != Assistant {
		return
	}
	h.prefill = true
	h.note(rulePrefill, h.turns[n-1].index, "")
}
