package prepared

import (
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/templates"
)

// templated is an engine whose model file brings a chat template.
type templated struct {
	*enginetest.Scripted
	source string
}

func (t templated) Model() engine.Model { return engine.Model{Template: t.source} }

// Issue 19: a model whose chat template is hostile is served all the same, with the built-in
// rendering and a warning that says why; one that turns hostile in a longer conversation is
// rendered so then.
func TestPrepare_hostileTemplatesAreServedWithTheBuiltinRendering(t *testing.T) {
	const (
		long = `{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}`
		ok   = `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}`
	)
	for name, source := range map[string]string{
		"loops for ever":  long + ok,
		"builds a lot":    `{{ 'a' * 10**10 }}` + ok,
		"doubles":         `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}` + ok,
		"nests":           strings.Repeat("{% if 1 %}", 100_000) + ok,
		"parentheses":     "{{ " + strings.Repeat("(", 100_000),
		"a huge range":    `{{ range(10**18)|list }}` + ok,
		"raises":          `{{ raise_exception('never') }}`,
		"macros":          `{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}` + ok,
		"is long":         strings.Repeat("x", 3<<20) + ok,
		"shows nothing":   strings.Repeat("<|x|>", 1000),
		"late, for ever":  `{% if messages|length > 4 %}` + long + `{% endif %}` + ok,
		"late, by macros": `{% if messages|length > 4 %}{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}{% endif %}` + ok,
		"late, a lot":     `{% if messages|length > 4 %}{% for a in range(99999) %}{{ 'a' * 1000 }}{% endfor %}{% endif %}` + ok,
		"late, raises":    `{% if messages|length > 4 %}{{ raise_exception('no') }}{% endif %}` + ok,
	} {
		m, err := Prepare(catalog.Entry{ID: "m"}, templated{enginetest.Script(), source}, Options{})
		late := strings.HasPrefix(name, "late")
		if err != nil || !late && !strings.Contains(strings.Join(m.Warnings, " "), "the built-in rendering takes over: ") {
			t.Errorf("%s: %q, %v", name, m.Warnings, err)
			continue
		}
		c := templates.Conversation{}
		for i := range 5 {
			c.Messages = append(c.Messages, templates.Message{Role: []templates.Role{templates.User, templates.Assistant}[i%2], Text: "said"})
		}
		r, err := m.Renderer.Render(c)
		if err != nil || !strings.Contains(r.String(), "said") || late && (len(r.Heals) == 0 || r.Heals[0].Detail == "") {
			t.Errorf("%s: %.200s, %v %v", name, r, r.Heals, err)
		}
	}
}
