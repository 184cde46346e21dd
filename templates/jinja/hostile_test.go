package jinja

import (
	"errors"
	"strings"
	"testing"
)

// hostile is what a hostile template can ask of one operation.
var hostile = map[string]string{
	"concatenation":          `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x|length }}`,
	"sum of texts":           `{% set ns = namespace(x='') %}{% for i in range(99999) %}{% set ns.x = ns.x + 'aaaaaaaaaaaaaaaa' %}{% endfor %}`,
	"repetition":             `{{ ('a' * 1000000 * 1000000)|length }}`,
	"repetition of nothing":  `{{ ('' * 1000000000000000000)|length }}{{ ([] * 1000000000000000000)|length }}{{ 'a' * -(1000000000000000000) }}`,
	"replacement":            `{{ ('a' * 100000)|replace('a', 'b' * 100000)|length }}`,
	"replacement of nothing": `{{ ('a' * 100000)|replace('', 'b' * 100000)|length }}`,
	"method replace":         `{{ ('a' * 100000).replace('', 'b' * 100000)|length }}`,
	"long range":             `{{ range(1000000000000) }}`,
	"range backwards":        `{{ range(1000000000000000000, -1000000000000000000, -1)|length }}`,
	"recursion in arguments": `{% macro m(x) %}{{ m(m(x)) }}{% endmacro %}{{ m(1) }}`,
	"recursion by default":   `{% macro m(x=m()) %}{% endmacro %}{{ m() }}`,
	"tree of calls":          `{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(99) }}`,
	"indent of lines":        `{{ ('\n' * 100000)|indent(100000, blank=true)|length }}`,
	"join by a long text":    `{{ range(99999)|join('a' * 1000000)|length }}`,
	"method join":            `{{ ('a' * 1000000).join('b' * 100000)|length }}`,
	"join of many":           `{{ (['a' * 1000000] * 100000)|join|length }}`,
	"title":                  `{{ ('a ' * 1000000)|title|length }}{{ ('a-(' * 100000)|title|length }}`,
	"strip of many":          `{{ ('ab' * 1000000).strip('ba' * 1000000)|length }}`,
	"rsplit":                 `{{ ('a' * 1000000).rsplit('a')|length }}`,
	"partition":              `{% for i in range(99999) %}{% set x = ('a' * 100000).rpartition('b') %}{% endfor %}`,
	"find":                   `{{ ('a' * 1000000).count('a' * 1000) }}{{ ('a' * 1000000).find('a' * 100000 + 'b') }}`,
	"namespace in itself":    `{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}`,
	"namespace as JSON":      `{% set ns = namespace() %}{% set ns.a = ns %}{{ ns|tojson }}`,
	"list in its namespace":  `{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a }}{{ ns.a|string|length }}`,
	"list in JSON":           `{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a|tojson }}`,
	"dict in its namespace":  `{% set ns = namespace() %}{% set ns.a = {'x': ns} %}{{ ns.a == ns.a }}{{ [ns, ns]|unique|list|length }}`,
	"nested JSON":            `{% set ns = namespace(x={}) %}{% for i in range(99) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x|tojson }}`,
	"sort by long keys":      `{% set k = 'a' * 100000 %}{{ [k + 'b', k + 'a', k + 'c'] * 9999|sort|length }}`,
	"sort of long texts":     `{% set k = 'a' * 100000 %}{{ ([k + 'b', k + 'a', k + 'c'] * 9999)|sort|length }}`,
	"sort by attributes":     `{% set k = 'a' * 100000 %}{{ ([{'a': k}, {'a': k}] * 9999)|sort(attribute='a')|length }}`,
	"dictsort of long keys":  `{% set k = 'a' * 1000000 %}{% for i in range(9999) %}{% set x = {k: 1, k + 'a': 2}|dictsort %}{% endfor %}`,
	"unique of long texts":   `{% set k = 'a' * 1000000 %}{{ ([k] * 99999)|unique|list|length }}`,
	"list of characters":     `{{ ('ab' * 1000000)|list|length }}`,
	"reversed text":          `{% for i in range(9999) %}{% set x = ('ab' * 100000)|reverse %}{% endfor %}`,
	"int of many digits":     `{{ ('1' * 1000000)|int }}{{ ('1' * 1000000)|float }}`,
	"upper that grows":       `{% set ns = namespace(x='ŉ' * 100000) %}{% for i in range(99) %}{% set ns.x = ns.x|upper ~ ns.x %}{% endfor %}`,
	"escaping that grows":    `{% set ns = namespace(x='<') %}{% for i in range(99) %}{% set ns.x = ns.x|escape|string ~ '<' * 100000 %}{% endfor %}`,
	"repr of escapes":        `{{ ['\n' * 1000000]|string|length }}`,
	"JSON of escapes":        `{{ ('\x00' * 1000000)|tojson|length }}`,
	"separators":             `{{ range(9999)|list|tojson(separators=('a' * 1000000, ':')) }}`,
	"join of attributes":     `{{ ([{'a': 'x' * 100000}] * 9999)|join(',', attribute='a')|length }}`,
	"deep attribute":         `{{ [{}]|map(attribute='a.' * 100000)|list }}`,
	"strftime":               `{{ strftime_now('%c' * 100000)|length }}{{ strftime_now('%999999999d') }}`,
	"comparison of lists":    `{% set l = range(9999)|list %}{% for i in range(9999) %}{% if l == l %}{% endif %}{% endfor %}`,
	"search in lists":        `{% set l = range(9999)|list %}{% for i in range(9999) %}{% if -1 in l %}{% endif %}{% endfor %}`,
	"comparison of slices":   `{% set l = range(9999)|list %}{% for i in range(9999) %}{% if l[1:] == l[:-1] %}{% endif %}{% if l[::2] %}{% endif %}{% endfor %}`,
	"slices of text":         `{% set l = 'é' * 100000 %}{% for i in range(99999) %}{% set x = l[1:2] %}{% endfor %}`,
	"set blocks":             `{% set x %}{% for i in range(99999) %}{{ 'a' * 100000 }}{% endfor %}{% endset %}`,
	"filter blocks":          `{% filter replace('a', 'a' * 10000) %}{% filter replace('a', 'a' * 10000) %}a{% endfilter %}{% endfilter %}`,
}

// Each ends with an error that says why, or with an answer, within limits that count all the work.
// The steps granted are what a second or less of evaluation takes.
func TestLimits_holdEveryOperation(t *testing.T) {
	limits := Limits{Steps: 1_000_000, Output: 4 << 20}
	for name, src := range hostile {
		t.Run(name, func(t *testing.T) {
			tmpl, err := Parse(src)
			if err != nil {
				t.Fatal(err)
			}
			out, err := tmpl.Render(NewDict(), Options{Limits: limits})
			var failure *RenderError
			if errors.As(err, &failure) && (failure.Type == typeInternal || failure.Msg == "" || failure.Line == 0) {
				t.Errorf("an error that says nothing: %#v", failure)
			}
			if len(out.Text) > limits.Output {
				t.Errorf("%d bytes", len(out.Text))
			}
		})
	}
}

// A template in which macros, branches and loops are many and long costs no more to parse than its
// length allows.
func TestParse_manyMacrosAreReadInProportion(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		name := strings.Repeat("x", i%7) + "m" + strings.Repeat("y", i/7)
		b.WriteString("{% macro " + name + "(t) %}{% set a = t %}{% if a %}{% if t %}{% set z = a %}{{ z }}{% endif %}{% endif %}{{ " + name + "(t) }}{% endmacro %}")
	}
	b.WriteString("{% set a = 1 %}{% set z = 1 %}")
	if _, err := Parse(b.String()); err != nil {
		t.Fatal(err)
	}
}
