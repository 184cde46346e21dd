package tools

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tenon/tools/format"
	"tenon/tools/parse"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// heldBack feeds text byte by byte and returns the most bytes that were kept back at any time, and
// where.
func heldBack(p Parser, text string) (most, at int) {
	sent := 0
	for i := range len(text) {
		for _, e := range p.Token([]byte{text[i]}, false) {
			sent += len(e.Text)
		}
		if kept := i + 1 - sent; kept > most {
			most, at = kept, i
		}
	}
	return most, at
}

// Property 5 of issue 6, for both parsers and every family: of text that holds no call never more
// is kept back than the longest marker has bytes, or the name of a tool and the marker behind it,
// though all that families write as markers is in it in halves.
func TestHoldback_ofTextIsAMarkerAtMost(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{Off: true})
		text := "Some words"
		for _, m := range d.Markers() {
			half := m[:len(m)-1]
			removed := slices.ContainsFunc(d.Markers(), func(o string) bool { return strings.Contains(half, o) })
			if half != "" && !removed && !strings.ContainsAny(half[:1], "{[`") && d.Lead == "" {
				text += " and " + half + " so"
			}
		}
		text += ", more words, <b>tags</b>, a<b, x>y, // comment, 3 < 4 & 5.\n\n\n  indented\tü 日本 🙂 end"
		texts := []string{text}
		for _, h := range p.reading.Unopened {
			begun := "Some words"
			for _, m := range slices.Concat(h.Marks, []string{"::"}) {
				begun += ", " + h.Prefixes[0] + "get_weather" + m[:len(m)-1] + " " + h.Prefixes[len(h.Prefixes)-1] + "get_weath"
			}
			texts = append(texts, begun+" and more words")
		}
		limit := max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold) + utf8.UTFMax
		for _, text := range texts {
			if most, at := heldBack(p.TextParser(), text); most > limit {
				t.Errorf("%s: %d bytes of %q are kept back, %d may be", d.Key, most, text[:at+1], limit)
			}
		}
	}
}

// What is bare JSON waits from its first byte until it is decided: an undeclared name, a key that
// no call has, the end of the object, at most 64 kB.
func TestHoldback_ofBareJSONUntilItIsDecided(t *testing.T) {
	d, _ := Lookup("hermes")
	long := strings.Repeat("a", scan.MaxNamed+1000)
	for name, c := range map[string]struct {
		text    string
		decided int // bytes that may be kept back
	}{
		"no object":          {"[1, 2, 3] and {} and {a}", 16},
		"an undeclared name": {`{"name": "Alice", "arguments": {"city": "` + long + `"}}`, len(`{"name": "Alice",`) + 1},
		"a key no call has":  {`{"age": 3, "name": "get_weather", "city": "` + long, len(`{"age":`) + 1},
		"too long":           {`{"name": "get_weather", "arguments": {"city": "` + long + `"}}`, scan.MaxNamed + 1},
		"too long, fenced":   {"```json\n" + `{"name": "get_weather", "arguments": {"city": "` + long + "\"}}\n```", scan.MaxNamed + len("```json\n") + 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := planFor(t, d, Thinking{})
			most, at := heldBack(p.TextParser(), "So:\n"+c.text)
			if most > c.decided+parse.MinHold {
				t.Errorf("%d bytes are kept back at %d, %d may be", most, at, c.decided)
			}
			if got := play(p.TextParser(), "So:\n"+c.text, 0, false); deref(got.Content) != "So:\n"+c.text || len(got.Calls) > 0 {
				t.Errorf("%d calls, content of %d bytes", len(got.Calls), len(deref(got.Content)))
			}
		})
	}
	within := `{"name": "get_weather", "arguments": {"city": "` + long[:scan.MaxBare/2] + `"}}`
	if got := play(planFor(t, d, Thinking{}).TextParser(), within, 0, false); len(got.Calls) != 1 {
		t.Error("a bare call of 32 kB is none")
	}
}

// Under the grammar text leaves as soon.
func TestHoldback_underTheGrammar(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{Off: true})
		if d.Headers != nil || len(d.Labels) > 0 || d.Lead != "" {
			continue // text stands behind a head of its own
		}
		text := "Some words, more words, a tag <b>x</b> and a < b so that the text goes on for a while and ends here"
		q := p.Parser()
		most, at := heldBack(q, text)
		if limit := max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold) + utf8.UTFMax; most > limit || q.(*parse.Constrained).Rest != nil {
			t.Errorf("%s: %d bytes of %q are kept back, %d may be", d.Key, most, text[:at+1], limit)
		}
	}
}

// Behind a marker that opens calls, text that names no tool leaves as soon: at its second word.
func TestHoldback_ofProseBehindAnOpener(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{Off: true})
		for _, m := range d.AllMarkers() {
			if m.Role != format.RoleCall || strings.Contains(m.Text, "=") {
				continue // names stand in those
			}
			limit := max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold) + utf8.UTFMax
			text := m.Text + "marks where calls begin, as " + m.Text + " functions are called by it and so on, whatever they may be called, and wherever"
			most, at := heldBack(p.TextParser(), text)
			if removed := strings.Count(text[:at+1], m.Text) * len(m.Text); most-removed > limit {
				t.Errorf("%s: %d bytes of %q are kept back, %d may be", d.Key, most-removed, text[:at+1], limit)
			}
		}
	}
}

// withSymbols feeds text byte by byte, but for the markers of a plan's family, which come as
// symbols.
func withSymbols(p *Plan, q Parser, text string) (all []Event) {
	for len(text) > 0 {
		m, a := p.core.Markers.At([]byte(text), true)
		n := 1
		if a == peek.Yes {
			n = len(m.Text)
		}
		all = append(all, q.Token([]byte(text[:n]), a == peek.Yes)...)
		text = text[n:]
	}
	return all
}

// Behind a call that symbols close, text leaves as it does elsewhere, though the call's last value
// is text, which may go on where tags are spelt.
func TestHoldback_ofTextBehindACallThatSymbolsClose(t *testing.T) {
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if !ok || len(d.AllMarkers()) == 0 {
			continue
		}
		p := planFor(t, d, Thinking{Off: true})
		q := p.SymbolParser()
		call := tg.call(d, "write_file", "path", "a", "content", "some text")
		text := " Done, here is some text that is long enough: " + strings.Repeat("it goes on and on ", 10)
		m := collect(withSymbols(p, q, call+text), q)
		if kept := len(text) - len(deref(m.Content)); len(m.Calls) != 1 || kept > max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold)+1 {
			t.Errorf("%s: %d calls and %d bytes kept back behind %q: %q", d.Key, len(m.Calls), kept, call, deref(m.Content))
		}
	}
}

// The same where no symbols tell: an object or a call in Python is over where its last bracket and
// its marker are.
func TestHoldback_ofTextBehindACall(t *testing.T) {
	for _, d := range Families() {
		if _, _, tagged := oddTags(d, "path"); tagged {
			continue
		}
		p, call := writeFile(t, d)
		for _, gap := range []string{"\n\n", "\n", " "} {
			text := gap + "Done, <b>here</b> is some text: " + strings.Repeat("it goes on and on, a < b, ", 10)
			q := p.TextParser()
			feed(q, call, 1)
			most, at := heldBack(q, text)
			if limit := max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold) + utf8.UTFMax; most > limit {
				t.Errorf("%s: %d bytes of %q are kept back behind %q, %d may be", d.Key, most, text[:at+1], call, limit)
			}
		}
	}
}

// Where tags or delimiters are spelt, text behind what closes a call may belong to its last value:
// it waits, for so many bytes as may be looked at and no more.
func TestHoldback_ofTextThatMayBelongToAValue(t *testing.T) {
	for _, d := range Families() {
		tg, between, _ := oddTags(d, "path")
		if !between && !strings.HasPrefix(tg.valueEnd, "</") {
			continue
		}
		p, call := writeFile(t, d)
		q := p.TextParser()
		feed(q, call, 1)
		before, text := q.InCall(), " Done."+strings.Repeat(" It goes on.", scan.MaxBare/10)
		m := collect(append(feed(q, text, 1<<10), q.Close(false)...), q)
		if !before || len(m.Calls) != 1 || strings.TrimSpace(deref(m.Content)) != strings.TrimSpace(text) {
			t.Errorf("%s: waits %v, %d calls, %d bytes of text", d.Key, before, len(m.Calls), len(deref(m.Content)))
		}
		q = p.TextParser()
		feed(q, call+text, 1<<10)
		if q.InCall() {
			t.Errorf("%s: %d bytes are not enough", d.Key, len(text))
		}
	}
}

// writeFile is the shortest call of a tool with text as its argument.
func writeFile(t *testing.T, d *Dialect) (p *Plan, call string) {
	t.Helper()
	fixed, err := d.Plan(Turn{Tools: []Tool{hostileTool(t, "write_file", true)}, Choice: Choice{Mode: Required}, Thinking: Thinking{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	return planFor(t, d, Thinking{Off: true}), shortest(t, compiled(t, fixed))
}

// Where no call and no thought can come, as when a plain text is gone on with, no white space is
// kept back.
func TestHoldback_noSpaceOfAPlainText(t *testing.T) {
	anything := Answer{Syntax: "gbnf", Definition: `root ::= [\u0000-\U0010FFFF]*`}
	p, err := Fallback().Plan(Turn{Answer: &anything, Thinking: Thinking{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	if most, at := heldBack(p.Parser(), "1, 2, \n\n 3 \t end "); most > 0 {
		t.Errorf("%d bytes are kept back at %d", most, at)
	}
}
