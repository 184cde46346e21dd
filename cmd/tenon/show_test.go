package main

import (
	"strings"
	"testing"
)

// Where a template of no known family shows calls, the page says by what they are read, or that
// nothing can read them.
func TestShow_saysHowCallsOfUnknownTemplatesAreRead(t *testing.T) {
	for call, want := range map[string]struct{ protocol, dialect string }{
		`[{{ f.name }}({% for k, v in f.arguments.items() %}{{ k }}={{ v | tojson }}{% endfor %})]`: {"native", "derived"},
		`$ {{ f.name }}{% for k, v in f.arguments.items() %} --{{ k }} {{ v }}{% endfor %}`:         {"json (the template shows calls, in a syntax", "json"},
	} {
		source := `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% if loop.first %}{{ tools | tojson }}{% endif %}` +
			`{% for c in m.tool_calls %}{% set f = c.function %} ` + call + `{% endfor %}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`
		template := write(t, "t.jinja", source)
		out, _, err := execute(t, "show", "--template", template)
		if err != nil || !strings.Contains(out, "tool protocol\t"+want.protocol) || !strings.Contains(out, "dialect\t"+want.dialect+" (") {
			t.Errorf("%s: %v, want %v:\n%s", call, err, want, out)
		}
		if out, _, err = execute(t, "show", "--template", template, "--json"); err != nil || !strings.Contains(out, `"dialect": "`+want.dialect+`"`) {
			t.Errorf("%s: %v:\n%s", call, err, out)
		}
	}
}
