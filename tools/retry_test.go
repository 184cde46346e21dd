package tools

import (
	"encoding/json"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"tenon/grammar"
)

// bytewise is an output whose tokens are bytes.
func bytewise(text []byte) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		for i := range text {
			if !yield(text[i:i+1], false) {
				return
			}
		}
	}
}

// toMark takes random allowed tokens up to the next %check mark, at length the shortest way; false
// if there is none.
func toMark(t *testing.T, m *grammar.Matcher, out []byte, r *rand.Rand) ([]byte, bool) {
	t.Helper()
	for n := 0; ; n++ {
		if n > 0 && m.AtCheck() {
			return out, true
		}
		allowed := m.Mask()
		if n > 60 {
			allowed = m.MaskWithin(1)
		}
		token := pick(allowed, r)
		if token < 0 || token == 256 || n > 4000 {
			return out, false
		}
		if err := m.Accept(token); err != nil {
			t.Fatalf("%q was allowed after %q: %v", byte(token), out, err)
		}
		out = append(out, byte(token))
	}
}

func required(t *testing.T, d *Dialect, schema string) *Plan {
	t.Helper()
	tool := Tool{Name: "book", Parameters: json.RawMessage(schema)}
	p, err := d.Plan(Turn{Tools: []Tool{tool}, Choice: Choice{Mode: Required}, Thinking: Thinking{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// writeAnew plays the engine: it writes the call to its mark and, while it is at fault, again
// under the narrower grammar, which it must obey from what is kept on. It returns what was wrong
// at each try.
func writeAnew(t *testing.T, p *Plan, tries int, r *rand.Rand) (faults []*Fault, last []byte) {
	t.Helper()
	v := byteVocab(t)
	text := p.Grammar()
	var keep []byte
	for try := range tries {
		g, err := grammar.Parse(text, grammar.Options{Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		m := g.Matcher(v)
		if err := m.AcceptBytes(keep); err != nil {
			t.Fatalf("%s: what is kept, %q: %v", p.core.Dialect.Key, keep, err)
		}
		out, marked := toMark(t, m, append([]byte{}, keep...), r)
		last = out
		if !marked {
			t.Fatalf("%s: no mark after %q", p.core.Dialect.Key, out)
		}
		f := p.CheckCall(bytewise(out))
		if f == nil {
			return faults, last
		}
		faults = append(faults, f)
		from, ok := f.From(try)
		if !ok {
			t.Fatalf("%s: the fault of %q is nowhere: %v", p.core.Dialect.Key, out, f.Err)
		}
		if text, ok = p.RetryGrammar(faults, bytewise(out), from); !ok {
			t.Fatalf("%s: nothing to steer away from %q with", p.core.Dialect.Key, out)
		}
		keep = out[:from]
	}
	return append(faults, nil), last
}

// What a mask cannot say at all: the tried value is excluded, and each try goes further back. It
// stays a guess.
func TestNarrow_neverTriesTheSameValueTwice(t *testing.T) {
	const schema = `{"type":"object","properties":{"city":{"type":"string","maxLength":9},"code":{"type":"string","maxLength":9,"pattern":"^(a|b)\\1$"}},
		"required":["city","code"],"additionalProperties":false}`
	for _, d := range Families() {
		p := required(t, d, schema)
		if !strings.Contains(p.Grammar(), "%check") {
			t.Errorf("%s: no check", d.Key)
			continue
		}
		faults, _ := writeAnew(t, p, 3, rand.New(rand.NewPCG(5, 7)))
		seen := map[string]bool{}
		for _, f := range faults {
			if f == nil || len(f.Places) == 0 {
				continue
			}
			if value := string(f.Places[0].Value); seen[value] {
				t.Errorf("%s: %s came again", d.Key, value)
			} else {
				seen[value] = true
			}
		}
	}
}

// The value that is excluded may lie in an array in an object. What names the schemas of its
// first elements is another word in older drafts.
func TestNarrow_insideAnArgument(t *testing.T) {
	for _, draft := range []string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`} {
		schema := `{` + draft + `"type":"object","properties":{"at":{"type":"object","properties":{"codes":{"type":"array","minItems":1,"maxItems":1,
			"items":{"type":"string","maxLength":9,"pattern":"^(a|b)\\1$"}}},"required":["codes"],"additionalProperties":false}},"required":["at"],"additionalProperties":false}`
		for _, name := range []string{"hermes", "glm-4.5", "qwen3-coder"} {
			d, _ := Lookup(name)
			faults, last := writeAnew(t, required(t, d, schema), 3, rand.New(rand.NewPCG(5, 7)))
			if len(faults) < 2 || faults[0] == nil || faults[1] != nil && string(faults[0].Places[0].Value) == string(faults[1].Places[0].Value) {
				t.Errorf("%s: %d faults, at last %q", name, len(faults), last)
			}
		}
	}
}

// What a mask can say of an argument by itself holds from the first rewind on, in every family.
func TestNarrow_whatCanBeSaidHoldsAtOnce(t *testing.T) {
	const schema = `{"type":"object","properties":{"kind":{"enum":["x","y"]},"code":{"type":"string","pattern":"^[a-z]{3}-[0-9]$"}},
		"required":["kind","code"],"additionalProperties":false}`
	for _, d := range Families() {
		p := required(t, d, schema)
		if !strings.Contains(p.Grammar(), "%check") {
			continue
		}
		faults, last := writeAnew(t, p, 3, rand.New(rand.NewPCG(5, 7)))
		if len(faults) > 1 { // none: the mask enforced it from the beginning
			t.Errorf("%s: %d faults, at last %q", d.Key, len(faults), last)
		}
	}
}

// A call made of a part of the schema that counts only beside another argument is mended by that
// part.
func TestNarrow_conditionHoldsAtItsPlace(t *testing.T) {
	const schema = `{"type":"object","properties":{"kind":{"enum":["zip"]},"code":{"type":"string"}},"required":["kind","code"],"additionalProperties":false,
		"if":{"properties":{"kind":{"const":"zip"}}},"then":{"properties":{"code":{"pattern":"^[0-9]{5}$"}}}}`
	for _, name := range []string{"qwen3-coder", "glm-4.5", "minimax-m3"} {
		d, ok := Lookup(name)
		if !ok {
			t.Fatalf("no family %q", name)
		}
		faults, last := writeAnew(t, required(t, d, schema), 3, rand.New(rand.NewPCG(5, 7)))
		if len(faults) != 1 || faults[0] == nil {
			t.Errorf("%s: %d faults, at last %q", name, len(faults), last)
		}
	}
}

func TestJudge_validCallsAndNone(t *testing.T) {
	d, _ := Lookup("hermes")
	p := required(t, d, `{"type":"object","properties":{"code":{"type":"string","pattern":"^(a|b)\\1$"}}}`)
	for text, fault := range map[string]string{
		``: "",
		`<tool_call>{"name": "book", "arguments": {"code": "aa"}`: "",
		`<tool_call>{"name": "book", "arguments": {}`:             "",
		`<tool_call>{"name": "book", "arguments": {"code": "ab"}`: "/code",
	} {
		f := p.CheckCall(bytewise([]byte(text)))
		if got := f != nil; got != (fault != "") || f != nil && !strings.Contains(f.Err.Error(), fault) {
			t.Errorf("%q: %+v, want %q", text, f, fault)
		}
	}
}
