package bind

import (
	"regexp"
	"slices"
	"strings"

	"tenon/templates/canonical"
	"tenon/tools/format"
)

// frame is what stands around the calls of a turn, found by laying renderings side by side: what
// comes again before the second call opens one call, the rest before the first opens their
// section.
//
//	TwoCalls:  before CORE between CORE behind
//
// A core is a call's name and arguments, which a skeleton reads.
type frame struct {
	start   string // what the model's text follows in the renderings
	before  string // between the turn's start and the first core
	between string // between two cores; "" if the template shows one call a turn
	behind  string // behind the last core, without what ends the turn
	ends    []string
	lead    string // layout between text and calls
}

// tag is one marker as templates write them: in angle brackets of any kind, or capitals in square
// ones.
var tag = regexp.MustCompile(`<+[^<>\s]{1,60}[^<>]{0,60}>+|\[/?[A-Z][A-Za-z0-9_ ]{1,30}\]|[\[\]][!\w]*~[!\w]*[\[\]]`)

// body is what a rendering shows of the model's own text: without what stands before it, the
// generation prompt or as much of it as the rendering has, and without what ends the turn.
func (s Shown) body(rendering string) string {
	n := common(rendering, s.Generation)
	if n < len(s.Generation) {
		n = strings.LastIndexAny(rendering[:n], ">]\n") + 1
	}
	n += common(rendering[n:], s.header(n))
	body := rendering[n:]
	end := strings.TrimSpace(s.TurnEnd)
	trimmed := strings.TrimRight(body, " \n")
	cut := commonEnd(trimmed, end)
	if cut < len(end) { // whole markers only
		at := tag.FindStringIndex(trimmed[len(trimmed)-cut:])
		if at == nil {
			return body
		}
		cut -= at[0]
	}
	return trimmed[:len(trimmed)-cut]
}

// header is what every turn begins with behind the first n bytes, where the template has no
// generation prompt of its own: the turn before it ends, and nothing says who speaks next.
func (s Shown) header(n int) string {
	if strings.TrimSpace(s.Generation) != strings.TrimSpace(s.TurnEnd) || n > min(len(s.Call), len(s.TextCall)) {
		return ""
	}
	call, text := s.Call[n:], s.TextCall[n:]
	return call[:common(call, text)]
}

// start is what stands in the renderings before what the model writes.
func (s Shown) start() string { return s.Call[:strings.Index(s.Call, s.body(s.Call))] }

// joined are the renderings with a turn's text and calls in one message: some templates end the
// message between the two.
func (s Shown) joined() Shown {
	end, start := strings.TrimSpace(s.TurnEnd), strings.TrimSpace(s.start())
	if end == "" || start == "" {
		return s
	}
	between := regexp.MustCompile(`\s*` + regexp.QuoteMeta(end) + `\s*` + regexp.QuoteMeta(start) + `\s*`)
	s.TextCall, s.Thought = between.ReplaceAllString(s.TextCall, "\n"), between.ReplaceAllString(s.Thought, "\n")
	return s
}

// common is how many bytes two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonEnd is how many bytes two texts end with alike.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// frameOf lays the renderings side by side. core finds where the n-th call's name and arguments
// stand.
func frameOf(s Shown, core func(text string, tool string) (from, to int)) (frame, bool) {
	one := s.body(s.Call)
	from, to := core(one, canonical.Tool)
	if from < 0 {
		return frame{}, false
	}
	f := frame{before: one[:from], behind: one[to:]}
	if two := s.body(s.TwoCalls); two != "" {
		a, b := core(two, canonical.Tool)
		c, d := core(two, canonical.Other)
		if a >= 0 && c >= b {
			f.before, f.between, f.behind = two[:a], two[b:c], two[d:]
		}
	}
	f.takeThinking(s)
	f.takeText(s, core)
	f.takeEnd(s)
	return f, true
}

// takeThinking takes an empty thought off the front: some templates write one before every turn
// without thinking.
func (f *frame) takeThinking(s Shown) {
	open, end, ok := thinkingOf(s)
	if !ok {
		return
	}
	text := strings.TrimLeft(f.before, " \n")
	if rest, found := strings.CutPrefix(text, open); found && open != "" {
		if rest, found = strings.CutPrefix(strings.TrimLeft(rest, " \n"), end); found {
			f.before = rest
		}
		return
	}
	if rest, found := strings.CutPrefix(text, end); found { // the prompt has opened it
		f.before = rest
	}
}

// takeText finds the layout between text and calls.
func (f *frame) takeText(s Shown, core func(string, string) (int, int)) {
	_, after, ok := strings.Cut(s.body(s.TextCall), canonical.Text)
	from, _ := core(after, canonical.Tool)
	if !ok || from < 0 {
		f.before = strings.TrimLeft(f.before, " \n")
		return
	}
	before := strings.TrimLeft(f.before, " \n")
	if lead, found := strings.CutSuffix(after[:from], before); found {
		f.before, f.lead = before, lead
		return
	}
	f.before = strings.TrimLeft(after[:from], " \n")
	f.lead = after[:from-len(f.before)]
}

// takeEnd takes what ends the turn off what stands before the calls: some templates end the text
// there.
func (f *frame) takeEnd(s Shown) {
	end := strings.TrimSpace(s.TurnEnd)
	if rest, ok := strings.CutPrefix(f.before, end); ok && end != "" {
		f.lead, f.before = f.lead+f.before[:len(f.before)-len(strings.TrimLeft(rest, " \n"))], strings.TrimLeft(rest, " \n")
	}
}

// place puts the frame's markers around the calls of a family.
func (f frame) place(d *format.Family) {
	d.Layout.Before = f.lead
	before, behind := f.before, f.behind
	open := repeated(before, f.between)
	if f.between != "" && strings.TrimSpace(open) != "" {
		closing := strings.TrimSuffix(f.between, open)
		shut := closing[:wholePrefix(closing, behind)]
		d.Layout.Between = blank(closing[len(shut):])
		d.Call = format.Span{Open: strings.TrimSpace(open), Close: strings.TrimSpace(shut)}
		d.Layout.Call = white(open, shut)
		before, behind = before[:len(before)-len(open)], strings.TrimPrefix(behind, shut)
	} else if f.between != "" {
		d.Layout.Between = blank(f.between)
	}
	section := strings.TrimSpace(before)
	if section != "" {
		shut := firstTag(behind)
		d.Section = format.Span{Open: section, Close: shut}
		inside := before[len(strings.TrimRight(before, " \n")):]
		switch {
		case shut != "" && strings.HasPrefix(behind, inside+shut):
			d.Layout.Section = inside
		default:
			d.Layout.Open = inside
		}
		_, behind, _ = strings.Cut(behind, shut)
	}
	f.ends = append(f.ends, tag.FindAllString(behind, -1)...)
	d.Ends = append(d.Ends, f.ends...)
}

// repeated is what opens each call: what stands before the first core and again before the second,
// from the start of a marker on.
func repeated(before, between string) string {
	n := commonEnd(before, between)
	text := before[len(before)-n:]
	if n < len(before) && n < len(between) || n == len(between) && n < len(before) {
		// a marker that is cut is none
		for _, at := range tag.FindAllStringIndex(before, -1) {
			if at[0] < len(before)-n && at[1] > len(before)-n {
				text = before[min(at[1], len(before)):]
			}
		}
	}
	return strings.TrimLeft(text, " \n")
}

// wholePrefix is the length of what closing and behind begin with alike. It cuts no marker in two.
func wholePrefix(closing, behind string) int {
	return len(strings.TrimRight(closing[:uncut(closing, common(closing, behind))], " \n"))
}

// uncut is an offset in a text, or where the marker begins that it would cut.
func uncut(text string, n int) int {
	for _, at := range tag.FindAllStringIndex(text, -1) {
		if at[0] < n && at[1] > n {
			return at[0]
		}
	}
	return n
}

// white is the white space inside an opening and a closing marker, if it is the same.
func white(open, shut string) string {
	inside := open[len(strings.TrimRight(open, " \n")):]
	if strings.HasPrefix(shut, inside) {
		return inside
	}
	return ""
}

// blank is a text if it holds nothing but white space.
func blank(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return ""
}

// firstTag is the marker that a text starts with, white space aside.
func firstTag(text string) string {
	text = strings.TrimLeft(text, " \n")
	if at := tag.FindStringIndex(text); at != nil && at[0] == 0 {
		return text[:at[1]]
	}
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(first)
}

// markersIn are the markers of a text, each once.
func markersIn(texts ...string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, tag.FindAllString(text, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// thinkingOf learns literally what stands around thinking. The opening is empty where the prompt
// has opened it, or where nothing but the end marks it.
func thinkingOf(s Shown) (open, end string, ok bool) {
	before, after, found := strings.Cut(s.Thought, canonical.Thought)
	if !found {
		return promptedThinking(s.Generation)
	}
	open = strings.TrimSpace(before[common(before, s.start()):])
	// by the prompt, and by the turn
	if half := len(open) / 2; half > 0 && strings.TrimSpace(open[:half]) == strings.TrimSpace(open[half+len(open)%2:]) {
		open = strings.TrimSpace(open[:half])
	}
	if open == "" { // the prompt ends with it
		open = lastTag(before)
	}
	end = firstTag(after)
	if strings.Contains(end, canonical.Tool) || end == open {
		return "", "", false // a text that the call follows directly marks nothing
	}
	return open, end, end != ""
}

// promptedThinking learns from a generation prompt that ends with an empty thought, or opens one.
func promptedThinking(generation string) (open, end string, ok bool) {
	for _, open := range markersIn(generation) {
		if end, found := closerOf(open); found && strings.Contains(generation, open+end) {
			return open, end, true
		}
	}
	return "", "", false
}

// closerOf is the tag that closes another by its form: <a> and </a>.
func closerOf(open string) (string, bool) {
	for _, bracket := range []string{"<", "["} {
		if rest, ok := strings.CutPrefix(open, bracket); ok {
			return bracket + "/" + rest, true
		}
	}
	return "", false
}

// lastTag is the marker that a text ends with, white space aside.
func lastTag(text string) string {
	text = strings.TrimRight(text, " \n")
	all := tag.FindAllStringIndex(text, -1)
	if n := len(all); n > 0 && all[n-1][1] == len(text) {
		return text[all[n-1][0]:]
	}
	return ""
}

// think takes the thinking markers over. A template that shows none may still be a thinking
// model's: what its source calls thinking is read, and none is offered.
func think(d *format.Family, s Shown, template string) {
	open, end, ok := thinkingOf(s)
	if ok {
		d.Think = format.Span{Open: open, Close: end}
		return
	}
	d.Thoughtless = !strings.Contains(template, "think")
	d.Think = format.CommonThinking
}
