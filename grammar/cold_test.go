package grammar

import (
	"slices"
	"testing"
	"time"

	"tenon/grammar/grammartest"
)

// coldMasks are places in the middle of a text whose masks cost most, by cause.
var coldMasks = []struct{ name, schema, before string }{
	{"value", `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}}}`, `{"n":`},
	{"number", `{"type":"object","properties":{"n":{"type":"number"},"s":{"type":"string"}}}`, `{"n":12`},
	{"bounded number", `{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":65535}}}`, `{"n":80`},
	{"array element", `{"items":{"type":["number","string"]}}`, `[1,"a",`},
	{"first key", `{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"number"}}}`, `{"`},
	{"later key", `{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"number"}}}`, `{"size":2,"`},
	{"inside a named key", `{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"number"}}}`, `{"size":2,"na`},
	{"key of a pattern", `{"type":"object","patternProperties":{"^x-":{},"^[a-z]+$":{"type":"number"}}}`, `{"`},
	{"format date-time", `{"items":{"type":"string","format":"date-time"}}`, `["`},
	{"format email", `{"items":{"type":"string","format":"email"}}`, `["`},
	{"format uri", `{"items":{"type":"string","format":"uri"}}`, `["http`},
	{"format regex", `{"items":{"type":"string","format":"regex"}}`, `["`},
	{"pattern", `{"items":{"type":"string","pattern":"^[a-zA-Z][a-zA-Z0-9_-]*$"}}`, `["`},
	{"pattern found anywhere", `{"items":{"type":"string","pattern":"[0-9]{3}x"}}`, `["a`},
	{"bounded", `{"items":{"type":"string","minLength":1,"maxLength":1000}}`, `["a`},
	{"bounded pattern", `{"items":{"type":"string","pattern":"^[A-Z]{3}$","maxLength":3}}`, `["`},
	{"bounded pattern found anywhere", `{"items":{"type":"string","pattern":"\\S","maxLength":255}}`, `["`},
	{"long bounded pattern", `{"items":{"type":"string","pattern":"^.*[a-z]+.*$","minLength":1,"maxLength":1000}}`, `["`},
	{"exact length", `{"items":{"type":"string","pattern":"^[a-zA-Z0-9]{3}$","minLength":3,"maxLength":3}}`, `["`},
	{"exact length of any", `{"items":{"type":"string","pattern":"^[0-9a-f]*$","minLength":32,"maxLength":32}}`, `["b026`},
	{"groups of letters", `{"items":{"type":"string","pattern":"^[0-9A-Za-z]{8}-[0-9A-Za-z]{4}$"}}`, `["a`},
	{"hexadecimal digits", `{"items":{"type":"string","pattern":"^[0-9a-f]{8}(-[0-9a-f]{4})*$"}}`, `["0`},
	{"words of letters and marks", `{"items":{"type":"string","pattern":"^[A-Z]?[a-m]+( [a-zé]+)*\\.$"}}`, `["`},
	{"one of two found anywhere", `{"items":{"oneOf":[{"pattern":"APPROVER"},{"pattern":"SIGNER"}],"type":"string"}}`, `["APP`},
	{"never found", `{"items":{"type":"string","pattern":"^((?!(c|C)lyde).)*$"}}`, `["cl`},
	{"few words", `{"items":{"type":"string","pattern":"^$|(^(?:\\S+\\s+){0,9}\\S+$)","maxLength":500}}`, `["a b `},
	{"keys of patterns that overlap", `{"patternProperties":{"netdir_(work|home)":{"const":1},"netdrv_[a-z]+":{"const":2},"^x":{}}}`, `{"netd`},
	{"any two letters", `{"items":{"type":"string","pattern":"^..$"}}`, `["`},
	{"keys of at most two letters", `{"properties":{"a":{"type":"integer"},"b":{"const":null}},"propertyNames":{"maxLength":2}}`, `{"`},
	{"not an enum", `{"items":{"type":"string","not":{"enum":["alpha","beta","gamma"]}}}`, `["`},
}

// TestMask_ofARealVocabularyEqualsMatchingTokenByToken compares these masks with what reading each
// token byte by byte says. By default it looks at every eighth token, in each mask at others.
func TestMask_ofARealVocabularyEqualsMatchingTokenByToken(t *testing.T) {
	v, tok := realVocab(t)
	step := int32(grammartest.Sample(8, 1))
	for i, c := range coldMasks {
		if c.name == "format regex" {
			continue // takes a second, and adds nothing
		}
		g, err := FromSchema([]byte(c.schema), SchemaOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m := g.Matcher(v)
		for _, id := range tok.Tokenize([]byte(c.before)) {
			if err := m.Accept(id); err != nil {
				t.Fatal(err)
			}
		}
		mask := m.Mask()
		for id := int32(i) % step; int(id) < v.Len(); id += step {
			if want := m.Allowed(id); mask.Allows(id) != want {
				t.Errorf("%s: token %d %q: mask says %v, matching says %v", c.name, id, v.Piece(id), mask.Allows(id), want)
				break
			}
		}
	}
}

// BenchmarkMask_cold gives the median time of one mask on a grammar that has only read what is
// before it; nodes counts what was visited of the vocabulary.
func BenchmarkMask_cold(b *testing.B) {
	v, tok := realVocab(b)
	for _, c := range coldMasks {
		b.Run(c.name, func(b *testing.B) {
			tokens := tok.Tokenize([]byte(c.before))
			var took []time.Duration
			var nodes int64
			for b.Loop() {
				DropCaches()
				g, err := FromSchema([]byte(c.schema), SchemaOptions{})
				if err != nil {
					b.Fatal(err)
				}
				m := g.Matcher(v)
				for _, id := range tokens {
					if err := m.Accept(id); err != nil {
						b.Fatal(err)
					}
				}
				before := m.Effort()
				start := time.Now()
				m.Mask()
				took = append(took, time.Since(start))
				nodes = m.Effort().Nodes - before.Nodes
			}
			b.ReportMetric(0, "ns/op")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "us/mask")
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}
