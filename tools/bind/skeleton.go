package bind

import (
	"encoding/json"
	"regexp"
	"strings"

	"tenon/templates/canonical"
	"tenon/tools/format"
	"tenon/tools/ordered"
)

// skeleton is a way of writing calls whose markers are still open. Each finds its calls in the
// renderings and reads off how they are written; [reads] has the last word.
type skeleton struct {
	name string
	// core is where the call of a tool stands in a text: its name and arguments; -1 if it is
	// not written so.
	core func(text, tool string) (from, to int)
	// fill reads the call's syntax off the renderings. It may move what belongs to the calls
	// out of the frame.
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

// derived is the key of a dialect that was read off the renderings.
const derived = "derived"

// family fills the skeleton from the renderings.
func (k skeleton) family(e Evidence) (format.Family, bool) {
	s := e.Shown
	d := format.Family{Key: derived, About: "read off the template's own rendering of calls (" + k.name + ")"}
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
	before, _, ok := strings.Cut(s.body(s.Answer), canonical.Text)
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
	before, after, ok := strings.Cut(result, canonical.Result)
	if !ok {
		return nil
	}
	return markersIn(before, after)
}

// argumentsEnd is where the JSON object or array ends that begins at an offset, -1 if it does not
// end.
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

// jsonCore is the smallest object that holds the tool's name as a string, and its arguments.
func jsonCore(text, tool string) (from, to int) {
	at := strings.Index(text, `"`+tool+`"`)
	for i := at; i >= 0; i-- {
		if text[i] != '{' {
			continue
		}
		end := argumentsEnd(text, i)
		if end > at && strings.Contains(text[i:end], `"`+canonical.Key+`"`) && json.Valid([]byte(text[i:end])) {
			return i, end
		}
	}
	return -1, -1
}

func fillJSON(d *format.Family, f *frame, s Shown) bool {
	one := s.body(s.Call)
	from, to := jsonCore(one, canonical.Tool)
	var c format.JSON
	for _, m := range ordered.Members([]byte(one[from:to])) {
		value, isText := ordered.Text(m.Value)
		switch {
		case m.Key == canonical.Tool:
			c.NameIsKey = true
		case isText && value == canonical.Tool:
			c.NameKey = m.Key
		case m.Value[0] == '{' && strings.Contains(string(m.Value), canonical.Key):
			c.ArgsKey = m.Key
		case isText && value != "" && strings.HasSuffix(m.Key, "id"):
			c.IDKey, c.IntegerID = m.Key, strings.Trim(value, "0123456789") == ""
		}
	}
	if !c.NameIsKey && (c.NameKey == "" || c.ArgsKey == "") {
		return false
	}
	c.Array = f.takeList()
	d.Syntaxes = []format.Syntax{c}
	f.takeFence(d)
	f.takeWord(d, c)
	return true
}

// takeList takes the brackets of a list of calls off the frame. It says whether there are any.
func (f *frame) takeList() bool {
	before, behind := strings.TrimRight(f.before, " \n"), strings.TrimLeft(f.behind, " \n")
	if !strings.HasSuffix(before, "[") || !strings.HasPrefix(behind, "]") {
		return false
	}
	f.before, f.behind = strings.TrimSuffix(before, "["), strings.TrimPrefix(behind, "]")
	f.between = strings.Trim(f.between, ", \n")
	return true
}

// takeFence takes the code fence that calls stand in off the frame.
func (f *frame) takeFence(d *format.Family) {
	before, fenced := strings.CutSuffix(strings.TrimRight(f.before, " \n"), format.FenceOpen)
	if !fenced {
		return
	}
	d.Fenced = true
	f.before = before
	f.behind = strings.TrimPrefix(strings.TrimLeft(f.behind, " \n"), format.FenceMark)
	if strings.Contains(f.between, format.FenceMark) { // each call in a fence of its own
		d.Layout.Between = f.between
	}
	f.between = ""
}

// takeWord takes a plain word before the calls, say "Action:", for how they begin. A marker is
// taken elsewhere.
func (f *frame) takeWord(d *format.Family, c format.Syntax) {
	word := strings.TrimSpace(f.before)
	if word == "" || distinct(word) {
		return
	}
	d.UnmarkedStarts = []format.UnmarkedStart{{Text: word, LineStart: strings.Contains(f.lead+f.start, "\n") && strings.HasSuffix(word, ":"), Syntax: c}}
	if d.Fenced || f.before == word {
		f.before = ""
		return
	}
	d.UnmarkedStarts[0].Text = strings.TrimLeft(f.before, " \n")
	f.before = ""
}

// pythonCore is a call as in Python.
func pythonCore(text, tool string) (from, to int) {
	at := regexp.MustCompile(tool + `(\.\w+)?\(`).FindStringIndex(text)
	if at == nil {
		return -1, -1
	}
	end := argumentsEnd(text, at[1]-1)
	if end < 0 || !strings.Contains(text[at[0]:end], canonical.Key) {
		return -1, -1
	}
	return at[0], end
}

var pythonCall = regexp.MustCompile(canonical.Tool + `(\.\w+)?\(\{?"?` + canonical.Key + `"?(\s*[=:]\s*)(["'])` + canonical.Value + `["']\}?\)`)

func fillPython(d *format.Family, f *frame, s Shown) bool {
	call := pythonCall.FindStringSubmatch(s.body(s.Call))
	if call == nil {
		return false
	}
	c := format.Python{Method: call[1]}
	if call[2] != "=" {
		c.Assign = call[2]
	}
	c.Quote = strings.Trim(call[3], `"`)
	if c.Listed = f.takeList(); !c.Listed && (strings.Contains(f.between, ",") && blank(strings.ReplaceAll(f.between, ",", "")) != "" || f.between == ",") {
		c.Between, f.between = f.between, ""
	}
	// a fence and a word are no markers
	if word := strings.TrimSpace(f.before); word != "" && !distinct(word) {
		c.Fence.Open = strings.TrimLeft(f.before, " \n")
		if strings.HasPrefix(strings.TrimSpace(f.behind), format.FenceMark) {
			c.Fence.Close = "\n" + format.FenceMark
			f.behind = strings.TrimPrefix(strings.TrimSpace(f.behind), format.FenceMark)
		}
		f.before = ""
	}
	d.Syntaxes = []format.Syntax{c}
	return true
}
