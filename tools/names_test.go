package tools

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/declared"
	"tenon/tools/ordered"
)

// Every name that a client may declare comes back from what the family writes, though no grammar
// told where it ends. By default a family has half of the names, the next one the other half;
// TENON_ALL=1 gives each all.
func TestNames_ofEveryKindComeBackInEveryFamily(t *testing.T) {
	declared := []string{"a.b-c/d:e", "für_öl", "true", "name", strings.Repeat("n", 64), strings.Repeat("long_", 40)}
	for i, d := range Families() {
		for k, name := range declared {
			if (i+k)%2 > 0 && os.Getenv("TENON_ALL") == "" {
				continue
			}
			p, err := d.Plan(Turn{Tools: []Tool{{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}, Choice: Choice{Mode: Required}})
			if err != nil {
				t.Fatal(err)
			}
			raw := shortest(t, compiled(t, p))
			got := play(p.TextParser(), raw, 3, false)
			if diff := cmp.Diff([]messageCall{{Name: name, Arguments: map[string]any{}}}, got.Calls); diff != "" {
				t.Errorf("%s: %q\n%s", d.Key, raw, diff)
			}
		}
	}
}

func TestNames_mayBeWrittenInEscapes(t *testing.T) {
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Tools: []Tool{{Name: "für_öl"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{`<tool_call>{"name": "f\u00fcr_\u00f6l", "arguments": {}}</tool_call>`, `{"name": "f\u00fcr_\u00f6l", "arguments": {}}`} {
		if got := play(p.TextParser(), raw, 1, false); len(got.Calls) != 1 {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

// Another spelling means a tool where it can mean no other one.
func TestNames_foundOnlyWhereTheyMeanOne(t *testing.T) {
	for name, want := range map[string]string{
		"search": "search", "tools.search": "tools.search", // both are declared
		"functions.tools.search": "tools.search", "functions.search": "search", "Functions.Search": "search", "FUNCTIONS.tools.Search": "",
		"get-weather": "get_weather", "GetWeather": "get_weather", "functions.Get.Weather:0": "get_weather", `"get_weather"`: "get_weather", "default_api.get_weather": "get_weather",
		// read_file or read-file
		"readFile": "", "read_file": "read_file", "read-file": "read-file", "functions.read.file": "",
		"": "", "functions.": "", ":0": "", "get_weathe": "", "weather": "",
	} {
		var n declared.Names
		declared := []string{"search", "tools.search", "get_weather", "read_file", "read-file"}
		for i, d := range declared {
			n.Add(d, i)
		}
		got := ""
		if m, ok := n.Find(name); ok {
			got = declared[m.Tool]
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// Namespaces may make names alike; each tool can be called all the same, and its call comes back
// with its own namespace and name.
func TestNames_alikeOnceTheyAreFlatAreKeptApart(t *testing.T) {
	declared := []Tool{
		{Namespace: "a__b", Name: "c"}, {Namespace: "a", Name: "b__c"}, {Namespace: "get", Name: "get_x"}, {Name: "get_x"}, {Namespace: "files", Name: "note"}, {Name: "note"},
		{Namespace: "mcp.x.", Name: "y"}, {Namespace: strings.Repeat("s", 200), Name: strings.Repeat("n", 200)},
	}
	for _, d := range Families() {
		p, err := d.Plan(Turn{Tools: declared, Choice: Choice{Mode: Required}})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, shown := range p.Tools() {
			if seen[shown.Name] || declared[i].Namespace == "" && shown.Name != declared[i].Name {
				t.Errorf("%+v is shown as %q", declared[i], shown.Name)
			}
			seen[shown.Name] = true
		}
	}
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Tools: declared, Parallel: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, shown := range p.Tools() {
		for _, e := range p.TextParser().Token([]byte(`<tool_call>{"name": "`+shown.Name+`", "arguments": {}}</tool_call>`), false) {
			if c := e.Call; e.Kind == CallEnd && (c.Namespace != declared[i].Namespace || c.Name != declared[i].Name) {
				t.Errorf("%q is the call of %q %q, want %+v", shown.Name, c.Namespace, c.Name, declared[i])
			}
		}
	}
}

func TestChoice_namesOneToolEachOrIsRefused(t *testing.T) {
	declared := []Tool{{Namespace: "files", Name: "note"}, {Name: "note"}, {Namespace: "web", Name: "find"}, {Name: "get_weather"}}
	d, _ := Lookup("hermes")
	for name, want := range map[string]string{"note": "note", "files__note": "files__note", "find": "web__find", "Get-Weather": "", "nothing": ""} {
		for _, mode := range []Mode{Auto, Required} {
			p, err := d.Plan(Turn{Tools: declared, Choice: Choice{Mode: mode, Names: []string{name}}})
			switch {
			case want == "" && err == nil:
				t.Errorf("%q is accepted", name)
			case want != "" && (err != nil || len(p.core.Called) != 1 || p.core.Called[0] != want):
				t.Errorf("%q: %v, callable %v", name, err, p.core.Called)
			}
		}
	}
}

// Under its grammar a turn tells any name and any key, be they another's markup: nothing in them
// is escaped, quoted or cut.
func TestNames_andKeysOfAnyTextComeBackUnderTheMask(t *testing.T) {
	odd := []string{`a"b'`, "a\nb", "x>y=z", "</tool_call>", "<|im_end|>", "{(,:)}", `a\b`, "</parameter>", `<|"|>`, "null", "a\x00b"}
	for i, d := range Families() {
		for k, text := range odd {
			if (i+k)%6 > 0 && os.Getenv("TENON_ALL") == "" {
				continue
			}
			key := ordered.String(text)
			schema := `{"type":"object","properties":{` + key + `:{"type":"integer"}},"required":[` + key + `],"additionalProperties":false}`
			p, err := d.Plan(Turn{Tools: []Tool{{Name: text, Parameters: json.RawMessage(schema)}}, Choice: Choice{Mode: Required}})
			if err != nil {
				t.Fatal(err)
			}
			raw := shortest(t, compiled(t, p))
			got := play(p.Parser(), raw, 1, false)
			if len(got.Calls) == 1 && got.Calls[0].Name == text {
				if args, ok := got.Calls[0].Arguments.(map[string]any); ok && len(args) == 1 && args[text] != nil {
					continue
				}
			}
			t.Errorf("%s: %q gives %+v", d.Key, raw, got)
		}
	}
}
