package bind

import (
	"encoding/json"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/parse"
	"tenon/tools/plan"
	"tenon/tools/turn"
)

// A template that no family's signs fit still shows how its model calls: the probe renders a call of a tool, with a
// key and a value, that stand for nothing else. What stands around them is the format, if a codec reads it back.

// The words of the probe's canonical calls (package templates).
const (
	ProbeTool  = "zqtool"
	ProbeOther = "zqother"
	probeKey   = "zqkey"
	probeValue = "zqvalue"
	ProbeText  = "zqtext"
)

// shown is how a template renders calls, the marks around the turn left out.
type shown struct {
	one string // one call, perhaps behind text
	two string // two calls, "" if no rendering shows them
	end string // of the turn
}

// derive makes a dialect of rendered calls, nil if they cannot be made out, or no codec reads them. thoughtless says that nothing is known
// of thinking.
func derive(renderings []string, thoughtless bool) *format.Dialect {
	start, end := turnAround(renderings)
	s := shown{end: strings.TrimSpace(end)}
	var all []string
	for _, r := range renderings {
		if !strings.Contains(r, ProbeTool) || !strings.Contains(r, probeValue) {
			continue
		}
		r = strings.TrimSuffix(strings.TrimPrefix(r, start), end)
		for _, e := range commonEnds {
			r = strings.TrimSuffix(r, e)
		}
		all = append(all, r)
		switch two := strings.Contains(r, ProbeOther); {
		case two && s.two == "":
			s.two = r
		case !two && s.one == "":
			s.one = r
		}
	}
	for _, how := range []func(shown) (format.Family, bool){deriveJSON, derivePythonic, deriveNamed, deriveTagged} {
		f, ok := how(s)
		if !ok {
			continue
		}
		f.Thoughtless = thoughtless
		if d := derived(f, s.end); reads(d, all) {
			return d
		}
	}
	return nil
}

// commonEnds are end tokens of many families.
var commonEnds = []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>"}

// derived is the dialect of a family that was read off a rendering.
func derived(f format.Family, end string) *format.Dialect {
	f.Key, f.About, f.Match = "derived", "read off the template's own rendering of a call", format.ByOrder
	f.Think = format.Pair("<think>", "</think>")
	f.Ends = slices.Clone(commonEnds)
	if end != "" && !slices.Contains(f.Ends, end) {
		f.Ends = append(f.Ends, end)
	}
	return &format.Dialect{Family: f}
}

// turnAround is what stands before and behind an assistant's text, as far as a rendering shows it: the generation prompt and the
// end of the turn are no part of a call.
func turnAround(renderings []string) (start, end string) {
	for _, r := range renderings {
		before, after, ok := strings.Cut(r, ProbeText)
		if !ok {
			continue
		}
		if start == "" || strings.Contains(r, ProbeTool) {
			start = before
		}
		if !strings.Contains(r, ProbeTool) {
			end = after
		}
	}
	return start, end
}

// reads tells whether the dialect finds in the renderings the calls and the text that the probe put there, and nothing else.
func reads(d *format.Dialect, renderings []string) bool {
	for _, m := range d.AllMarkers() {
		if !distinct(m.Text) {
			return false
		}
	}
	schema := json.RawMessage(`{"type":"object","properties":{"` + probeKey + `":{"type":"string"}}}`)
	core, err := plan.Prepare(d, turn.Turn{Tools: []turn.Tool{{Name: ProbeTool, Parameters: schema}, {Name: ProbeOther, Parameters: schema}}, Parallel: true})
	if err != nil {
		return false
	}
	p := parse.NewReading(core)
	for _, r := range renderings {
		if !readsBack(p, r) {
			return false
		}
	}
	return len(renderings) > 0
}

func readsBack(p *parse.Reading, rendering string) bool {
	q := parse.NewTolerant(p, true, nil)
	calls, text := 0, ""
	for _, e := range append(slices.Clone(q.Token([]byte(rendering), false)), q.Close(false)...) {
		switch e.Kind {
		case turn.Text:
			text += e.Text
		case turn.CallEnd:
			if string(e.Call.Arguments) != `{"`+probeKey+`":"`+probeValue+`"}` && !sameMembers(e.Call.Arguments) {
				return false
			}
			calls++
		}
	}
	want := ""
	if strings.Contains(rendering, ProbeText) {
		want = ProbeText
	}
	return calls == strings.Count(rendering, probeValue) && strings.TrimSpace(text) == want
}

// sameMembers tells whether arguments are those of the probe, however they are spaced.
func sameMembers(args json.RawMessage) bool {
	m := declared.Members(args)
	v, _ := m.First(probeKey)
	s, _ := declared.Text(v)
	return len(m) == 1 && s == probeValue
}

// shortestMarker is what a marker has at least: less is common in text.
const shortestMarker = 3

// distinct tells whether a text can be a marker: a word, also with a colon, and the name of the probe's tool cannot.
func distinct(marker string) bool {
	return len(marker) >= shortestMarker && strings.ContainsAny(marker, "<>[]{}|@#$%^~｜") && !strings.Contains(marker, ProbeTool) && !strings.Contains(marker, probeKey)
}
