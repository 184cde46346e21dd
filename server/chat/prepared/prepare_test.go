package prepared

import (
	"slices"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
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
