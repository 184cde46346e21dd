package jinja

import (
	"strings"
	"testing"
)

// marked renders with c as content and puts brackets around what came out as content.
func marked(t *testing.T, src, content string) string {
	t.Helper()
	tmpl, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	vars := NewDict()
	vars.Set("c", NewString(content, Content))
	vars.Set("bos", NewString("<s>", Trusted))
	inner, err := FromJSON([]byte(`{"k":"v","n":1,"l":["x"]}`), Content)
	if err != nil {
		t.Fatal(err)
	}
	vars.Set("d", inner)
	out, err := tmpl.Render(vars, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range out.Spans {
		text := out.Text[s.Start:s.End]
		if s.Origin == Content {
			text = "[" + text + "]"
		}
		b.WriteString(text)
	}
	return b.String()
}

func TestOrigin_followsStringsThroughOperations(t *testing.T) {
	for src, want := range map[string]string{
		`{{ bos }}a{{ c }}b`:                                                     `<s>a[Hi you]b`,
		`{{ "a" + c + "b" }}{{ "a" ~ c ~ 1 }}`:                                   `a[Hi you]ba[Hi you]1`,
		`{{ c[1:3] }}{{ c[0] }}{{ c[::-1] }}`:                                    `[i Huoy iH]`,
		`{{ ("<" + c + ">")[1:-1] }}`:                                            `[Hi you]`,
		`{{ ("<" + c + ">")[:3] }}`:                                              `<[Hi]`,
		`{{ c|trim }}{{ c.strip("u") }}`:                                         `[Hi youHi yo]`,
		`{{ c.split(" ")|join("-") }}`:                                           `[Hi]-[you]`,
		`{{ c.split(" ")[-1] }}{{ c.rsplit()|first }}`:                           `[youHi]`,
		`{{ "-".join([c, "x", c]) }}`:                                            `[Hi you]-x-[Hi you]`,
		`{{ c.replace("you", "me") }}`:                                           `[Hi ]me`,
		`{{ "you".replace("you", c) }}`:                                          `[Hi you]`,
		`{{ c|upper }}{{ c.title() }}{{ c|capitalize }}`:                         `[HI YOUHi YouHi you]`,
		`{{ ("a" + c)|upper }}`:                                                  `A[HI YOU]`,
		`{{ c|tojson }}`:                                                         `["Hi you"]`,
		`{{ {"a": "b", "c": c}|tojson }}`:                                        `{"a": "b", "c": ["Hi you"}]`,
		`{{ d|tojson }}|{{ d }}`:                                                 `{["k": "v", "n": 1, "l": ["x"]}]|{['k': 'v', 'n': 1, 'l': ['x']}]`,
		`{{ [c, 1] }}`:                                                           `[['Hi you', 1]]`,
		`{{ c|e }}{{ c|safe }}{{ c|string }}`:                                    `[Hi youHi youHi you]`,
		`{{ c|indent(1, true) }}`:                                                ` [Hi you]`,
		`{{ c|length }}{{ d.n }}`:                                                `61`,
		`{% set x = c %}{{ x }}{% set y %}<{{ c }}>{% endset %}{{ y }}`:          `[Hi you]<[Hi you]>`,
		`{% macro m(x) %}({{ x }}){% endmacro %}{{ m(c) }}{{ m(c)|trim("()") }}`: `([Hi you])[Hi you]`,
		`{% filter upper %}<{{ c }}>{% endfilter %}`:                             `<[HI YOU]>`,
		`{% for x in c %}{{ x }}{% endfor %}{% for k, v in d|items %}{{ k }}{{ v }}{% endfor %}`: `[Hi youkvn]1[l][['x']]`,
		`{{ d|dictsort|map("first")|join(",") }}{{ d.keys()|list|first }}`:                       `[k],[l],[nk]`,
		`{{ [c, "a"]|sort|first }}{{ [c, "a"]|map("upper")|list|last }}`:                         `aA`,
		`{{ c if c == "Hi you" else "no" }}{{ {c: "v"}["Hi you"] }}{{ d["k"] }}`:                 `[Hi you]v[v]`,
		`{{ c|reverse }}{{ c|list|join }}`:                                                       "[uoy iHHi you]",
		`{{ c|default("x") }}{{ nope|default(c) }}{{ c|replace("Hi", bos) }}`:                    `[Hi youHi you]<s>[ you]`,
		`{{ c.partition(" ")|join("|") }}{{ c.splitlines()[0] }}`:                                `[Hi]|[ ]|[youHi you]`,
		`{{ c * 2 }}{{ ("a" ~ c) * 2 }}`:                                                         `[Hi youHi you]a[Hi you]a[Hi you]`,
	} {
		if got := marked(t, src, "Hi you"); got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
}

// TestOrigin_contentNeverBecomesTrusted sends a marker as content through published templates: no
// trusted text may hold it.
func TestOrigin_contentNeverBecomesTrusted(t *testing.T) {
	const marker = "@@evil@@"
	poison := strings.NewReplacer("Oslo", marker, "Four", marker, "two plus two", marker, "cold", marker, "get_weather", marker, "city", marker)
	for _, conversation := range []string{"plain-no-prompt", "parallel-calls", "thinking-on", "one-call-answered"} {
		vars := conversationVars(t, conversation)
		poisoned := NewDict()
		vars.Each(func(k string, v Value) { poisoned.Set(k, poisonValue(v, poison)) })
		for _, name := range templateNames(t) {
			tmpl, err := Parse(readTemplate(t, name))
			if err != nil {
				continue
			}
			out, err := tmpl.Render(poisoned, Options{Now: goldenNow})
			if err != nil {
				continue
			}
			for _, s := range out.Spans {
				if s.Origin == Trusted && strings.Contains(strings.ToLower(out.Text[s.Start:s.End]), "evil") {
					t.Errorf("%s with %s: content in trusted text %q", name, conversation, out.Text[s.Start:s.End])
				}
			}
		}
	}
}

func poisonValue(v Value, r *strings.Replacer) Value {
	switch v := v.(type) {
	case *Str:
		if v.origin == Content {
			return NewString(r.Replace(v.text), Content)
		}
	case *List:
		out := make([]Value, len(v.items))
		for i, it := range v.items {
			out[i] = poisonValue(it, r)
		}
		return NewList(out...)
	case *Dict:
		out := NewDict()
		for _, e := range v.entries {
			out.put(e.key, poisonValue(e.value, r))
		}
		return out
	}
	return v
}
