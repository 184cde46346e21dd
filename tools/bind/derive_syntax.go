package bind

import (
	"cmp"
	"regexp"
	"strings"

	"tenon/tools/format"
)

// How each codec's calls are made out in a rendering.

var (
	probeObject = regexp.MustCompile(`\{\s*"` + probeKey + `"\s*:\s*"` + probeValue + `"\s*\}`)
	probeCall   = regexp.MustCompile(`(?s)(\[\s*)?\{[^{}]*"` + ProbeTool + `"[^{}]*\{[^{}]*\}[^{}]*\}(\s*\])?`)
	probeInvoke = regexp.MustCompile(`(\[\s*)?` + ProbeTool + `\(\s*` + probeKey + `(\s*[=:]\s*)["']` + probeValue + `["']\s*\)(\s*\])?`)
	otherInvoke = regexp.MustCompile(`\)(\s*,?\s*)` + ProbeOther + `\(`)
	nameField   = regexp.MustCompile(`"(\w+)"\s*:\s*"` + ProbeTool + `"`)
	argsField   = regexp.MustCompile(`"(\w+)"\s*:\s*\{\s*"` + probeKey + `"`)
	firstTag    = regexp.MustCompile(`^\s*(<+[^<>]*>+|\[[^\[\]]*\])`)
	anyTag      = regexp.MustCompile(`<+[^<>]*>+`)
)

// deriveJSON reads a call that is one object with name and arguments, in an array or alone.
func deriveJSON(s shown) (format.Family, bool) {
	at := probeCall.FindStringIndex(s.one)
	if at == nil {
		return format.Family{}, false
	}
	call := s.one[at[0]:at[1]]
	name, args := nameField.FindStringSubmatch(call), argsField.FindStringSubmatch(call)
	if name == nil || args == nil {
		return format.Family{}, false
	}
	c := format.JSON{NameKey: name[1], ArgsKey: args[1], Array: strings.HasPrefix(call, "[")}
	f := format.Family{Codecs: []format.Syntax{c}, Noise: anyTag.FindAllString(s.one[at[1]:], -1)}
	open := strings.TrimSpace(s.one[:at[0]])
	each := !c.Array && (s.two == "" || strings.Count(s.two, open) > 1)
	if _, rest, ok := strings.Cut(s.two, call); ok && !each {
		f.Layout.Between = blank(rest[:strings.IndexByte(rest+"{", '{')])
	}
	around(&f, s, at, each)
	if !distinct(open) { // a word is no marker
		f.Cues = []format.Cue{{Text: strings.TrimLeft(s.one[strings.LastIndex(s.one[:at[0]], open):at[0]], " \n"), Codec: c}}
		f.Section, f.Call, f.Layout = format.Span{}, format.Span{}, format.Layout{Before: f.Layout.Before, Between: f.Layout.Between}
	}
	return f, true
}

// derivePythonic reads calls as in Python, in a list or one by one.
func derivePythonic(s shown) (format.Family, bool) {
	at := probeInvoke.FindStringSubmatchIndex(s.one)
	if at == nil {
		return format.Family{}, false
	}
	listed := at[2] >= 0 && at[6] >= 0
	if !listed { // a bracket on one side only belongs to what stands around
		at[0], at[1] = strings.Index(s.one, ProbeTool), strings.LastIndexByte(s.one[:at[1]], ')')+1
	}
	c := format.Python{Listed: listed, Assign: s.one[at[4]:at[5]]}
	f := format.Family{Noise: anyTag.FindAllString(s.one[at[1]:], -1)}
	between := otherInvoke.FindStringSubmatch(s.two)
	switch {
	case between == nil || listed:
	case strings.Contains(between[1], ","):
		c.Between = between[1]
	default:
		f.Layout.Between = between[1]
	}
	around(&f, s, at[:2], !listed && s.two != "" && between == nil)
	if open := cmp.Or(f.Section.Open, f.Call.Open); open != "" && !distinct(open) { // a fence and a word are no markers
		c.Fence.Open = s.one[strings.LastIndex(s.one[:at[0]], open):at[0]]
		if strings.HasPrefix(strings.TrimSpace(s.one[at[1]:]), format.FenceMark) {
			c.Fence.Close = "\n" + format.FenceMark
		}
		f.Section, f.Call, f.Layout = format.Span{}, format.Span{}, format.Layout{Before: f.Layout.Before, Between: f.Layout.Between}
	}
	f.Codecs = []format.Syntax{c}
	return f, true
}

// around takes the markers and the white space on both sides of the call at an offset: those of one call, or of all.
func around(f *format.Family, s shown, at []int, each bool) {
	before, after := s.one[:at[0]], s.one[at[1]:]
	if _, behind, ok := strings.Cut(before, ProbeText); ok {
		before = behind
	}
	open, end := strings.TrimSpace(before), tagAt(after)
	inside := before[len(strings.TrimRight(before, " \n")):]
	if open == "" {
		inside = ""
	}
	f.Layout.Before = before[:strings.Index(before, open)]
	if open == "" {
		f.Layout.Before = before
	}
	if last := nested(s, open); last > 0 { // each call stands between marks of its own, inside those of all
		behind := strings.Replace(after, end, "", 1)
		f.Section = format.Span{Open: strings.TrimSpace(open[:last]), Close: tagAt(behind)}
		f.Call, f.Layout.Call = format.Span{Open: open[last:], Close: end}, inside
		return
	}
	both := end == "" || strings.HasPrefix(after, inside+end)
	switch {
	case each:
		f.Call = format.Pair(open, end)
		if _, rest, ok := strings.Cut(s.two, s.one[at[0]:at[1]]+inside+end); ok && both && open != "" {
			f.Layout.Between = blank(rest[:max(0, strings.Index(rest, open))])
		}
		if both {
			f.Layout.Call = inside
		}
	case both:
		f.Section, f.Layout.Section = format.Pair(open, end), inside
	default:
		f.Section, f.Layout.Open = format.Pair(open, end), inside
	}
}

// nested is where in what stands before the first call the mark begins that comes again before the second, 0 if none does.
func nested(s shown, open string) int {
	tags := anyTag.FindAllStringIndex(open, -1)
	if len(tags) < 2 || strings.Count(s.two, open) != 1 {
		return 0
	}
	last := tags[len(tags)-1][0]
	if strings.Count(s.two, open[last:]) < 2 {
		return 0
	}
	return last
}

// deriveNamed reads a call whose name stands before an object of arguments.
func deriveNamed(s shown) (format.Family, bool) {
	r := s.one
	at := probeObject.FindStringIndex(r)
	name := strings.Index(r, ProbeTool)
	if at == nil || name < 0 || name > at[0] {
		return format.Family{}, false
	}
	c := format.Named{Separator: r[name+len(ProbeTool) : at[0]]}
	for _, t := range []string{strings.TrimSpace(c.Separator), "\n"} {
		if t != "" {
			c.Splits = append(c.Splits, t)
		}
	}
	behind, _, _ := strings.Cut(r[at[1]:], "<")
	c.After = strings.TrimSpace(behind)
	f := format.Family{Noise: anyTag.FindAllString(r[at[1]:], -1)} // what closes an outer tag
	switch open := strings.TrimSpace(r[:name]); {
	case distinct(open):
		f.Call = format.Pair(open, tagAt(strings.TrimPrefix(r[at[1]:], c.After)))
	case open != "": // a word is no marker
		c.Before, c.Splits = strings.TrimLeft(r[:name], " \n"), append(c.Splits, open)
	}
	f.Codecs = []format.Syntax{c}
	return f, true
}

// deriveTagged reads a call whose arguments stand between tags.
func deriveTagged(s shown) (format.Family, bool) {
	r := s.one
	name, key := strings.Index(r, ProbeTool), strings.Index(r, probeKey)
	value := strings.Index(r, probeValue)
	if name < 0 || key < name || value < key {
		return format.Family{}, false
	}
	head, afterName := r[:name], r[name+len(ProbeTool):key]
	afterKey, afterValue := r[key+len(probeKey):value], r[value+len(probeValue):]
	close := strings.IndexByte(afterName, '>')
	open := strings.LastIndexByte(afterName, '<')
	callTag := strings.LastIndexByte(head, '<')
	if close < 0 || open <= close-1 || callTag < 0 || !strings.Contains(afterKey, ">") {
		return format.Family{}, false
	}
	argEnd := tagAt(afterValue)
	rest := strings.TrimPrefix(strings.TrimLeft(afterValue, "\n"), argEnd)
	callEnd := tagAt(rest)
	if argEnd == "" || callEnd == "" {
		return format.Family{}, false
	}
	outer := strings.TrimSpace(head[:callTag])
	c := format.Tagged{
		Call: format.Span{Open: head[callTag:], Close: afterName[:close+1]}, CallEnd: callEnd,
		Arg: format.Pair(afterName[open:], strings.TrimRight(afterKey, "\n")), ArgEnd: argEnd,
		Lines: strings.HasSuffix(afterKey, "\n"), Between: blank(afterName[close+1 : open]),
	}
	f := format.Family{Codecs: []format.Syntax{c}}
	if outer != "" {
		f.Layout.Section = blank(head[strings.LastIndex(head, outer)+len(outer) : callTag])
		f.Layout.Between = f.Layout.Section
		f.Section = format.Span{Open: outer, Close: tagAt(strings.TrimPrefix(strings.TrimLeft(rest, "\n"), callEnd))}
	}
	return f, true
}

// blank is a text if it holds nothing but white space.
func blank(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return ""
}

// tagAt is the tag or bracketed marker that a text starts with, white space aside.
func tagAt(s string) string {
	if m := firstTag.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}
