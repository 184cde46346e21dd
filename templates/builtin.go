package templates

import (
	"regexp"

	"tenon/templates/schema"
)

// Builtin renders for a model that has no usable chat template: one paragraph per message, headed
// by its role, tools in tenon's own protocol. It uses no markers, since such a model has none that
// it was trained on; what ends a turn are the rendering's Stops.
//
// Its options are those of [Template].
type Builtin struct {
	Simplify schema.Simplification
	Guidance bool
	Fits     Fits
	Wording  Wording
}

var _ Renderer = Builtin{}

// paragraphs is what Builtin takes: everything but tools.
var paragraphs = Probe{System: SystemAnywhere, SystemMany: true, ThinkingWithText: true}

// builtinTools are what was made of tools for models without a template.
var builtinTools toolCache

// stops begin the next message, which is not the model's to write.
var stops = []string{"\n\nUser:", "\n\nSystem:"}

// Render implements Renderer. It refuses no conversation.
func (b Builtin) Render(c Conversation) (Rendering, error) {
	tools := builtinTools.get(c.Tools, b.Simplify)
	h := newHealing(paragraphs, c, tools)
	h.wording = b.Wording
	if h.guided = b.Guidance && tools != nil; h.guided {
		h.examples = tools.guidance(h.protocol, b.Fits, examples)
	}
	h.heal()
	r := Rendering{Heals: h.heals, Protocol: h.protocol, Stops: stops}
	for i, t := range h.turns {
		if i > 0 {
			r.write(Segment{Text: "\n\n"})
		}
		r.write(Segment{Text: label(t.Role) + ": "})
		r.write(Segment{Text: indentHeads(t.Text), Kind: Content, Message: t.index})
	}
	if !h.closed && !h.prefill {
		r.write(Segment{Text: "\n\n" + label(Assistant) + ":"})
	}
	return r, nil
}

// heads are what paragraphs begin with.
var heads = regexp.MustCompile(`(?m)^(System|User|Assistant)[ \t]*:`)

// indentHeads keeps text from posing as another paragraph: such a line is indented by one space.
func indentHeads(s string) string { return heads.ReplaceAllString(s, " $0") }

func (r *Rendering) write(s Segment) {
	if s.Text != "" {
		r.Segments = append(r.Segments, s)
	}
}

func label(r Role) string {
	switch r {
	case System:
		return "System"
	case Assistant:
		return "Assistant"
	default:
		return "User"
	}
}
