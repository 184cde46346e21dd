package templates

import (
	"cmp"
	"encoding/json"
	"strings"

	"tenon/templates/jinja"
	"tenon/templates/schema"
)

// Guidance is for weak models: how to use the tools, in words and by example, behind the client's
// own system text. It is the same bytes for the same tools, so that the prompt's beginning stays.
// Off by default: it costs context, and tells the model what nobody asked for.

const guidanceRules = `Rules for calling tools:
- Call a tool by its exact name: %NAMES%.
- Give every required parameter. Parameters that are not required may be left out.
- Give each value the type that the schema names: text, number, true or false, list or object.
- Give no parameter that the schema does not name.
- If a required value is not known, ask the user for it instead of guessing.`

// guidedExamples is how many tools are shown by example: the first ones that need arguments.
const guidedExamples = 3

// addGuidance explains the tools if the model's options say so. An own protocol has rules of its
// own: the examples follow them (fold).
func addGuidance(h *healing) {
	if h.tools == nil || !h.guided {
		return
	}
	h.note(ruleGuidance, -1, "")
	if h.protocol == Native {
		h.addMarked(h.callingRules(), h.examples)
	}
}

// callingRules are for the template's own protocol.
func (h *healing) callingRules() string {
	return strings.ReplaceAll(cmp.Or(h.wording.Guidance, guidanceRules), "%NAMES%", strings.Join(names(h.tools.tools), ", "))
}

// describeTools declares the tools in words to a template that shows calls and results, but no
// declarations.
func describeTools(h *healing) {
	if h.tools == nil || h.protocol != Native || !h.probe.Described {
		return
	}
	h.note(ruleDescribe, -1, "")
	h.addMarked(h.tools.listing+"\n"+h.callingRules(), h.examples)
	h.tools, h.guided = nil, false
}

// addMarked puts text, and calls that may hold markers, behind the first system message's, or in a
// message of its own before everything. Told by a user it is plain text.
func (h *healing) addMarked(text string, calls *jinja.Str) {
	if h.probe.System == SystemNone {
		h.addSystem(text + calls.String())
		return
	}
	if h.leading() == 0 {
		h.insert(0, turn{Message: Message{Role: System}})
	}
	first := &h.turns[0]
	first.Text = strings.TrimRight(first.Text, "\n")
	if first.Text != "" || first.more != nil {
		text = "\n\n" + text
	}
	more := []*jinja.Str{ours(text), calls}
	if first.more != nil {
		more = append([]*jinja.Str{first.more}, more...)
	}
	first.more = jinja.Concat(more...)
}

// ours is text of ours that names the client's tools: no marker in it counts.
func ours(text string) *jinja.Str { return jinja.NewString(text, origin(0, FieldTool)) }

func names(tools []Tool) []string {
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.Name
	}
	return list
}

// examples are calls as the model has to write them.
func (t *Template) examples(p Protocol, made []Call) *jinja.Str {
	if p != Native {
		return examples(p, made)
	}
	return examplesBy(t.example, made)
}

// examples are those of an own protocol.
func examples(p Protocol, made []Call) *jinja.Str {
	return examplesBy(func(c Call) *jinja.Str { return ours(calls(p, turn{Message: Message{Calls: []Call{c}}}).Text) }, made)
}

func examplesBy(write func(Call) *jinja.Str, made []Call) *jinja.Str {
	var parts []*jinja.Str
	for _, c := range made {
		if text := write(c); text.String() != "" {
			parts = append(parts, ours("\n\nExample of a call of "+c.Name+":\n"), text)
		}
	}
	return jinja.Concat(append(parts, ours(""))...)
}

// exampled are calls of the first tools that need arguments, or of the last if none does. What is
// shown fits what was declared, whatever of that the model sees.
func (s *toolSet) exampled(fits Fits) (made []Call) {
	for i, tool := range s.tools {
		declared := s.declared[tool.Name]
		arguments := schema.Example(declared)
		last := i == len(s.tools)-1 && len(made) == 0
		if len(made) == guidedExamples || string(arguments) == "{}" && !last || fits != nil && !fits(declared, arguments) {
			continue
		}
		if flat, err := s.flats[tool.Name].Flatten(arguments); err == nil {
			arguments = flat
		}
		made = append(made, Call{Name: tool.Name, Arguments: string(arguments)})
	}
	return made
}

// Fits tells whether arguments fit a declared schema.
type Fits func(declared, arguments json.RawMessage) bool

// example is a call as the template writes it, with its markers.
func (t *Template) example(c Call) *jinja.Str {
	probing := prober{t: t, form: t.form, found: t.probe}
	c.ID = probing.call(1, "{}").ID
	before, s := probing.try(trial{turns: []turn{user(0)}}), probing.try(trial{turns: []turn{user(0), calling("", c)}})
	if s.err != nil {
		return ours("")
	}
	from := wholeMarker(s.Text, commonPrefix(before.Text, s.Text))
	text := s.Text[from:]
	from += len(text) - len(strings.TrimLeft(strings.TrimPrefix(text, t.probe.GenerationPrompt), "\n"))
	to := len(strings.TrimRight(strings.TrimSuffix(s.Text, t.probe.TurnEnd), "\n"))
	return s.cut(from, to)
}

// cut is a part of what was rendered: the template's text trusted, the rest as a tool's.
func (s sample) cut(from, to int) *jinja.Str {
	parts := []*jinja.Str{ours("")}
	for _, span := range s.Spans {
		i, j := max(int(span.Start), from), min(int(span.End), to)
		if i >= j {
			continue
		}
		part := ours(s.Text[i:j])
		if span.Origin == jinja.Trusted {
			part = jinja.NewString(s.Text[i:j], jinja.Trusted)
		}
		parts = append(parts, part)
	}
	return jinja.Concat(parts...)
}
