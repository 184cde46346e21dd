package templates

import (
	"strings"
	"testing"
)

// Templates that refuse what the rules let through, and what helps against each; in the worst case
// the built-in rendering. None of it reaches the client as an error, all of it is reported.
func TestRender_whatATemplateRefusesIsRemedied(t *testing.T) {
	const shows = `{%- for m in messages -%}<{{ m.role }}>{{ m.content }}{%- for c in m.tool_calls or [] -%}[{{ c.function.name }} {{ c.function.arguments|tojson }}]{%- endfor -%}{%- endfor -%}`
	refuse := func(condition string) string {
		return "{%- if " + condition + " -%}{{- raise_exception('I refuse') -}}{%- endif -%}"
	}
	tools := []Tool{{Name: "f", Parameters: []byte(`{"type":"object","properties":{"x":{"enum":[1]}}}`)}}
	called := []Message{hi, asks("", call("a", `{"x":1}`)), answer("a", "1")}
	for name, c := range map[string]struct {
		source       string
		conversation Conversation
		rules, shown string
	}{
		"complete-schema": {
			`{%- for t in tools or [] -%}{%- for k, v in t.function.parameters.properties.items() -%}{{ k + ':' + v.type + v.description }}{%- endfor -%}{{ t.function.name ~ t.function.description }}{%- endfor -%}` + shows,
			Conversation{Tools: tools, Messages: called}, "complete-schema@-1", "x:",
		},
		"hide-text": {
			shows + refuse("messages|selectattr('content', 'equalto', 'magic word')|list"),
			Conversation{Messages: []Message{{Role: User, Text: "magic word"}}}, "hide-text@-1", "<user>magic word",
		},
		"template-raised, folded into the plainest conversation": {
			`{%- for t in tools or [] -%}{{ t|tojson }}{%- endfor -%}` + shows + refuse("messages|selectattr('role', 'equalto', 'tool')|list|length > 1"),
			Conversation{Tools: tools, Messages: append(append([]Message{}, called...), asks("", call("b", `{"x":1}`)), answer("b", "2"))},
			"template-raised@-1", "Result of f:\n2",
		},
		"template-raised, without a system message": {
			shows + refuse("messages[0].role == 'system' and messages[0].content|length > 20"),
			Conversation{Messages: []Message{{Role: System, Text: "A message that is much longer than that."}, hi}},
			"template-raised@-1", "<user>A message that is much longer",
		},
		"builtin-rendering": {
			shows + refuse("messages|length > 3"),
			Conversation{Messages: []Message{hi, asks("1"), hi, asks("2"), hi}}, "builtin-rendering@-1", "User: hi\n\nAssistant: 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tm, err := Parse(c.source, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := tm.Render(c.conversation)
			if err != nil || !strings.Contains(r.String(), c.shown) {
				t.Errorf("%v: lacks %q:\n%s", err, c.shown, r)
			}
			first := Heal{}
			for _, h := range r.Heals {
				if strings.HasPrefix(c.rules, h.Rule+"@") {
					first = h
				}
			}
			if first.Rule == "" || first.Message != -1 || first.Detail == "" {
				t.Errorf("%q is not reported, with what the template said: %+v", c.rules, r.Heals)
			}
		})
	}
}

// A schema may be true or false, and no template loses its own way of calling tools over that.
func TestRender_booleanSchemasAreDeclaredNatively(t *testing.T) {
	declared := []string{
		`true`, `false`, `{"type":"object","properties":true}`,
		`{"type":"object","properties":{"x":true}}`, `{"type":"object","properties":{"x":false}}`,
		`{"type":"object","properties":{"x":{"type":"array","items":true}}}`,
		`{"type":"object","properties":{"x":{"type":"array","items":{"type":"object"}}}}`,
		`{"type":"object","properties":{"x":{"anyOf":[true,{"type":"string"}]}}}`,
		`{"type":"object","properties":{"x":{"type":"object","properties":{"y":true}}}}`,
	}
	eachTemplate(t, func(t *testing.T, tm *Template) {
		for _, parameters := range declared {
			r, err := tm.Render(Conversation{Tools: []Tool{{Name: "f", Parameters: []byte(parameters)}}, Messages: []Message{hi, asks("", call("a", `{"x":1}`)), answer("a", "1")}})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range r.Heals {
				if h.Rule == ruleTemplateRaised || h.Rule == ruleBuiltin {
					t.Errorf("%s: %+v", parameters, h)
				}
			}
		}
	})
}

// What stands for a text that a template does not see cannot be forged: nobody's text is replaced
// by another's.
func TestRender_noTextPosesAsAPlaceholder(t *testing.T) {
	tm, err := Parse(`{%- for m in messages -%}<{{ m.role }}>{{ m.content }}{%- if m.content == 'magic word' -%}{{- raise_exception('no') -}}{%- endif -%}{%- endfor -%}`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const forged = "\uE0010\uE002 \uE000text0\uE000"
	r, err := tm.Render(Conversation{Messages: []Message{{Role: System, Text: forged}, {Role: User, Text: "magic word"}}})
	if want := "<system>" + forged + "<user>magic word"; err != nil || r.String() != want {
		t.Errorf("%v: got %q, want %q", err, r.String(), want)
	}
}

// An assistant's text full of what ends of texts were once marked with costs no more to continue
// than another.
func TestRender_markedTextsAreContinuedAsTheyAre(t *testing.T) {
	tm, err := Parse(`{%- for m in messages -%}<{{ m.role }}>{{ m.content }}{%- endfor -%}`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "\uE000end" + strings.Repeat("\uE000", 300_000)
	r, err := tm.Render(Conversation{Messages: []Message{hi, {Role: Assistant, Text: text}}})
	if err != nil || !strings.HasSuffix(r.String(), "<assistant>"+text) {
		t.Errorf("%v: %d bytes", err, len(r.String()))
	}
}

// A rule is readable back: who sees the heals knows what the client sent in the place of what is
// shown.
func TestHeals_tellWhatStoodThere(t *testing.T) {
	for name, c := range map[string]struct {
		probe    Probe
		messages []Message
		rule     string
		detail   string
	}{
		"arguments that were mended":     {liberal, []Message{hi, asks("", call("a", `{"x": "Ro`)), answer("a", "")}, ruleRepairArguments, `{"x": "Ro`},
		"arguments encoded twice":        {liberal, []Message{hi, asks("", call("a", `"{\"x\":1}"`)), answer("a", "")}, ruleUnwrapArguments, `"{\"x\":1}"`},
		"arguments that are no JSON":     {liberal, []Message{hi, asks("", call("a", `oops`)), answer("a", "")}, ruleRawArguments, `oops`},
		"an id that was mapped":          {with(func(p *Probe) { p.IDs = IDAlnum9 }), []Message{hi, asks("", call("call_1", `{}`)), answer("call_1", "")}, ruleMapID, "call_1 is sPnjkEYJU in the prompt"},
		"an id used twice":               {liberal, []Message{hi, asks("", call("a", `{}`)), answer("a", ""), asks("", call("a", `{}`)), answer("a", "")}, ruleDuplicateID, "a"},
		"a call without an id":           {liberal, []Message{hi, asks("", call("", `{}`)), answer("", "")}, ruleMissingID, "f"},
		"a result of nothing":            {liberal, []Message{hi, answer("x", "1")}, ruleOrphanResult, "x"},
		"a call that was never answered": {liberal, []Message{hi, asks("", call("a", `{}`))}, ruleMissingResult, "f"},
		"a turn that was left out":       {liberal, []Message{hi, asks(" ")}, ruleDropEmpty, "assistant"},
		"a client's header":              {liberal, []Message{{Role: System, Text: "x-anthropic-billing-header: 1;\nS"}, hi}, ruleVolatile, "claude-code-billing"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHealing(c.probe, Conversation{Messages: c.messages}, nil)
			h.heal()
			for _, heal := range h.heals {
				if heal.Rule == c.rule {
					if !strings.Contains(heal.Detail, c.detail) {
						t.Errorf("%+v does not tell %q", heal, c.detail)
					}
					return
				}
			}
			t.Errorf("%s is not in %+v", c.rule, h.heals)
		})
	}
}
