package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

const (
	// the step of the sample of schemas whose instances are cut, or changed
	followEvery   = 211
	followCuts    = 40 // of a spelling of an instance
	followTexts   = 2  // spellings of the instances of a schema
	changedEach   = 40 // changes of an instance
	changedAtMost = 4  // instances of a schema
)

// TestMask_ofMaskBenchHoldsWhatInstancesGoOnWith: wherever a spelling of a valid instance is cut,
// all tokens that the rest begins with are allowed, not only that into which a tokenizer would cut
// it.
func TestMask_ofMaskBenchHoldsWhatInstancesGoOnWith(t *testing.T) {
	v := randomRealVocab(t)
	tokens := 0
	grammartest.Schemas(t, followEvery, func(s grammartest.Case) {
		DropCaches()
		g, err := FromSchema(s.Schema, SchemaOptions{})
		if err != nil {
			return
		}
		c := &maskCase{Case: s, v: v, rng: randOf(t, s.Name)}
		for _, text := range c.spelled() {
			for range min(followCuts, len(text)) {
				at := c.rng.IntN(len(text))
				m := g.Matcher(v.Vocab)
				if err := m.AcceptBytes(text[:at]); err != nil {
					c.fail(t, "%q is refused: %v", text[:at], err)
					return
				}
				mask := m.Mask()
				for _, id := range v.beginning(text[at:]) {
					if tokens++; !mask.Allows(id) {
						c.fail(t, "after %q token %d %q is refused, and %q follows", text[:at], id, v.Piece(id), text[at:])
					}
				}
			}
		}
	})
	t.Logf("%s: %d tokens", v.name, tokens)
}

// spelled are some spellings of some valid instances.
func (c *maskCase) spelled() (list [][]byte) {
	for _, i := range c.rng.Perm(len(c.Tests)) {
		for _, s := range spellings(c.rng, wholeIsInteger(c.Schema)) {
			if c.Tests[i].Valid && len(list) < followTexts {
				list = append(list, []byte(s.Spell(c.Tests[i].Data)))
			}
		}
	}
	return list
}

// beginning lists the tokens that a text begins with.
func (v *sortedVocab) beginning(text []byte) (ids []int32) {
	for n := 1; n <= min(len(text), 64); n++ {
		i, _ := slices.BinarySearchFunc(v.order, text[:n], func(id int32, text []byte) int { return bytes.Compare(v.Piece(id), text) })
		for ; i < len(v.order) && bytes.Equal(v.Piece(v.order[i]), text[:n]); i++ {
			ids = append(ids, v.order[i])
		}
	}
	return ids
}

// TestMatcher_ofMaskBenchAgreesWithTheOracleOnChangedInstances: a token is put anywhere into an
// instance, and what becomes of it is accepted where an independent validator finds it valid, and
// nowhere else.
func TestMatcher_ofMaskBenchAgreesWithTheOracleOnChangedInstances(t *testing.T) {
	v := randomRealVocab(t)
	var n struct{ schemas, changed, valid int }
	grammartest.Schemas(t, followEvery, func(s grammartest.Case) {
		DropCaches()
		g, err := FromSchema(s.Schema, SchemaOptions{})
		var unsat *schema.UnsatError
		c := &maskCase{Case: s, v: v, rng: randOf(t, s.Name), judge: grammartest.Oracle(t, s.Schema)}
		if c.judge == nil || err != nil && !errors.As(err, &unsat) {
			return
		}
		n.schemas++
		for _, i := range c.rng.Perm(len(c.Tests))[:min(len(c.Tests), changedAtMost)] {
			for range changedEach {
				text := c.change(spelling{}.Spell(c.Tests[i].Data))
				valid, certain := c.verdict(text)
				if !certain {
					continue
				}
				if n.changed++; valid {
					n.valid++
				}
				if accepted := g != nil && accepts(g, text); accepted != valid {
					c.fail(t, "%s\nis accepted: %v, valid: %v", text, accepted, valid)
					return
				}
			}
		}
	})
	t.Logf("%s: %+v", v.name, n)
}

// change puts a token or a byte into a text, between others or in the place of some, or takes some
// out.
func (c *maskCase) change(text string) string {
	token := string(c.v.Piece(int32(c.rng.IntN(c.v.Len()))))
	if c.rng.IntN(2) == 0 {
		const marks = `{}[]",:0123456789-.eEtrufalsn \x/`
		i := c.rng.IntN(len(marks))
		token = marks[i : i+1]
	}
	from := c.rng.IntN(len(text) + 1)
	to := from
	switch c.rng.IntN(4) {
	case 0:
		to += len(token)
	case 1:
		to++
	case 2:
		to, token = to+1+c.rng.IntN(4), ""
	}
	return text[:from] + token + text[min(to, len(text)):]
}

var (
	// doubtful are texts with halves of characters, numbers that are too long for one of those
	// who judge, and those with an exponent, which is admitted only where no keyword restricts
	// them.
	doubtful = regexp.MustCompile(`\d[eE][-+]?\d|\d{900}|(?i:\\ud[89a-f])`)
	// wholeNumber is what some drafts take to be an integer and others do not.
	wholeNumber = regexp.MustCompile(`\d(\.0+\b|[eE])`)
)

// verdict says whether a text is valid, and whether that is beyond doubt.
func (c *maskCase) verdict(text string) (valid, certain bool) {
	if !utf8.ValidString(text) || doubtful.MatchString(text) || !wholeIsInteger(c.Schema) && wholeNumber.MatchString(text) {
		return false, false
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return false, true
	}
	return c.judge.Validate(value) == nil, !keyTwice(json.NewDecoder(bytes.NewReader([]byte(text))))
}

// keyTwice says whether some object has a key twice: the validator sees the last only.
func keyTwice(d *json.Decoder) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch token {
	case json.Delim('['):
		for d.More() {
			if keyTwice(d) {
				return true
			}
		}
	case json.Delim('{'):
		keys := map[json.Token]bool{}
		for d.More() {
			key, err := d.Token()
			if err != nil || keys[key] || keyTwice(d) {
				return true
			}
			keys[key] = true
		}
	default:
		return false
	}
	_, err = d.Token() // its end
	return err != nil
}
