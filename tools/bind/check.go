package bind

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/templates/canonical"
	"tenon/tools/emit"
	"tenon/tools/format"
	"tenon/tools/ordered"
	"tenon/tools/parse"
	"tenon/tools/plan"
	"tenon/tools/turn"
)

// probeSchema is what the probe's tools take.
var probeSchema = json.RawMessage(`{"type":"object","properties":{"` + canonical.Key + `":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"},` +
	`"z":{"type":"null"},"l":{"type":"array","items":{"type":"string"}},"o":{"type":"object","properties":{"p":{"type":"integer"}}}}}`)

// trial is a dialect that is held against the renderings.
type trial struct {
	dialect *format.Dialect
	core    *plan.Plan
	reading *parse.Reading
}

func newTrial(d *format.Dialect, others *parse.OtherFamilies) trial {
	tools := []turn.Tool{{Name: canonical.Tool, Parameters: probeSchema}, {Name: canonical.Other, Parameters: probeSchema}}
	// nothing is wrong with these tools
	core, _ := plan.Prepare(d, turn.Turn{Tools: tools, Parallel: true})
	return trial{d, core, parse.NewReading(core, others)}
}

// reads says what the dialect does not find in the renderings that the probe put there, nil if it
// finds it all and nothing else.
func (t trial) reads(s Shown) error {
	for _, r := range []struct {
		name, text string
		calls      int
	}{{"one call", s.Call, 1}, {"two calls", s.TwoCalls, 2}, {"text and a call", s.TextCall, 1}, {"thinking and a call", s.Thought, 1}, {"no arguments", s.NoArgument, 1}} {
		if r.text == "" || !strings.Contains(r.text, canonical.Tool) {
			continue
		}
		if r.calls == 2 && !strings.Contains(r.text, canonical.Other) {
			continue
		}
		if err := t.read(t.body(s, r.text), r.calls); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// body is what the model would have written of a rendering. Thinking that the prompt opened is
// opened in it.
func (t trial) body(s Shown, rendering string) string {
	body, open := s.body(rendering), t.dialect.Think.Open
	cut := strings.TrimSpace(rendering[:strings.Index(rendering, body)])
	if opened := strings.HasSuffix(cut, open) || strings.HasPrefix(strings.TrimSpace(body), canonical.Thought); open != "" && opened {
		return open + body
	}
	return body
}

// read reads one rendering.
func (t trial) read(body string, calls int) error {
	q := parse.NewTolerant(t.reading, true, nil)
	text, thought := "", ""
	var found []turn.Call
	for _, e := range append(slices.Clone(q.Token([]byte(body), false)), q.Close(false)...) {
		switch e.Kind {
		case turn.Text:
			text += e.Text
		case turn.Reasoning:
			thought += e.Text
		case turn.CallEnd:
			found = append(found, e.Call)
		}
	}
	if len(found) != calls {
		return fmt.Errorf("%d calls are found", len(found))
	}
	for i, c := range found {
		if want := []string{canonical.Tool, canonical.Other}[i]; c.Name != want || !probed(c.Arguments) {
			return fmt.Errorf("the call is read as %s(%s)", c.Name, c.Arguments)
		}
	}
	for _, part := range []struct{ word, found string }{{canonical.Text, text}, {canonical.Thought, thought}} {
		want := ""
		if strings.Contains(body, part.word) {
			want = part.word
		}
		// the template leaves thinking open before text
		if strings.TrimSpace(thought) == canonical.Text {
			continue
		}
		if got := strings.TrimSpace(part.found); got != want {
			return fmt.Errorf("%q is read where %q stands", got, want)
		}
	}
	return nil
}

// probed tells whether arguments are the probe's, or none.
func probed(args json.RawMessage) bool {
	m := ordered.Members(args)
	v, _ := m.First(canonical.Key)
	s, _ := ordered.Text(v)
	return len(m) == 0 || len(m) == 1 && s == canonical.Value
}

// writes tells whether the dialect's grammar writes the rendered calls byte for byte. A rendering
// that the turn's end does not stand behind may go on. Text behind calls is left out: no grammar
// writes such, whatever a template does with a message that has both.
func (t trial) writes(s Shown) bool {
	g, err := emit.Compile(emit.Grammar(t.core), nil)
	if err != nil {
		return false
	}
	for _, r := range []string{s.Call, s.TwoCalls, s.TextCall} {
		if r == "" || !strings.Contains(r, canonical.Tool) {
			continue
		}
		text := t.withoutEnds(t.body(s, r))
		if strings.HasSuffix(text, canonical.Text) {
			continue
		}
		m, whole := g.Matcher(nil), strings.HasSuffix(strings.TrimSpace(r), strings.TrimSpace(s.TurnEnd))
		if m.AcceptBytes([]byte(text)) != nil || whole && !m.Done() {
			return false
		}
	}
	return true
}

// withoutEnds takes what begins and ends turns off a text, and what stands around results.
func (t trial) withoutEnds(text string) string {
	for n := 0; n != len(text); {
		n, text = len(text), strings.TrimRight(text, " \n")
		for _, end := range slices.Concat(t.dialect.Ends, t.dialect.Results) {
			text = strings.TrimSuffix(text, end)
			if rest, found := strings.CutPrefix(text, end); found {
				text = strings.TrimLeft(rest, " \n")
			}
		}
	}
	return text
}

// shortestMarker is what a marker has at least: less is common in text.
const shortestMarker = 3

// distinct tells whether a text can be a marker: a word, also with a colon, a code fence, and the
// name of the probe's tool cannot.
func distinct(marker string) bool {
	return len(marker) >= shortestMarker && !strings.Contains(marker, format.FenceMark) && strings.ContainsAny(marker, "<>[]{}|@#$%^~｜") && !strings.Contains(marker, canonical.Tool) && !strings.Contains(marker, canonical.Key)
}

// distinctMarkers tells whether none of a dialect's markers is common in text.
func distinctMarkers(d *format.Dialect) bool {
	return !slices.ContainsFunc(d.AllMarkers(), func(m format.Marker) bool { return !distinct(m.Text) })
}
