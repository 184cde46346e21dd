package jinja

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a template does with tools, and whatever else changes between two renderings, a memo
// changes nothing.
func TestMemo_rendersAsWithoutOne(t *testing.T) {
	templates, err := filepath.Glob(templatesDir + "/*.jinja")
	if err != nil {
		t.Fatal(err)
	}
	if len(templates) == 0 {
		t.Skipf("no templates in %s", templatesDir)
	}
	tools := conversationVars(t, "tools")
	given, _ := tools.Get("tools")
	for _, path := range templates {
		tm, err := Parse(readTemplate(t, strings.TrimSuffix(filepath.Base(path), ".jinja")))
		if err != nil {
			t.Fatal(err)
		}
		memo := NewMemo(given)
		for _, conversation := range []string{"tools", "tools", "one-call", "thinking-on", "tools-no-system", "parallel-calls"} {
			vars := conversationVars(t, conversation)
			vars.Set("tools", given)
			want, wantErr := tm.Render(vars, Options{Now: goldenNow})
			got, err := tm.Render(vars, Options{Now: goldenNow, Memo: memo})
			if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
				t.Errorf("%s, %s: (-without +with a memo) %s %v %v", path, conversation, diff, wantErr, err)
			}
		}
	}
}

// Macros that look at something else than their arguments, in every way that there is, between
// renderings that differ in it.
func TestMemo_keepsNothingThatDependsOnMore(t *testing.T) {
	for name, src := range map[string]string{
		"a given name":            `{% macro m(t) %}{{ t.name }}{{ given }}{% endmacro %}{{ m(tool) }}`,
		"a name of the top":       `{% set top = given %}{% macro m(t) %}{{ t.name }}{{ top }}{% endmacro %}{{ m(tool) }}`,
		"a name set later":        `{% macro m(t) %}{{ t.name }}{{ top }}{% endmacro %}{{ m(tool) }}{% set top = given %}{{ m(tool) }}`,
		"a namespace":             `{% set ns = namespace(v=given) %}{% macro m(t) %}{{ t.name }}{{ ns.v }}{% endmacro %}{{ m(tool) }}`,
		"a namespace written to":  `{% set ns = namespace(n=0) %}{% macro m(t) %}{% set ns.n = ns.n + 1 %}{% endmacro %}{{ m(tool) }}{{ m(tool) }}{{ ns.n }}`,
		"read before set":         `{% set x = given %}{% macro m(t) %}{{ x }}{% set x = 1 %}{{ x }}{% endmacro %}{{ m(tool) }}`,
		"set in one branch":       `{% set x = given %}{% macro m(t, b) %}{% if b %}{% set x = 1 %}{% endif %}{{ x }}{% endmacro %}{{ m(tool, true) }}{{ m(tool, false) }}`,
		"set in a loop":           `{% set x = given %}{% macro m(t) %}{% for i in [1, 2] %}{{ x }}{% set x = 1 %}{% endfor %}{% endmacro %}{{ m(tool) }}`,
		"set by itself":           `{% set x = given %}{% macro m(t) %}{% set x = x ~ 1 %}{{ x }}{% endmacro %}{{ m(tool) }}`,
		"set by a block":          `{% set x = given %}{% macro m(t) %}{% set x %}{{ x }}{% endset %}{{ x }}{% endmacro %}{{ m(tool) }}`,
		"a default":               `{% macro m(t, v=given) %}{{ v }}{% endmacro %}{{ m(tool) }}`,
		"the date":                `{% macro m(t) %}{{ strftime_now('%f') ~ given }}{% endmacro %}{{ m(tool) }}`,
		"a global replaced":       `{% macro m(t) %}{{ range(2) }}{% endmacro %}{{ m(tool) }}`,
		"another macro":           `{% macro a() %}{{ given }}{% endmacro %}{% macro m(t) %}{{ a() }}{% endmacro %}{{ m(tool) }}`,
		"a macro of two":          `{% if given == 1 %}{% macro a() %}1{% endmacro %}{% else %}{% macro a() %}2{% endmacro %}{% endif %}{% macro m(t) %}{{ a() }}{% endmacro %}{{ m(tool) }}`,
		"a macro not yet there":   `{% macro m(t) %}{{ a is defined }}{% endmacro %}{{ m(tool) }}{% macro a() %}{% endmacro %}{{ m(tool) }}`,
		"what else it is given":   `{% macro m(t) %}{{ kwargs }}{% endmacro %}{{ m(tool, a=given) }}`,
		"an argument":             `{% macro m(t, v) %}{{ v }}{% endmacro %}{{ m(tool, given) }}{{ m(tool, v=[given]) }}{{ m(tool, given ~ 'x') }}`,
		"read in some cases":      `{% macro m(t, b) %}{% if b %}{{ given }}{% endif %}{% endmacro %}{{ m(tool, false) }}{{ m(tool, true) }}`,
		"read by a macro of two":  `{% macro a(b) %}{% if b %}{{ given }}{% endif %}{% endmacro %}{% macro m(t, b) %}{{ a(b) }}{% endmacro %}{{ m(tool, false) }}{{ m(tool, true) }}`,
		"a macro that leaves":     `{% set ns = namespace() %}{% set x = given %}{% macro m(t) %}{% macro n() %}{{ x }}{% endmacro %}{% set ns.f = n %}{% if false %}{% set x = 1 %}{% endif %}{% endmacro %}{{ m(tool) }}{{ ns.f() }}`,
		"what is the same":        `{% macro m(t, v) %}{{ [v]|select('sameas', t.name)|list|length }}{% endmacro %}{{ m(tool, tool.name) }}{{ m(tool, 'f<') }}`,
		"a long argument":         `{% macro m(t, v) %}{{ v }}{% endmacro %}{{ m(tool, given ~ 'x' * 99) }}`,
		"a filter's argument":     `{{ tool|tojson(indent=given) }}`,
		"a part with other parts": `{{ dict(tool, v=given)|tojson }}{{ [tool, given]|tojson }}`,
	} {
		t.Run(name, func(t *testing.T) {
			tm, err := Parse(src)
			if err != nil {
				t.Fatal(err)
			}
			tool := NewDict()
			tool.Set("name", NewString("f<", Content))
			memo := NewMemo(tool)
			for i := range 4 {
				vars := NewDict()
				vars.Set("tool", tool)
				vars.Set("given", Int(i%2))
				if i > 1 {
					vars.Set("range", &builtin{"range", func(*runtime, *callArgs) Value { return Int(i) }})
				}
				now := goldenNow.AddDate(0, 0, i)
				want, wantErr := tm.Render(vars, Options{Now: now})
				got, err := tm.Render(vars, Options{Now: now, Memo: memo})
				if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
					t.Errorf("(-without +with a memo) %s %v %v", diff, wantErr, err)
				}
			}
		})
	}
}

// What is kept is not made again: the second rendering takes fewer steps than the tool has parts
// and text.
func TestMemo_keepsMacrosAndJSON(t *testing.T) {
	for _, src := range []string{
		`{{ tool|tojson }}{{ tool|tojson(indent=2) }}`,
		`{% macro a(v) %}{% for i in v %}{{ i }}{% endfor %}{% endmacro %}{% macro m(t) %}{% set ns = namespace(x=1) %}{{ a(t.list) }}{{ ns.x }}{% endmacro %}{% set ns = 1 %}{{ m(tool) }}{{ m(t=tool) }}`,
	} {
		tm, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		var list []Value
		for range 10_000 {
			list = append(list, Int(7))
		}
		tool := NewDict()
		tool.Set("list", NewList(list...))
		vars := NewDict()
		vars.Set("tool", tool)
		memo := NewMemo(tool)
		want, err := tm.Render(vars, Options{Memo: memo})
		if err != nil {
			t.Fatal(err)
		}
		got, err := tm.Render(vars, Options{Memo: memo, Limits: Limits{Steps: 30_000}})
		if err != nil {
			t.Error("made again:", err)
		}
		if got.Text != want.Text {
			t.Error("what is kept differs")
		}
	}
}

func TestMemo_isBounded(t *testing.T) {
	tm, err := Parse(`{% macro m(t, i) %}{{ 'x' * 500 }}{% endmacro %}{% for i in range(99999) %}{% set x = m(tool, i) %}{% endfor %}`)
	if err != nil {
		t.Fatal(err)
	}
	tool := NewDict()
	vars := NewDict()
	vars.Set("tool", tool)
	memo := NewMemo(tool)
	if _, err := tm.Render(vars, Options{Memo: memo}); err != nil {
		t.Fatal(err)
	}
	if len(memo.texts) > 1024 || len(memo.texts) < 500 {
		t.Errorf("%d texts are kept", len(memo.texts))
	}
}

// A search through all earlier messages for each message would cost their number squared.
func TestRender_leavesLoopsThatDoNothingMore(t *testing.T) {
	for name, body := range map[string]string{
		"found":           `{% for j in range(9999) %}{% if not ns.found %}{% set ns.found = true %}{% endif %}{% endfor %}`,
		"stopped":         `{% for j in range(9999) %}{% if ns.found %}{% elif j > 2 %}{% set ns.found = true %}{% else %}{% endif %}{% endfor %}`,
		"over a list":     `{% for j in list %}{% if ns.found != true %}{% set ns.found = true %}{% endif %}{% endfor %}`,
		"in another loop": `{% for k in [1] %}{% for j in list %}{% if k == 2 and ns.found is defined %}{% set ns.found = true %}{% endif %}{% endfor %}{% endfor %}`,
	} {
		tm, err := Parse(`{% set list = range(9999)|list %}{% for i in range(999) %}{% set ns = namespace(found=false) %}` + body + `{% endfor %}`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tm.Render(NewDict(), Options{Limits: Limits{Steps: 200_000}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
