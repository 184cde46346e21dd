package jinja

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small are limits that a harmless template keeps and a hostile one meets at once.
var small = Limits{Steps: 200_000, Output: 1 << 20, Depth: 100}

// What works on every letter of a text, or on every digit of a float, is counted as more than
// copying it.
func TestLimits_countTheWorkOfSlowOperations(t *testing.T) {
	for expression, least := range map[string]int{
		"text|upper": 70_000, "text|lower": 70_000, "text|title": 70_000,
		"text|float": 15_000, "'x'.startswith(text)": 15_000,
	} {
		tmpl, err := Parse("{% for i in range(200) %}{% set x = " + expression + " %}{% endfor %}")
		if err != nil {
			t.Fatal(err)
		}
		vars := NewDict()
		vars.Set("text", NewString(strings.Repeat("É", 500), Content))
		if _, err = tmpl.Render(vars, Options{Limits: Limits{Steps: least}}); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

func TestLimits_stopHostileTemplates(t *testing.T) {
	for name, src := range map[string]string{
		"nested loops":          `{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}`,
		"endless recursion":     `{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}`,
		"mutual recursion":      `{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}`,
		"huge string":           `{{ 'a' * 1000000000 }}`,
		"many pieces":           `{{ ('a' * 900000).split('a')|length }}`,
		"many characters":       `{{ ('a' * 900000)|list|length }}`,
		"huge list":             `{{ [1] * 1000000000 }}`,
		"huge tuple":            `{{ (1, 2) * 1000000000000 }}`,
		"huge product":          `{% set ns = namespace(x=3) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}`,
		"indent":                `{{ 'a\nb'|indent(1000000000) }}`,
		"json indent":           `{{ [1]|tojson(indent=1000000000) }}`,
		"json deep indent":      `{{ [[[[[[[[1]]]]]]]]|tojson(indent=1000000) }}`,
		"doubling string":       `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}`,
		"doubling list":         `{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}`,
		"doubling by join":      `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x]|join %}{% endfor %}`,
		"doubling by replace":   `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x|replace('a', 'aaaa') %}{% endfor %}`,
		"doubling by set block": `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}{% endfor %}`,
		"billion laughs":        `{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}`,
		"laughs compared":       `{% set a = namespace(x=[1]) %}{% set b = namespace(x=[1]) %}{% for i in range(99) %}{% set a.x = [a.x, a.x] %}{% set b.x = [b.x, b.x] %}{% endfor %}{{ a.x == b.x }}`,
		"laughs hashed":         `{% set ns = namespace(x=(1,)) %}{% for i in range(99) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}`,
		"deep list":             `{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}`,
		"deep generator":        `{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = ns.x|map('upper') %}{% endfor %}{{ ns.x|list }}`,
		"large output":          `{% for i in range(99999) %}0123456789012345678901234567890123456789{% endfor %}`,
		"lists of slices":       `{% set l = range(9999)|list %}{% for i in range(9999) %}{{ l[::-1]|length }}{% endfor %}`,
		"substring search":      `{% set l = 'a' * 500000 %}{% for i in range(9999) %}{{ 'b' in l }}{% endfor %}`,
		"splitting":             `{% for i in range(999) %}{{ ('a' * 99999)|list|length }}{% endfor %}`,
		"sorting":               `{% for i in range(9999) %}{{ range(9999)|sort|length }}{% endfor %}`,
		"self-containing":       `{% set ns = namespace() %}{% set ns.a = [ns] %}{% set ns.b = [ns] %}{% for i in range(99) %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns }}`,
	} {
		t.Run(name, func(t *testing.T) {
			tmpl, err := Parse(src)
			if err != nil {
				t.Fatal(err)
			}
			out, err := tmpl.Render(NewDict(), Options{Limits: small})
			if err == nil {
				t.Fatalf("no error, %d bytes of output", len(out.Text))
			}
			var render *RenderError
			if !errors.As(err, &render) {
				t.Fatal(err)
			}
			if !errors.Is(err, ErrLimit) && render.Type != typeValue {
				t.Errorf("not a limit: %v", err)
			}
		})
	}
}

func TestParse_refusesDeepNesting(t *testing.T) {
	const deep = 10_000
	for name, src := range map[string]string{
		"parentheses": "{{ " + strings.Repeat("(", deep),
		"lists":       "{{ " + strings.Repeat("[", deep),
		"negations":   "{{ " + strings.Repeat("-", deep) + "1 }}",
		"nots":        "{{ " + strings.Repeat("not ", deep) + "1 }}",
		"ifs":         strings.Repeat("{% if 1 %}", deep),
		"loops":       strings.Repeat("{% for i in x %}", deep),
		"sums":        "{{ 1" + strings.Repeat(" + 1", deep) + " }}",
		"attributes":  "{{ x" + strings.Repeat(".a", deep) + " }}",
		"filters":     "{{ x" + strings.Repeat("|e", deep) + " }}",
		"tests":       "{{ x" + strings.Repeat(" is odd", 2) + " }}",
		"conditions":  "{{ 1" + strings.Repeat(" if 1", deep) + " }}",
		"elses":       "{{ 1" + strings.Repeat(" if 1 else 1", deep) + " }}",
		"calls":       "{{ x" + strings.Repeat("()", deep) + " }}",
		"set filters": "{% set x" + strings.Repeat("|e", deep) + " %}{% endset %}",
	} {
		if _, err := Parse(src); err == nil {
			t.Errorf("%s: parsed", name)
		}
	}
}

func TestParse_refusesLongTemplates(t *testing.T) {
	if _, err := Parse("{{ [" + strings.Repeat("1,", maxSource/2) + "] }}"); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Error(err)
	}
}

func TestParse_refusesScopesThatMultiply(t *testing.T) {
	var branches, blocks strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&branches, "{%% if x %%}{%% set a%d = 1 %%}{%% endif %%}", i)
		fmt.Fprintf(&blocks, "{%% set a%d = 1 %%}{%% block b%d scoped %%}{%% endblock %%}", i, i)
	}
	for _, src := range []string{branches.String(), blocks.String()} {
		if _, err := Parse(src); err == nil {
			t.Errorf("parsed %.40s…", src)
		}
	}
}

func TestRender_manyElifsAndSiblingsAreFine(t *testing.T) {
	src := "{% if 0 %}" + strings.Repeat("{% elif 0 %}", 20_000) + "{% endif %}" + strings.Repeat("{{ 1 }}", 20_000)
	tmpl, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tmpl.Render(NewDict(), Options{}); err != nil {
		t.Fatal(err)
	}
}

// FuzzRender looks for panics, and for templates that the limits do not hold.
func FuzzRender(f *testing.F) {
	files, err := filepath.Glob("testdata/language/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			if line != "" && line[0] != '\t' {
				f.Add(line)
			}
		}
	}
	vars := readVars(f, "testdata/language/vars.json")
	f.Fuzz(func(t *testing.T, src string) {
		tmpl, err := Parse(src)
		if err != nil {
			return
		}
		out, err := tmpl.Render(vars, Options{Limits: small})
		var failure *RenderError
		if errors.As(err, &failure) && failure.Type == typeInternal {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		if len(out.Text) > small.Output {
			t.Errorf("output of %d bytes", len(out.Text))
		}
		at := 0
		for _, s := range out.Spans {
			if int(s.Start) != at || s.End <= s.Start {
				t.Fatalf("spans %v do not cover %d bytes", out.Spans, len(out.Text))
			}
			at = int(s.End)
		}
		if at != len(out.Text) {
			t.Fatalf("spans %v do not cover %d bytes", out.Spans, len(out.Text))
		}
	})
}

// A rendering asks its caller every few thousand steps whether to go on, also inside filters and
// loops. Once the caller has left it does no more work.
func TestStop_isAskedWhereverThereIsWork(t *testing.T) {
	left := errors.New("left")
	limits := Limits{Steps: 40 * stepsBetween, Output: 1 << 20}
	for name, src := range hostile {
		tmpl, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		_, err = tmpl.Render(NewDict(), Options{Limits: limits, Stop: func() error { asked++; return nil }})
		if full := err != nil && strings.Contains(err.Error(), "more than 800000 steps"); full && asked < 2 {
			t.Errorf("%s: asked %d times", name, asked)
		}
		if asked == 0 {
			continue // it was over with the first steps
		}
		end := (asked + 1) / 2
		asked = 0
		if _, err = tmpl.Render(NewDict(), Options{Limits: limits, Stop: func() error {
			if asked++; asked >= end {
				return left
			}
			return nil
		}}); !errors.Is(err, left) || asked > end {
			t.Errorf("%s: asked %d times, %v", name, asked, err)
		}
	}
}
