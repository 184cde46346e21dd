package bind

import (
	"strings"

	"tenon/tools/format"
)

// skeleton is a way of writing calls whose markers are still open. Each finds its calls in the renderings and reads off how they are
// written; [reads] has the last word.
type skeleton struct {
	name string
	// core is where the call of a tool stands in a text: its name and arguments; -1 if it is not written so.
	core func(text, tool string) (from, to int)
	// fill reads the call's syntax off the renderings. It may move what belongs to the calls out of the frame.
	fill func(d *format.Family, f *frame, s Shown) bool
}

// skeletons are tried in this order: what proves most first.
var skeletons = []skeleton{
	{"json", jsonCore, fillJSON},
	{"python-like", pythonCore, fillPython},
	{"named", namedCore, fillNamed},
	{"dictionary", dictionaryCore, fillDictionary},
	{"tagged", taggedCore, fillTagged},
	{"nested", taggedCore, fillNested},
}

// family fills the skeleton from the renderings.
func (k skeleton) family(e Evidence) (format.Family, bool) {
	s := e.Shown
	d := format.Family{Key: "derived", About: "read off the template's own rendering of calls (" + k.name + ")", Match: format.ByOrder}
	f, ok := frameOf(s, k.core)
	many := f.between != ""
	if !ok || !k.fill(&d, &f, s) {
		return d, false
	}
	think(&d, s, e.Template)
	f.place(&d)
	d.OneCall = !many
	if e.EOS != "" {
		d.Ends = append(d.Ends, e.EOS)
	}
	if end := strings.TrimSpace(s.TurnEnd); tag.FindString(end) == "" && distinct(end) {
		d.Ends = append(d.Ends, end)
	}
	d.Ends = append(d.Ends, markersIn(s.TurnEnd, s.Generation, s.Answer)...)
	d.Text = textMarkers(s, d.Think, d.Text)
	d.Results = resultMarkers(s.Result)
	d.Settle()
	return d, true
}

// textMarkers stand before visible text, and behind it where they do.
func textMarkers(s Shown, think format.Span, known []string) []string {
	before, _, ok := strings.Cut(s.body(s.Answer), ProbeText)
	if !ok || len(known) > 0 {
		return known
	}
	var all []string
	for _, t := range tag.FindAllString(before, -1) {
		if !strings.Contains(think.Open+think.Close, t) {
			all = append(all, t)
		}
	}
	if ends := tag.FindAllString(s.TurnEnd, 2); len(all) > 0 && len(ends) > 1 {
		all = append(all, ends[0])
	}
	return all
}

// resultMarkers stand around what a tool answered.
func resultMarkers(result string) []string {
	before, after, ok := strings.Cut(result, probeResult)
	if !ok {
		return nil
	}
	return markersIn(before, after)
}

// argumentsEnd is where the JSON object or array ends that begins at an offset, -1 if it does not end.
func argumentsEnd(text string, from int) int {
	depth, quoted := 0, false
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
