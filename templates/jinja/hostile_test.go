package jinja

import (
	"errors"
	"strings"
	"testing"
)

// hostile is what a hostile template can ask of one operation.
var hostile = map[string]string{
	"concatenation":            `{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x|length }}`,
	"sum of texts":             `{% set ns = namespace(x='') %}{% for i in range(99999) %}{% set ns.x = ns.x + 'aaaaaaaaaaaaaaaa' %}{% endfor %}`,
	"repetition":               `{{ ('a' * 10**6 * 10**6)|length }}`,
	"repetition of nothing":    `{{ ('' * 10**18)|length }}{{ ([] * 10**18)|length }}{{ 'a' * -(10**18) }}`,
	"replacement":              `{{ ('a' * 10**5)|replace('a', 'b' * 10**5)|length }}`,
	"replacement of nothing":   `{{ ('a' * 10**5)|replace('', 'b' * 10**5)|length }}`,
	"method replace":           `{{ ('a' * 10**5).replace('', 'b' * 10**5)|length }}`,
	"long range":               `{{ range(10**12) }}`,
	"range backwards":          `{{ range(10**18, -10**18, -1)|length }}`,
	"recursion in arguments":   `{% macro m(x) %}{{ m(m(x)) }}{% endmacro %}{{ m(1) }}`,
	"recursion by default":     `{% macro m(x=m()) %}{% endmacro %}{{ m() }}`,
	"recursion by call block":  `{% macro m() %}{% call m() %}{% endcall %}{% endmacro %}{{ m() }}`,
	"recursion by caller":      `{% macro a() %}{{ caller() }}{% endmacro %}{% macro b() %}{% call a() %}{{ b() }}{% endcall %}{% endmacro %}{{ b() }}`,
	"tree of calls":            `{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(99) }}`,
	"center":                   `{{ 'a'.center(10**9) }}`,
	"rjust":                    `{{ 'a'.rjust(2**62) }}`,
	"zfill":                    `{{ '1'.zfill(2**63) }}`,
	"indent of lines":          `{{ ('\n' * 10**5)|indent(10**5, blank=true)|length }}`,
	"join by a long text":      `{{ range(99999)|join('a' * 10**6)|length }}`,
	"method join":              `{{ ('a' * 10**6).join('b' * 10**5)|length }}`,
	"join of many":             `{{ (['a' * 10**6] * 10**5)|join|length }}`,
	"truncate":                 `{{ ('a' * 10**6)|truncate(10**5, end='b' * 10)|length }}`,
	"title":                    `{{ ('a ' * 10**6)|title|length }}{{ ('a-(' * 10**5)|title|length }}`,
	"strip of many":            `{{ ('ab' * 10**6).strip('ba' * 10**6)|length }}`,
	"rsplit":                   `{{ ('a' * 10**6).rsplit('a')|length }}`,
	"partition":                `{% for i in range(99999) %}{% set x = ('a' * 10**5).rpartition('b') %}{% endfor %}`,
	"find":                     `{{ ('a' * 10**6).count('a' * 10**3) }}{{ ('a' * 10**6).find('a' * 10**5 + 'b') }}`,
	"namespace in itself":      `{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}`,
	"namespace as JSON":        `{% set ns = namespace() %}{% set ns.a = ns %}{{ ns|tojson }}`,
	"list in its namespace":    `{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a }}{{ ns.a|string|length }}`,
	"list in JSON":             `{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a|tojson }}`,
	"dict in its namespace":    `{% set ns = namespace() %}{% set ns.a = {'x': ns} %}{{ ns.a == ns.a }}{{ [ns, ns]|unique|list|length }}`,
	"nested JSON":              `{% set ns = namespace(x={}) %}{% for i in range(99) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x|tojson }}`,
	"sort by long keys":        `{% set k = 'a' * 10**5 %}{{ [k + 'b', k + 'a', k + 'c'] * 9999|sort|length }}`,
	"sort of long texts":       `{% set k = 'a' * 10**5 %}{{ ([k + 'b', k + 'a', k + 'c'] * 9999)|sort|length }}`,
	"sort by attributes":       `{% set k = 'a' * 10**5 %}{{ ([{'a': k}, {'a': k}] * 9999)|sort(attribute='a')|length }}`,
	"dictsort of long keys":    `{% set k = 'a' * 10**6 %}{% for i in range(9999) %}{% set x = {k: 1, k + 'a': 2}|dictsort %}{% endfor %}`,
	"unique of long texts":     `{% set k = 'a' * 10**6 %}{{ ([k] * 99999)|unique|list|length }}`,
	"list of characters":       `{{ ('ab' * 10**6)|list|length }}`,
	"reversed text":            `{% for i in range(9999) %}{% set x = ('ab' * 10**5)|reverse %}{% endfor %}`,
	"power of large numbers":   `{{ (10**4000) ** (10**4000) }}`,
	"negative power":           `{{ 2 ** -(10**9) }}{{ 10 ** 400 * 1.5 }}`,
	"tower of powers":          `{{ 2 ** 2 ** 2 ** 2 ** 2 ** 2 }}`,
	"large division":           `{% for i in range(99999) %}{% set x = (7 ** 80000) // (3 ** 40000) %}{% endfor %}`,
	"int of many digits":       `{{ ('1' * 10**6)|int }}{{ ('1' * 10**6)|float }}`,
	"int of another base":      `{{ ('f' * 10**6)|int(0, 16) }}`,
	"digits of a large number": `{{ 2 ** 200000 }}`,
	"number as JSON":           `{{ (2 ** 200000)|tojson }}`,
	"upper that grows":         `{% set ns = namespace(x='ŉ' * 10**5) %}{% for i in range(99) %}{% set ns.x = ns.x|upper ~ ns.x %}{% endfor %}`,
	"escaping that grows":      `{% set ns = namespace(x='<') %}{% for i in range(99) %}{% set ns.x = ns.x|escape|string ~ '<' * 10**5 %}{% endfor %}`,
	"repr of escapes":          `{{ ['\n' * 10**6]|string|length }}`,
	"JSON of escapes":          `{{ ('\x00' * 10**6)|tojson|length }}`,
	"separators":               `{{ range(9999)|list|tojson(separators=('a' * 10**6, ':')) }}`,
	"join of attributes":       `{{ ([{'a': 'x' * 10**5}] * 9999)|join(',', attribute='a')|length }}`,
	"deep attribute":           `{{ [{}]|map(attribute='a.' * 10**5)|list }}`,
	"sum of lists":             `{{ ([[1] * 999] * 999)|sum(start=[])|length }}`,
	"strftime":                 `{{ strftime_now('%c' * 10**5)|length }}{{ strftime_now('%999999999d') }}`,
	"namespace of many":        `{% set d = dict(zip) %}{% for i in range(999) %}{% set x = namespace(d, **d) %}{% endfor %}`,
	"starred arguments":        `{% macro m() %}{{ varargs|length }}{% endmacro %}{% for i in range(999) %}{{ m(*range(99999)) }}{% endfor %}`,
	"comparison of lists":      `{% set l = range(9999)|list %}{% for i in range(9999) %}{% if l == l %}{% endif %}{% endfor %}`,
	"search in lists":          `{% set l = range(9999)|list %}{% for i in range(9999) %}{% if -1 in l %}{% endif %}{% endfor %}`,
	"comparison of slices":     `{% set l = range(9999)|list %}{% for i in range(9999) %}{% if l[1:] == l[:-1] %}{% endif %}{% if l[::2] %}{% endif %}{% endfor %}`,
	"slices of text":           `{% set l = 'é' * 10**5 %}{% for i in range(99999) %}{% set x = l[1:2] %}{% endfor %}`,
	"set blocks":               `{% set x %}{% for i in range(99999) %}{{ 'a' * 10**5 }}{% endfor %}{% endset %}`,
	"filter blocks":            `{% filter replace('a', 'a' * 10**4) %}{% filter replace('a', 'a' * 10**4) %}a{% endfilter %}{% endfilter %}`,
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
