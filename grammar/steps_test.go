package grammar

import (
	"fmt"
	"iter"
	"strings"
	"testing"
)

// stepGrammars are some whose masks take several steps, each of another kind: many threads, a
// search in a string, any text, elements that must differ, keys of patterns.
func stepGrammars() map[string][2]string {
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, `| %%regex "[a-z ]{0,%d}x" `, i+3)
	}
	return map[string][2]string{
		"many readings":     {`root ::= "" ` + many.String(), "the wax x"},
		"a search":          {`root ::= %json{"type":"string","pattern":"(needle|haystack|straw)[a-z]+(one|two|three)"}`, `"a straw in the haystacktwo`},
		"a bound":           {`root ::= %json{"type":"string","pattern":"^[A-Z].*[a-z]$","maxLength":40}`, `"Some text of some`},
		"any text":          {`root ::= %until("<end of it>") "<end of it>"`, "some <end text"},
		"keys":              {`root ::= %json{"patternProperties":{"^x-[a-z]+$":{"type":"integer"},"^[A-Z]":{"type":"string"}},"additionalProperties":{"type":"null"}}`, `{"x-abc": 12, "Abc": "d", "e": null`},
		"keys that overlap": {`root ::= %json{"patternProperties":{"netdir_(work|share)":{"const":1},"netdrv_([a-z]+)":{"const":2},"net_[a-z]+[0-9]+":{"const":3}}}`, `{"net_abc1":3,"ne`},
		"other elements":    {`root ::= %json{"type":"array","items":{"type":"string","pattern":"^[a-z ]*$"},"uniqueItems":true}`, `["one", "two", "thr`},
	}
}

// TestMaskInSteps_othersGoOnBetween: matchers of one grammar whose masks are computed in steps, by
// turns, have the masks that they have alone; and no step is long.
func TestMaskInSteps_othersGoOnBetween(t *testing.T) {
	v, tok := realVocab(t)
	for name, c := range stepGrammars() {
		t.Run(name, func(t *testing.T) {
			alone := mustParse(t, c[0])
			shared := mustParse(t, c[0]+"\n") // not the same one
			tokens := tok.Tokenize([]byte(c[1]))
			var want []Mask
			m := alone.Matcher(v)
			for _, id := range append(tokens, -1) {
				want = append(want, m.Mask())
				if id >= 0 && m.Accept(id) != nil {
					t.Fatalf("%q is refused", v.Piece(id))
				}
			}
			const matchers = 4
			nodes, steps, masks := int64(0), 0, 0
			var all []func() (string, bool)
			for i := range matchers {
				masks += len(want) - i
				next, stop := iter.Pull(inSteps(shared.Matcher(v), tokens, want, i))
				defer stop()
				all = append(all, next)
			}
			for len(all) > 0 {
				for i := 0; i < len(all); i++ {
					fault, more := all[i]()
					if fault != "" {
						t.Fatal(fault)
					}
					after := shared.Matcher(v).Effort().Nodes
					if after-nodes > 1<<15 {
						t.Errorf("a step of %d nodes", after-nodes)
					}
					nodes = after
					steps++
					if !more {
						all = append(all[:i], all[i+1:]...)
					}
				}
			}
			if steps <= masks {
				t.Errorf("%d masks in %d steps: nothing was tested", masks, steps)
			}
		})
	}
}

// inSteps takes a text's tokens in steps, from the i-th on, and compares the masks on the way. It
// yields after each step; what it yields is an error's text, or "".
func inSteps(m *Matcher, tokens []int32, want []Mask, i int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, id := range tokens[:min(i, len(tokens))] {
			_ = m.Accept(id) // it was accepted before
		}
		for ; i < len(want); i++ {
			got := m.MaskInSteps(func() { yield("") })
			for id := range int32(m.v.Len()) {
				if got.Allows(id) != want[i].Allows(id) {
					yield(fmt.Sprintf("before token %d the mask says %v of %q", i, got.Allows(id), m.v.Piece(id)))
					return
				}
			}
			if i < len(tokens) && m.Accept(tokens[i]) != nil {
				yield(fmt.Sprintf("token %d is refused", i))
				return
			}
			if !yield("") {
				return
			}
		}
	}
}
