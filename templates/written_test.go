package templates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inBrackets writes calls as a family might.
func inBrackets(calls []Call) []Written {
	out := []Written{{"<|call|>", true}}
	for _, c := range calls {
		out = append(out, Written{c.Name + c.Arguments, false})
	}
	return append(out, Written{"<|end|>", true})
}

// A template that declares tools and passes results on, but shows no calls.
const silent = `{%- if tools %}<|tools|>{{ tools|tojson }}{% endif %}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

func TestWritten_callsStandInTheTextOfTheirTurn(t *testing.T) {
	markers := []string{"<|tools|>", "<|call|>", "<|end|>", "<|user|>", "<|assistant|>", "<|tool|>"}
	o := Options{Markers: markers, CallWriter: func(Probe) WriteCalls { return inBrackets }}
	tm, err := Parse(silent, o)
	if err != nil {
		t.Fatal(err)
	}
	if p := tm.Probe(); !p.Written || p.Native() {
		t.Errorf("written %v, native %v", p.Written, p.Native())
	}
	c := Conversation{Tools: []Tool{weather}, Messages: []Message{hi,
		{Role: Assistant, Text: "Let me see.", Calls: []Call{{ID: "a", Name: "f<|end|>", Arguments: `{"x":1}`}, {ID: "b", Name: "g", Arguments: `{"y"`}}}, answer("b", "2"), answer("a", "1")}}
	r, err := tm.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	if want := `<|user|>hi<|assistant|>Let me see.<|call|>f<|end|>{"x":1}g{}<|end|><|tool|>1<|tool|>2<|assistant|>`; !strings.HasSuffix(r.String(), want) || r.Protocol != Native {
		t.Errorf("%s: %s", r.Protocol, r)
	}
	var written []string
	for _, s := range r.Segments {
		if s.Kind == Marker {
			written = append(written, s.Text)
		}
	}
	want := []string{"<|tools|>", "<|user|>", "<|assistant|>", "<|call|>", "<|end|>", "<|tool|>", "<|tool|>", "<|assistant|>"}
	if diff := cmp.Diff(want, written); diff != "" {
		t.Errorf("markers, of which a call's name is none: %s", diff)
	}
	if got := notes(r.Heals); !strings.HasSuffix(got, "write-calls@1") {
		t.Error(got)
	}
	c.Protocol = JSON
	if r, err = tm.Render(c); err != nil || r.Protocol != JSON || strings.Contains(r.String(), "<|call|>") {
		t.Errorf("asked for JSON: %v, %s: %s", err, r.Protocol, r)
	}
}

func TestWritten_notWhereNobodyKnowsHow(t *testing.T) {
	tm, err := Parse(silent, Options{CallWriter: func(Probe) WriteCalls { return nil }})
	if err != nil || tm.Probe().Written {
		t.Fatalf("%v, written %v", err, tm.Probe().Written)
	}
	r, err := tm.Render(Conversation{Tools: []Tool{weather}, Messages: []Message{hi}})
	if err != nil || r.Protocol != JSON {
		t.Errorf("%v, %s", err, r.Protocol)
	}
}

// The two of the corpus that are so.
func TestWritten_corpus(t *testing.T) {
	for _, name := range []string{"LFM2-8B-A1B", "ibm-granite-granite-3.3-2B-Instruct"} {
		source, err := os.ReadFile(filepath.Join(sharedTemplates, name+".jinja"))
		if err != nil {
			t.Skipf("%v", err)
		}
		tm, err := Parse(string(source), Options{CallWriter: func(Probe) WriteCalls { return inBrackets }})
		if err != nil || !tm.Probe().Written {
			t.Errorf("%s: %v, written %v", name, err, tm.Probe().Written)
			continue
		}
		turns := echo()
		r, err := tm.Render(turns[len(turns)-1])
		if err != nil || r.Protocol != Native || !strings.Contains(r.String(), `<|call|>get_weather{"city": "Rome"}<|end|>`) {
			t.Errorf("%s: %v, %s: %s", name, err, r.Protocol, r)
		}
	}
}
