package prepared

import (
	"slices"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/templates"
)

// ending is an engine whose vocabulary has an end token that its chat template does not name.
type ending struct{ *enginetest.Scripted }

func (ending) Model() engine.Model {
	return engine.Model{Vocab: engine.Vocab{EOS: "<|fin-of-all|>"}, Template: `{% for m in messages %}<|{{ m.role }}|>{{ m.content }}
{% for c in m.tool_calls or [] %}<|calls|>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}<|called|>{% endfor %}{{ eos_token }}
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}{% if tools %}{{ tools | tojson }}{% endif %}`}
}

// The end token of the vocabulary ends a turn in a dialect that is read off the template's own
// rendering, too.
func TestPrepare_theVocabularysEndTokenIsAMarker(t *testing.T) {
	m, err := Prepare(catalog.Entry{ID: "m"}, ending{enginetest.Script()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Dialect.Name() != "derived" || !slices.Contains(m.Dialect.Markers(), "<|fin-of-all|>") {
		t.Errorf("%s has the markers %q", m.Dialect.Name(), m.Dialect.Markers())
	}
}

// A model without a chat template was never taught where a turn ends: it makes one call a turn
// unless its adapter says what becomes of others.
func TestPrepare_withoutTemplateOneCallATurn(t *testing.T) {
	withTemplate := ending{enginetest.Script()}
	for _, c := range []struct {
		engine  engine.Engine
		repeats Repeats
		want    bool
	}{{enginetest.Script(), "", true}, {enginetest.Script(), AllowRepeats, false}, {enginetest.Script(), DropRepeats, false}, {withTemplate, "", false}} {
		m, err := Prepare(catalog.Entry{ID: "m"}, c.engine, Options{Teaching: Teaching{Repeats: c.repeats}})
		if err != nil {
			t.Fatal(err)
		}
		if m.OneCall != c.want {
			t.Errorf("template %q, repeats %q: one call %v", m.Template, c.repeats, m.OneCall)
		}
	}
}

// An upstream that reads calls by itself is asked for them as it has them, or in words; which
// family the model behind it is of is nobody's business here.
func TestPrepare_whatAnUpstreamThatChatsIsTold(t *testing.T) {
	for chat, want := range map[string]struct {
		dialect  string
		protocol templates.Protocol
	}{"conversations,tools": {"hermes", templates.Auto}, engine.ChatReads: {"json", templates.JSON}} {
		e := enginetest.Script()
		e.Info.Can = enginetest.Textual
		e.Info.Can.Chat = chat
		m, err := Prepare(catalog.Entry{ID: "m", Template: "no such file"}, e, Options{})
		if err != nil || m.Dialect.Name() != want.dialect || m.Protocol != want.protocol || len(m.Warnings) != 1 {
			t.Errorf("%s: %v, %s, %q, %q", chat, err, m.Dialect.Name(), m.Protocol, m.Warnings)
		}
		if _, err := Prepare(catalog.Entry{ID: "m"}, e, Options{ToolFormat: "qwen3-coder"}); err == nil {
			t.Errorf("%s: a family that it does not speak is taken", chat)
		}
		if m, err := Prepare(catalog.Entry{ID: "m"}, e, Options{ToolFormat: "react"}); err != nil || m.Protocol != templates.ReAct {
			t.Errorf("%s: %v, %q in place of ReAct", chat, err, m.Protocol)
		}
	}
}
