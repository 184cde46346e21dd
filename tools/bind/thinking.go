package bind

import (
	"strings"

	"tenon/tools/format"
)

// thinkingOf learns literally what stands around thinking. The opening is empty where the prompt has opened it, or where nothing but
// the end marks it.
func thinkingOf(s Shown) (open, end string, ok bool) {
	before, after, found := strings.Cut(s.Thought, probeThought)
	if !found {
		return promptedThinking(s.Generation)
	}
	open = strings.TrimSpace(before[common(before, s.start()):])
	if half := len(open) / 2; half > 0 && strings.TrimSpace(open[:half]) == strings.TrimSpace(open[half+len(open)%2:]) { // by the prompt, and by the turn
		open = strings.TrimSpace(open[:half])
	}
	if open == "" { // the prompt ends with it
		open = lastTag(before)
	}
	end = firstTag(after)
	if strings.Contains(end, ProbeTool) || end == open {
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

// think takes the thinking markers over. A template that shows none may still be a thinking model's: what its source calls thinking is
// read, and none is offered.
func think(d *format.Family, s Shown, template string) {
	open, end, ok := thinkingOf(s)
	if ok {
		d.Think = format.Span{Open: open, Close: end}
		d.Prefills = lastTag(s.Generation) == open && open != ""
		return
	}
	d.Thoughtless = !strings.Contains(template, "think")
	d.Think = format.CommonThinking
}
