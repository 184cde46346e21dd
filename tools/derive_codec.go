package tools

import (
	"cmp"
	"regexp"
	"strings"
)

// How each codec's calls are made out in a rendering.

var (
	probeObject = regexp.MustCompile(`\{\s*"` + probeKey + `"\s*:\s*"` + probeValue + `"\s*\}`)
	probeCall   = regexp.MustCompile(`(?s)(\[\s*)?\{[^{}]*"` + probeTool + `"[^{}]*\{[^{}]*\}[^{}]*\}(\s*\])?`)
	probeInvoke = regexp.MustCompile(`(\[\s*)?` + probeTool + `\(\s*` + probeKey + `(\s*[=:]\s*)["']` + probeValue + `["']\s*\)(\s*\])?`)
	otherInvoke = regexp.MustCompile(`\)(\s*,?\s*)` + probeOther + `\(`)
	nameField   = regexp.MustCompile(`"(\w+)"\s*:\s*"` + probeTool + `"`)
	argsField   = regexp.MustCompile(`"(\w+)"\s*:\s*\{\s*"` + probeKey + `"`)
	firstTag    = regexp.MustCompile(`^\s*(<+[^<>]*>+|\[[^\[\]]*\])`)
	anyTag      = regexp.MustCompile(`<+[^<>]*>+`)
)

// deriveJSON reads a call that is one object with name and arguments, in an array or alone.
func deriveJSON(s shown) (family, bool) {
	at := probeCall.FindStringIndex(s.one)
	if at == nil {
		return family{}, false
	}
	call := s.one[at[0]:at[1]]
	name, args := nameField.FindStringSubmatch(call), argsField.FindStringSubmatch(call)
	if name == nil || args == nil {
		return family{}, false
	}
	c := jsonCodec{nameKey: name[1], argsKey: args[1], array: strings.HasPrefix(call, "[")}
	f := family{codecs: []codec{c}, noise: anyTag.FindAllString(s.one[at[1]:], -1)}
	open := strings.TrimSpace(s.one[:at[0]])
	each := !c.array && (s.two == "" || strings.Count(s.two, open) > 1)
	if _, rest, ok := strings.Cut(s.two, call); ok && !each {
		f.layout.between = blank(rest[:strings.IndexByte(rest+"{", '{')])
	}
	f.around(s, at, each)
	if !distinct(open) { // a word is no marker
		f.cues = []cue{{text: strings.TrimLeft(s.one[strings.LastIndex(s.one[:at[0]], open):at[0]], " \n"), codec: c}}
		f.section, f.call, f.layout = span{}, span{}, layout{before: f.layout.before, between: f.layout.between}
	}
	return f, true
}

// derivePythonic reads calls as in Python, in a list or one by one.
func derivePythonic(s shown) (family, bool) {
	at := probeInvoke.FindStringSubmatchIndex(s.one)
	if at == nil {
		return family{}, false
	}
	listed := at[2] >= 0 && at[6] >= 0
	if !listed { // a bracket on one side only belongs to what stands around
		at[0], at[1] = strings.Index(s.one, probeTool), strings.LastIndexByte(s.one[:at[1]], ')')+1
	}
	c := pythonicCodec{listed: listed, assign: s.one[at[4]:at[5]]}
	f := family{noise: anyTag.FindAllString(s.one[at[1]:], -1)}
	between := otherInvoke.FindStringSubmatch(s.two)
	switch {
	case between == nil || listed:
	case strings.Contains(between[1], ","):
		c.between = between[1]
	default:
		f.layout.between = between[1]
	}
	f.around(s, at[:2], !listed && s.two != "" && between == nil)
	if open := cmp.Or(f.section.open, f.call.open); open != "" && !distinct(open) { // a fence and a word are no markers
		c.fence.open = s.one[strings.LastIndex(s.one[:at[0]], open):at[0]]
		if strings.HasPrefix(strings.TrimSpace(s.one[at[1]:]), fenceMark) {
			c.fence.close = "\n" + fenceMark
		}
		f.section, f.call, f.layout = span{}, span{}, layout{before: f.layout.before, between: f.layout.between}
	}
	f.codecs = []codec{c}
	return f, true
}

// around takes the markers and the white space on both sides of the call at an offset: those of one call, or of all.
func (f *family) around(s shown, at []int, each bool) {
	before, after := s.one[:at[0]], s.one[at[1]:]
	if _, behind, ok := strings.Cut(before, probeText); ok {
		before = behind
	}
	open, end := strings.TrimSpace(before), tagAt(after)
	inside := before[len(strings.TrimRight(before, " \n")):]
	if open == "" {
		inside = ""
	}
	f.layout.before = before[:strings.Index(before, open)]
	if open == "" {
		f.layout.before = before
	}
	if last := nested(s, open); last > 0 { // each call stands between marks of its own, inside those of all
		behind := strings.Replace(after, end, "", 1)
		f.section, f.call, f.layout.call = span{strings.TrimSpace(open[:last]), tagAt(behind)}, span{open[last:], end}, inside
		return
	}
	both := end == "" || strings.HasPrefix(after, inside+end)
	switch {
	case each:
		f.call = span{open, end}
		if _, rest, ok := strings.Cut(s.two, s.one[at[0]:at[1]]+inside+end); ok && both && open != "" {
			f.layout.between = blank(rest[:max(0, strings.Index(rest, open))])
		}
		if both {
			f.layout.call = inside
		}
	case both:
		f.section, f.layout.section = span{open, end}, inside
	default:
		f.section, f.layout.open = span{open, end}, inside
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
func deriveNamed(s shown) (family, bool) {
	r := s.one
	at := probeObject.FindStringIndex(r)
	name := strings.Index(r, probeTool)
	if at == nil || name < 0 || name > at[0] {
		return family{}, false
	}
	c := namedCodec{separator: r[name+len(probeTool) : at[0]]}
	for _, t := range []string{strings.TrimSpace(c.separator), "\n"} {
		if t != "" {
			c.splits = append(c.splits, t)
		}
	}
	behind, _, _ := strings.Cut(r[at[1]:], "<")
	c.after = strings.TrimSpace(behind)
	f := family{noise: anyTag.FindAllString(r[at[1]:], -1)} // what closes an outer tag
	switch open := strings.TrimSpace(r[:name]); {
	case distinct(open):
		f.call = span{open, tagAt(strings.TrimPrefix(r[at[1]:], c.after))}
	case open != "": // a word is no marker
		c.before, c.splits = strings.TrimLeft(r[:name], " \n"), append(c.splits, open)
	}
	f.codecs = []codec{c}
	return f, true
}

// deriveTagged reads a call whose arguments stand between tags.
func deriveTagged(s shown) (family, bool) {
	r := s.one
	name, key := strings.Index(r, probeTool), strings.Index(r, probeKey)
	value := strings.Index(r, probeValue)
	if name < 0 || key < name || value < key {
		return family{}, false
	}
	head, afterName := r[:name], r[name+len(probeTool):key]
	afterKey, afterValue := r[key+len(probeKey):value], r[value+len(probeValue):]
	close := strings.IndexByte(afterName, '>')
	open := strings.LastIndexByte(afterName, '<')
	callTag := strings.LastIndexByte(head, '<')
	if close < 0 || open <= close-1 || callTag < 0 || !strings.Contains(afterKey, ">") {
		return family{}, false
	}
	argEnd := tagAt(afterValue)
	rest := strings.TrimPrefix(strings.TrimLeft(afterValue, "\n"), argEnd)
	callEnd := tagAt(rest)
	if argEnd == "" || callEnd == "" {
		return family{}, false
	}
	outer := strings.TrimSpace(head[:callTag])
	c := taggedCodec{
		call: span{head[callTag:], afterName[:close+1]}, callEnd: callEnd,
		arg: span{afterName[open:], strings.TrimRight(afterKey, "\n")}, argEnd: argEnd,
		lines: strings.HasSuffix(afterKey, "\n"), between: blank(afterName[close+1 : open]),
	}
	f := family{codecs: []codec{c}}
	if outer != "" {
		f.layout.section = blank(head[strings.LastIndex(head, outer)+len(outer) : callTag])
		f.layout.between = f.layout.section
		f.section = span{outer, tagAt(strings.TrimPrefix(strings.TrimLeft(rest, "\n"), callEnd))}
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
