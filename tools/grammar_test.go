package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"tenon/grammar"
)

// Each family has a third of the ways, another one than its neighbours have; TENON_ALL=1 compiles
// them all.
func TestPlan_everyGrammarCompiles(t *testing.T) {
	declared := defaultTools(t)
	for i, d := range Families() {
		for k, turn := range turns(declared) {
			if (i+k)%3 > 0 && os.Getenv("TENON_ALL") == "" {
				continue
			}
			p, err := d.Plan(turn)
			if err != nil {
				t.Fatalf("%s: %v", d.Name(), err)
			}
			if _, err := grammar.Parse(p.Grammar(), grammar.Options{}); err != nil {
				t.Errorf("%s %+v: %v\n%s", d.Name(), turn.Choice, err, p.Grammar())
				break
			}
		}
	}
}

// turns is every way to allow calls and thinking.
func turns(declared []Tool) []Turn {
	var all []Turn
	for _, c := range []Choice{{}, {Mode: None}, {Mode: Required}, {Mode: Required, Names: []string{"get_time"}}, {Names: []string{"get_time", "search.docs"}}} {
		for _, parallel := range []bool{false, true} {
			for _, th := range []Thinking{{}, {Open: true}, {Off: true}} {
				all = append(all, Turn{Tools: declared, Choice: c, Parallel: parallel, Thinking: th, Stops: []string{"\nUser:"}})
			}
		}
	}
	return append(all, Turn{}, Turn{Answer: &Answer{Syntax: "json_object"}}, Turn{Tools: declared, Answer: &Answer{Syntax: "regex", Definition: "a+"}})
}

// What a family writes as it was taught, its own grammar accepts: the mask forbids no golden turn.
func TestGrammar_acceptsTheFamilysOwnTurns(t *testing.T) {
	for _, tr := range transcripts(t) {
		if tr.turn != (turnFile{}) && !tr.turn.Thinking || !wellFormed[strings.TrimSuffix(filepath.Base(tr.path), ".txtar")] {
			continue
		}
		t.Run(tr.path, func(t *testing.T) {
			p := tr.plan(t)
			g := compiled(t, p)
			raw := tr.raw
			for _, end := range p.core.Dialect.Ends {
				raw = strings.TrimSuffix(raw, end)
			}
			if rest, ok := strings.CutPrefix(raw, p.core.Dialect.Lead); ok {
				raw = rest
			}
			m := g.Matcher(nil)
			if at, err := longest(m, raw); err != nil || !m.Done() {
				t.Errorf("refused at %q after %q (%v)\n%s", raw[at:], raw[:at], err, p.Grammar())
			}
		})
	}
}

// A token may hold a stop string's end and more. The mask took it from the model, and the answer
// went past its stop.
func TestGrammar_aTokenMayGoOnBehindAStop(t *testing.T) {
	d, _ := Lookup("hermes")
	for _, turn := range []Turn{{}, {Tools: defaultTools(t)}} {
		for _, stops := range [][]string{{"Norw"}, {"of", "of Norw"}, {"of Norw", "Norw", "of"}} {
			turn.Stops = stops
			p := planned(t, d, turn)
			g := compiled(t, p)
			const raw = "The capital of Norway"
			if at, err := longest(g.Matcher(nil), raw); err != nil || at != len(raw) {
				t.Errorf("%d tools, stops %q: refused at %q (%v)", len(turn.Tools), stops, raw[at:], err)
			}
			if got := play(p.Parser(), raw, 0, false); !strings.HasPrefix(raw, deref(got.Content)) || strings.Contains(deref(got.Content), stops[0]) {
				t.Errorf("stops %q: %q", stops, deref(got.Content))
			}
		}
	}
}

// Behind a stop string there may be the rest of a token, and no call: the turn has ended, and a
// call that the mask let begin there would be told by the grammar and not by the reader.
func TestGrammar_noCallBehindAStop(t *testing.T) {
	for _, tr := range transcripts(t) {
		if filepath.Base(tr.path) != "text-then-call.txtar" {
			continue
		}
		d, _ := Lookup(tr.family)
		const stop = "{STOP}"
		p, err := d.Plan(Turn{Tools: defaultTools(t), Parallel: true, Thinking: Thinking{Off: true}, Stops: []string{stop}})
		if err != nil {
			t.Fatal(err)
		}
		text := deref(play(p.TextParser(), tr.raw, 0, false).Content)
		raw := strings.TrimPrefix(tr.raw, d.Lead)
		at := strings.Index(raw, text) + len(text)
		raw = raw[:at] + stop + raw[at:]
		raw = strings.Replace(raw, "Zürich", strings.Repeat("Zürich", 20), 1)
		m := compiled(t, p).Matcher(nil)
		if n, err := longest(m, raw); err == nil || n < at+len(stop) || utf8.RuneCountInString(raw[at+len(stop):n]) > 64 {
			t.Errorf("%s: %q is accepted (%v)", d.Key, raw[:n], err)
		}
		if got := play(p.Parser(), raw, 1, false); len(got.Calls) > 0 || strings.TrimSpace(deref(got.Content)) != strings.TrimSpace(text) {
			t.Errorf("%s: read as %q, %d calls", d.Key, deref(got.Content), len(got.Calls))
		}
	}
}

// A turn may end right behind each of its calls, and nothing but further calls may come there
// (doc.go says why).
func TestGrammar_aTurnEndsWithItsCalls(t *testing.T) {
	for _, tr := range transcripts(t) {
		if filepath.Base(tr.path) != "one-call.txtar" {
			continue
		}
		for _, choice := range []Mode{Auto, Required} {
			d, _ := Lookup(tr.family)
			p, err := d.Plan(Turn{Tools: defaultTools(t), Parallel: true, Choice: Choice{Mode: choice}, Thinking: Thinking{Off: true}})
			if err != nil {
				t.Fatal(err)
			}
			raw := tr.raw
			for _, end := range d.Ends {
				raw = strings.TrimSuffix(raw, end)
			}
			raw = strings.TrimPrefix(raw, d.Lead)
			m := compiled(t, p).Matcher(nil)
			at, err := longest(m, raw)
			if err != nil || !m.Done() {
				t.Errorf("%s: the turn cannot end behind %q (%v)", d.Key, raw[:at], err)
				continue
			}
			for _, text := range []string{" Done.", "\n\nDone.", "Done."} {
				q := m.Clone()
				if _, err := longest(q, text); err == nil {
					t.Errorf("%s: %q may stand behind the call", d.Key, text)
				}
			}
		}
	}
}

// wellFormed names the transcripts in which nothing is amiss.
var wellFormed = map[string]bool{
	"one-call": true, "no-arguments": true, "every-type": true, "code-in-arguments": true, "nested-arguments": true,
	"two-calls": true, "three-calls": true, "text-then-call": true, "thinking-then-call": true, "thinking-then-text": true, "text-only": true,
}

// longest feeds text byte by byte and returns how much was accepted.
func longest(m *grammar.Matcher, text string) (int, error) {
	for i := range len(text) {
		if err := m.AcceptBytes([]byte{text[i]}); err != nil {
			return i, err
		}
	}
	return len(text), nil
}
