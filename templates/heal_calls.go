package templates

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// dropMisplacedCalls leaves out what only an assistant can have said: no result stands behind it.
func dropMisplacedCalls(h *healing) {
	for i := range h.turns {
		if t := &h.turns[i]; t.Role != Assistant && len(t.Calls) > 0 {
			h.note(ruleMisplacedCalls, t.index, t.Calls[0].Name)
			t.Calls = nil
		}
	}
}

// unnamed is what a call is named that came without a name, and whose result has none either.
const unnamed = "unnamed_tool"

// nameCalls names calls that clients replay without a name: a model that wrote none is told so in
// the call's result, and the two stay together.
func nameCalls(h *healing) {
	named := map[string]string{}
	for _, t := range h.turns {
		if t.Role == ToolRole && t.Name != "" && t.CallID != "" {
			named[t.CallID] = t.Name
		}
	}
	for i := range h.turns {
		t := &h.turns[i]
		t.Calls = slices.Clone(t.Calls)
		for c := range t.Calls {
			if call := &t.Calls[c]; strings.TrimSpace(call.Name) == "" {
				call.Name = cmp.Or(named[call.ID], unnamed)
				h.note(ruleMissingName, t.index, call.ID+" is "+call.Name)
			}
		}
	}
}

func mendArguments(h *healing) {
	h.eachCall(func(t, _ *turn, c *Call) {
		object, rule := argumentsOf(c.Arguments)
		if rule != "" {
			h.note(rule, t.index, fmt.Sprintf("%s (%s): %s%s", c.Name, cmp.Or(c.ID, "no id"), excerpt(c.Arguments), brokenAt(c.Arguments)))
		}
		c.Arguments = object
	})
}

// brokenAt says where a text stops being JSON, "" if it is JSON.
func brokenAt(s string) string {
	var wrong *json.SyntaxError
	if !errors.As(json.Unmarshal([]byte(s), new(json.RawMessage)), &wrong) {
		return ""
	}
	return fmt.Sprintf(" (byte %d of %d: %v)", wrong.Offset, len(s), wrong)
}

// flattenArguments shows earlier calls in the form in which the model is asked for them.
func flattenArguments(h *healing) {
	if h.tools == nil || h.tools.flats == nil {
		return
	}
	h.eachCall(func(t, _ *turn, c *Call) {
		flat, err := h.tools.flats[c.Name].Flatten([]byte(c.Arguments))
		if err == nil && string(flat) != c.Arguments && !sameJSON(flat, []byte(c.Arguments)) {
			c.Arguments = string(flat)
			h.note(ruleFlatten, t.index, c.Name)
		}
	})
}

// excerpt is the beginning of s, for a reader.
func excerpt(s string) string {
	const most = 80
	for i := range s {
		if i > most {
			return s[:i] + "…"
		}
	}
	return s
}

func splitCalls(h *healing) {
	if h.protocol == JSON || h.protocol == XML || h.protocol == Native && h.probe.Calls != CallsOne {
		return
	}
	var out []turn
	for i := 0; i < len(h.turns); i++ {
		t := h.turns[i]
		if len(t.Calls) < 2 {
			out = append(out, t)
			continue
		}
		h.note(ruleSplitCalls, t.index, "")
		for c, call := range t.Calls {
			one := turn{Message: Message{Role: Assistant, Calls: []Call{call}}, index: t.index}
			if c == 0 {
				one.Text, one.Reasoning = t.Text, t.Reasoning
			}
			out = append(out, one, h.turns[i+1+c])
		}
		i += len(t.Calls)
	}
	h.turns = out
}

func joinThinking(h *healing) {
	if h.probe.ThinkingWithText {
		return
	}
	for i := range h.turns {
		t := &h.turns[i]
		if len(t.Calls) > 0 && t.Text != "" && t.Reasoning != "" {
			t.Reasoning += "\n\n" + t.Text
			t.Text = ""
			h.note(ruleThinkingWithText, t.index, "")
		}
	}
}

// splitText tells the text before a call in a turn of its own, or leaves it out where two turns
// of one role in a row are an error.
func splitText(h *healing) {
	if h.probe.Calls == "" || h.probe.CallsWithText || h.protocol != Native {
		return
	}
	var out []turn
	for _, t := range h.turns {
		if len(t.Calls) > 0 && t.Text != "" {
			h.note(ruleSplitText, t.index, excerpt(t.Text))
			if !h.probe.Alternation {
				out = append(out, turn{Message: Message{Role: Assistant, Text: t.Text, Reasoning: t.Reasoning}, index: t.index})
			}
			t.Text, t.Reasoning = "", ""
		}
		out = append(out, t)
	}
	h.turns = out
}
