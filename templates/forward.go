package templates

import (
	"bytes"
	"encoding/json"
	"fmt"

	"tenon/templates/jinja"
)

// Forward renders for an upstream that renders conversations by itself: the healed conversation
// and its tools are one JSON value, which is the whole prompt. Text is data there, because JSON
// quotes it. In an own protocol tools and calls are told in words, and the upstream is shown none.
type Forward Builtin

var _ Renderer = Forward{}

// forwarded is what any upstream takes: who knows which template it has.
var forwarded = Probe{
	System: SystemFirst, UserFirst: true, UserNeeded: true, ThinkingWithText: true,
	Tools: ToolsInSystem, Calls: CallsMany, CallsWithText: true, Results: ResultsByID,
}

// Forwarded is a conversation as [Forward] writes it. What changes least comes first.
type Forwarded struct {
	Tools    []Tool    `json:"tools,omitempty"`
	Messages []Message `json:"messages"`
	Thinking Thinking  `json:"thinking,omitzero"`
}

// Render implements Renderer. It refuses no conversation.
func (f Forward) Render(c Conversation) (Rendering, error) {
	tools := builtinTools.get(c.Tools, f.Simplify)
	h := newHealing(forwarded, c, tools)
	h.probe.Alternation = h.protocol != Native // results are the user's then
	h.wording = f.Wording
	if h.guided = f.Guidance && tools != nil; h.guided {
		h.examples = tools.guidance(h.protocol, f.Fits, forwardedExamples)
	}
	h.heal()
	out := Forwarded{Thinking: c.Thinking}
	for _, t := range h.turns {
		t.Text, t.Parts = t.Content(), nil
		if t.more != nil {
			t.Text += t.more.String()
		}
		out.Messages = append(out.Messages, t.Message)
	}
	if h.tools != nil {
		out.Tools = h.tools.tools
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return Rendering{}, fmt.Errorf("write the conversation: %w", err)
	}
	text := string(bytes.TrimSpace(b.Bytes()))
	return Rendering{Segments: []Segment{{Text: text, Kind: Content}}, Heals: h.heals, Protocol: h.protocol}, nil
}

// forwardedExamples are none in the upstream's own format, which is not known.
func forwardedExamples(p Protocol, made []Call) *jinja.Str {
	if p == Native {
		return ours("")
	}
	return examples(p, made)
}
