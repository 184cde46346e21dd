package templates

import (
	"slices"
	"strings"
)

func dropEmpty(h *healing) {
	h.turns = slices.DeleteFunc(h.turns, func(t turn) bool {
		if strings.TrimSpace(t.Text) != "" || t.Role == User || t.Role == ToolRole ||
			t.Role == Assistant && (len(t.Calls) > 0 || t.Reasoning != "") {
			return false
		}
		h.note(ruleDropEmpty, t.index, string(t.Role))
		return true
	})
}

func developerAsSystem(h *healing) {
	for i := range h.turns {
		if t := &h.turns[i]; t.Role == Developer && !(h.probe.Developer && i == 0) {
			t.Role = System
			h.note(ruleDeveloper, t.index, "")
		}
	}
}

func mergeSystem(h *healing) {
	n := h.leading()
	if n < 2 || h.probe.SystemMany {
		return
	}
	for _, t := range h.turns[1:n] {
		h.note(ruleMergeSystem, t.index, "")
	}
	h.turns[0].Text = joinTexts(h.turns[:n])
	h.turns = append(h.turns[:1], h.turns[n:]...)
}

func joinTexts(turns []turn) string {
	texts := make([]string, len(turns))
	for i, t := range turns {
		texts[i] = t.Text
	}
	return strings.Join(texts, "\n\n")
}

// lateSystemAsUser keeps the place of a message that came later: moved to the front it would
// change the prompt's beginning whenever a client adds one.
func lateSystemAsUser(h *healing) {
	if h.probe.System == SystemAnywhere {
		return
	}
	for i := h.leading(); i < len(h.turns); i++ {
		if t := &h.turns[i]; t.Role == System {
			t.Role = User
			t.Text = systemIntro + t.Text
			h.note(ruleLateSystem, t.index, "")
		}
	}
}

// systemIntro heads a system message in a user's turn.
const systemIntro = "System message:\n\n"

func systemAsUser(h *healing) {
	n := h.leading()
	if h.probe.System != SystemNone || n == 0 {
		return
	}
	for i := range h.turns[:n] {
		h.turns[i].Role = User
		h.note(ruleSystemAsUser, h.turns[i].index, "")
	}
	text := joinTexts(h.turns[:n])
	if n < len(h.turns) && h.turns[n].Role == User {
		h.turns = h.turns[n:]
		h.turns[0].Text = text + "\n\n" + h.turns[0].Text
		return
	}
	h.turns[n-1].Text = text
	h.turns = h.turns[n-1:]
}

// switchOff says in words that no thinking is wanted, to a template that has no argument for it.
func switchOff(h *healing) {
	if h.sayOff {
		h.note(ruleSwitchOff, -1, offWord)
		h.addSystem(offWord)
	}
}
