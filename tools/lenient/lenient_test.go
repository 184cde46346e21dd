package lenient

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/peek"
)

func TestDecode_readsWhatWasMeant(t *testing.T) {
	for text, c := range map[string]struct {
		want    string
		repairs []string
	}{
		`{"a": [1, 2.5e3, "x\n"], "b": null}`:     {`{"a": [1, 2.5e3, "x\n"], "b": null}`, nil},
		`{'a': 'it\'s'}`:                          {`{"a":"it's"}`, []string{QuoteStyle, BadEscape}},
		`{a: 1, b_c: "x"}`:                        {`{"a":1,"b_c":"x"}`, []string{BareKey}},
		`{"a": True, "b": None}`:                  {`{"a":true,"b":null}`, []string{PythonLiteral}},
		`{"a": (1, 2)}`:                           {`{"a":[1,2]}`, []string{PythonLiteral}},
		`[1, 2,]`:                                 {`[1,2]`, []string{TrailingComma}},
		`{"a": 1 "b": 2}`:                         {`{"a":1,"b":2}`, []string{MissingComma}},
		`{"a": [1, {"b": 2`:                       {`{"a":[1,{"b":2}]}`, []string{MissingClose}},
		"{\"a\": 1 // one\n, /* two */ \"b\": 2}": {`{"a":1,"b":2}`, []string{Comment}},
		`{"a": 0x1F, "b": +1, "c": .5, "d": 1_000, "e": 007}`: {`{"a":"0x1F","b":"+1","c":0.5,"d":1000,"e":"007"}`, []string{NumberStyle}},
		"{\"a\": \"x\ny\"}":            {`{"a":"x\ny"}`, []string{RawControl}},
		`{"a": "say "hi" now"}`:        {`{"a":"say \"hi\" now"}`, []string{UnescapedQuote}},
		`{"a": "f("x", "y")", "b": 1}`: {`{"a":"f(\"x\", \"y\")","b":1}`, []string{UnescapedQuote}},
		`{"re": "\d+\."}`:              {`{"re":"\\d+\\."}`, []string{BadEscape}},
		`{"a": "b}`:                    {`{"a":"b"}`, []string{MissingQuote}},
		`{"a": 1, "a": 1}`:             {`{"a":1}`, []string{DuplicateKey}},
		`{"a": "\ud83d\ude00"}`:        {`{"a": "\ud83d\ude00"}`, nil},
		`{"a": """x "y" z"""}`:         {`{"a":"x \"y\" z"}`, []string{QuoteStyle}},
		`{"a": yes}`:                   {`{"a":"yes"}`, []string{BareWord}},
	} {
		d, err := Decode([]byte(text), Rules{})
		if err != nil || string(d.JSON) != c.want {
			t.Errorf("%s: %s, %v; want %s", text, d.JSON, err, c.want)
			continue
		}
		if diff := cmp.Diff(c.repairs, d.Repairs); diff != "" {
			t.Errorf("%s: repairs -want +got:\n%s", text, diff)
		}
	}
}

func TestDecode_doesNotGuess(t *testing.T) {
	for _, text := range []string{"", `{"a`, `{"a": "b`, `{"a": 1, "a": 2}`, `{"a"}`, `{"a": }`, `]`, `{"a": "b", "c": "d`, `["say "a", "b" now"]`, `{"a": "f {b: 1}`, `{"a": ["see [1]}`} {
		if d, err := Decode([]byte(text), Rules{}); err == nil {
			t.Errorf("%s was read as %s", text, d.JSON)
		}
	}
}

func TestDecodeArguments_areAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`(a=1, b="x", c=[True, None])`: `{"a":1,"b":"x","c":[true,null]}`,
		`()`:                           `{}`,
		`({"a": 1})`:                   `{"a":1}`,
		`(**{"a": 1})`:                 `{"a":1}`,
		`(a='it"s')`:                   `{"a":"it\"s"}`,
	} {
		d, err := DecodeArguments([]byte(text), Rules{})
		if err != nil || string(d.JSON) != want {
			t.Errorf("%s: %s, %v; want %s", text, d.JSON, err, want)
		}
	}
	if d, err := DecodeArguments([]byte(`("x")`), Rules{}); err == nil {
		t.Errorf("a positional argument was read as %s", d.JSON)
	}
}

func TestDecodeArguments_stringsAreJoinedAsInPython(t *testing.T) {
	for text, want := range map[string]string{
		`(a="x" + "y")`:             `{"a":"xy"}`,
		"(a=\"x\" 'y'\n\"z\", b=1)": `{"a":"xyz","b":1}`,
		`(a=["x" + "y", "z"])`:      `{"a":["xy","z"]}`,
		`(a={"k": "x" + "y"})`:      `{"a":{"k":"xy"}}`,
		`(a="x = "u" + "v" # w")`:   `{"a":"x = \"u\" + \"v\" # w"}`,
	} {
		d, err := DecodeArguments([]byte(text), Rules{Python: true})
		if err != nil || string(d.JSON) != want {
			t.Errorf("%s: %s, %v; want %s", text, d.JSON, err, want)
		}
		s := Scanner{Rules: Rules{Python: true}}
		s.Reset(0)
		if st := s.Step([]byte(text+" (tail"), true); st != Complete || s.End != len(text) {
			t.Errorf("%s: the scanner ends with %d at %d", text, st, s.End)
		}
	}
	if d, err := DecodeArguments([]byte(`(a="x" + y)`), Rules{Python: true}); err == nil {
		t.Errorf("an expression was read as %s", d.JSON)
	}
}

// Whatever the text and its cuts: what Decode gives is JSON, JSON is left alone, and the scanner
// ends at one place.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a": "b"}</end>`, `{'a': [1, {b: True}],}`, `{"a": "x "y" z", "b": """q"""}`, "{\"a\": 1 // c\n}", `(a="b", c={1: 2})`, `(a="b" 'c', d=["e" + "f"])`} {
		f.Add(s, uint8(3), true)
	}
	f.Fuzz(func(t *testing.T, text string, step uint8, python bool) {
		r := Rules{Quotes: []string{`<|"|>`}, Terminators: peek.NewTexts([]string{"</end>", "<stop>"}), Python: python}
		if d, err := DecodeArguments([]byte(text), r); err == nil && (!json.Valid(d.JSON) || d.JSON[0] != '{') {
			t.Fatalf("arguments %q became %q", text, d.JSON)
		}
		if d, err := Decode([]byte(text), r); err == nil {
			if !json.Valid(d.JSON) {
				t.Fatalf("%q became %q", text, d.JSON)
			}
			if again, err := Decode(d.JSON, r); err != nil || string(again.JSON) != string(d.JSON) || again.Repairs != nil {
				t.Fatalf("%q became %q, and that %q (%v)", text, d.JSON, again.JSON, err)
			}
		}
		whole, end := scan(text, len(text)+1, r)
		cut, cutEnd := scan(text, int(step)+1, r)
		if whole != cut || end != cutEnd {
			t.Fatalf("%q ends at %d (%d), in pieces of %d at %d (%d)", text, end, whole, step+1, cutEnd, cut)
		}
	})
}

func scan(text string, step int, r Rules) (Status, int) {
	s := Scanner{Rules: r}
	s.Reset(0)
	for n := step; n < len(text); n += step {
		if st := s.Step([]byte(text[:n]), false); st != Open {
			return st, s.End
		}
	}
	return s.Step([]byte(text), true), s.End
}

func TestScanner_endsWhereJSONDoes(t *testing.T) {
	for _, text := range []string{`{"a": "}"}`, `[{"a": [1, 2]}, "]"]`, `{"a": "\"}"}`, `{"a": "x, \"b\": }"}`, `{"a": {"b": ["c"]}}`} {
		for step := 1; step < len(text); step++ {
			if st, end := scan(text+" {tail", step, Rules{}); st != Complete || end != len(text) {
				t.Errorf("%s in pieces of %d: %d at %d", text, step, st, end)
			}
		}
	}
	if st, end := scan(`{"a": "b" </end>`, 4, Rules{Terminators: peek.NewTexts([]string{"</end>"})}); st != Terminated || end != strings.Index(`{"a": "b" </end>`, "</") {
		t.Errorf("a terminator: %d at %d", st, end)
	}
}

// What more models write for JSON and Python's literals.
func TestDecode_otherSpellings(t *testing.T) {
	for text, want := range map[string]string{
		`{“a”: “b”, “c”: [“d”, ‘e’]}`: `{"a":"b","c":["d","e"]}`,
		`{“a”: “he said “hi” to me”}`: `{"a":"he said “hi” to me"}`,
		`{"a": “it’s”}`:               `{"a":"it’s"}`,
		`{"a": "“x”"}`:                `{"a": "“x”"}`,
		`{{"a": {{"b": 1}}, "c": 2}}`: `{"a":{"b":1},"c":2}`,
		`{{}}`:                        `{}`,
		`{\"a\": \"b \\\"c\\\" d\"}`:  `{"a":"b \"c\" d"}`,
		`[{\"a\": 1}]`:                `[{"a":1}]`,
		`{"re": r"\d+\."}`:            `{"re":"\\d+\\."}`,
		`{"a": f'x', "b": u"y"}`:      `{"a":"x","b":"y"}`,
		`{"a": dict(b=1, c='x')}`:     `{"a":{"b":1,"c":"x"}}`,
	} {
		d, err := Decode([]byte(text), Rules{})
		if err != nil || string(d.JSON) != want || d.End != len(text) {
			t.Errorf("%s: %s to %d, %v; want %s", text, d.JSON, d.End, err, want)
		}
		if strings.Contains(text, `\"`) {
			continue // where it ends is known at the end alone
		}
		for step := 1; step < 8; step++ {
			if st, end := scan(text+" {tail", step, Rules{}); st != Complete || end != len(text) {
				t.Errorf("%s in pieces of %d: %d at %d", text, step, st, end)
			}
		}
	}
	for _, text := range []string{`{{"a": 1}, {"b": 2}}`, `{"a": f"x{y}"}`, `{"a": dict(1)}`} {
		if d, err := Decode([]byte(text), Rules{}); err == nil {
			t.Errorf("%s was read as %s", text, d.JSON)
		}
	}
}

// Arguments without keywords are the parameters in their order, if they are literals.
func TestDecodeArguments_positional(t *testing.T) {
	r := Rules{Python: true, Positional: []string{"a", "b", "c"}}
	for text, want := range map[string]string{
		`("x", 3)`:                 `{"a":"x","b":3}`,
		`("x", c=[1], b=2)`:        `{"a":"x","c":[1],"b":2}`,
		`(True, -1.5, {"k": 1})`:   `{"a":true,"b":-1.5,"c":{"k":1}}`,
		`(r"\d", "y")`:             `{"a":"\\d","b":"y"}`,
		`(a=["x" "y", "z"])`:       `{"a":["xy","z"]}`,
		`(a=dict(b=dict(c=None)))`: `{"a":{"b":{"c":null}}}`,
	} {
		d, err := DecodeArguments([]byte(text), r)
		if err != nil || string(d.JSON) != want {
			t.Errorf("%s: %s, %v; want %s", text, d.JSON, err, want)
		}
		s := Scanner{Rules: r}
		s.Reset(0)
		if st := s.Step([]byte(text+" (tail"), true); st != Complete || s.End != len(text) {
			t.Errorf("%s: the scanner ends with %d at %d", text, st, s.End)
		}
	}
	for _, text := range []string{`(x)`, `(a=1, 2)`, `(1, 2, 3, 4)`, `("x", a="y")`, `(x + 1)`, `(f(1))`, `(a == 1)`} {
		if d, err := DecodeArguments([]byte(text), r); err == nil {
			t.Errorf("%s was read as %s", text, d.JSON)
		}
	}
}
