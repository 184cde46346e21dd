package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
	"tenon/tools/ordered"
)

// tokensOf are the markers of a family that a vocabulary may have: those that hold no other one.
// Where a name stands in a tag, that cannot be one, and the tags inside of calls are none.
func tokensOf(d *Dialect) (all []string) {
	c, tagged := d.Syntaxes[0].(format.Tagged)
	for _, m := range d.AllMarkers() {
		holds := slices.ContainsFunc(d.AllMarkers(), func(o format.Marker) bool { return o.Text != m.Text && strings.Contains(m.Text, o.Text) })
		if !holds && m.TagEnd == "" && !(tagged && !c.NameFirst && d.InnerMarkers()[m.Text]) {
			all = append(all, m.Text)
		}
	}
	return all
}

// spellingTokens feeds a text in which tokens come as symbols, but for the values at its stands,
// which come letter by letter.
func spellingTokens(q Parser, text string, tokens []string, values ...string) message {
	var all []Event
	for text != "" {
		n, symbol := 1, false
		for _, s := range tokens {
			if strings.HasPrefix(text, s) && (!symbol || len(s) > n) {
				n, symbol = len(s), true
			}
		}
		if stands.MatchString(text[:min(4, len(text))]) {
			all = append(all, feed(q, values[text[3]-'0'], 1)...)
			text = text[4:]
			continue
		}
		all = append(all, q.Token([]byte(text[:n]), symbol)...)
		text = text[n:]
	}
	return collect(append(all, q.Close(false)...), q)
}

// A tag that ordinary tokens spell, where the vocabulary has a token for it, is text: inside of
// calls too, whatever it would close.
func TestSpelt_tagsThatHaveTokensAreDataInCalls(t *testing.T) {
	n := 0
	for _, family := range Families() {
		tokens := tokensOf(family)
		d := &Dialect{family.With(tokens)}
		p := hostilePlan(t, d)
		own := d.Call.Close + d.Section.Close
		values := append([]string{own, "a" + own + " b", own + "\n" + own}, tokens...)
		if tg, ok := tagsOf(d); ok && len(tokens) > 0 && slices.Contains(tokens, tg.valueEnd) {
			values = append(values, "ends"+tg.valueEnd+tg.end+" as said", tg.valueEnd+tg.key+"path"+tg.value+"x", tg.call(d, "bash", "command", "ls"))
		}
		for _, f := range formsOf(t, family) {
			for _, v := range values {
				written := v
				if strings.Contains(f.text, `"QZQ0"`) {
					written = strings.Trim(ordered.String(v), `"`)
				}
				n++
				got := spellingTokens(p.SymbolParser(), f.text, tokens, written, "x")
				if want := meant(t, f, []string{v, "x"}); len(got.Calls) != 1 || !cmp.Equal(got.Calls[0], want) {
					t.Errorf("%s: %q in %q gives %v, text %q", d.Key, v, f.text, got.Calls, deref(got.Content))
				}
			}
		}
	}
	if n < 2000 {
		t.Errorf("only %d values were tried", n)
	}
}
