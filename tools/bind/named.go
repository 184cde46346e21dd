package bind

import (
	"regexp"
	"strings"

	"tenon/templates/canonical"
	"tenon/tools/format"
)

// argumentsObject is the object of arguments that a name stands before.
var argumentsObject = regexp.MustCompile(`\{\s*"` + canonical.Key + `"\s*:\s*"` + canonical.Value + `"\s*\}`)

// maxWords bounds what may stand between a name and its arguments.
const maxWords = 200

// namedCore is a name that an object of arguments follows.
func namedCore(text, tool string) (from, to int) {
	from = strings.Index(text, tool)
	if from < 0 {
		return -1, -1
	}
	at := argumentsObject.FindStringIndex(text[from:])
	if at == nil || at[0] > maxWords {
		return -1, -1
	}
	return from, from + at[1]
}

// words is what stands between the name of a tool and its arguments in a text.
func words(text, tool, object string) string {
	_, after, _ := strings.Cut(text, tool)
	at := regexp.MustCompile(object).FindStringIndex(after)
	if at == nil {
		return ""
	}
	return after[:at[0]]
}

func fillNamed(d *format.Family, f *frame, s Shown) bool {
	first := words(s.body(s.Call), canonical.Tool, argumentsObject.String())
	c := format.Named{Separator: first}
	if second := words(s.body(s.TwoCalls), canonical.Other, argumentsObject.String()); second != "" && second != first {
		f.takeID(&c, first, second)
	}
	c.After = f.takeAfter()
	f.takeName(&c)
	c.Splits = append(c.Splits, splits(c.Separator, c.IDMark, c.IDFirst, c.Before)...)
	d.Syntaxes = []format.Syntax{c}
	f.takeLead(d, c, s)
	if word := strings.TrimSpace(f.before); word != "" && !distinct(word) {
		c.Before, f.before = strings.TrimLeft(f.before, " \n"), ""
		c.Splits = append(c.Splits, strings.TrimSpace(c.Before))
		d.Syntaxes = []format.Syntax{c}
	}
	return true
}

// takeID finds what differs between the words of two calls: their number, or an id.
func (f *frame) takeID(c *format.Named, first, second string) {
	n := uncut(first, common(first, second))
	m := commonEnd(first[n:], second[n:])
	mark, rest := first[:n], first[len(first)-m:]
	if at := tag.FindStringIndex(first[n:]); at != nil {
		rest = first[n+at[0]:]
	}
	if mark == ":" {
		c.Index, c.Separator = true, rest
		return
	}
	c.IDMark, c.Separator = mark, rest
}

// takeAfter takes what stands behind the object inside of the call's closing marker, or without
// one, such as the end of a code fence.
func (f *frame) takeAfter() string {
	after := strings.TrimRight(f.behind, " \n")
	if at := tag.FindStringIndex(f.behind); at != nil {
		after = f.behind[:at[0]]
	}
	if strings.TrimSpace(after) == "" || !strings.HasPrefix(f.between, after) && f.between != "" {
		return ""
	}
	f.behind, f.between = f.behind[len(after):], strings.TrimPrefix(f.between, after)
	return after
}

// label is what a line of labels begins with, as "Tool: " or "Call> ". It says what follows, and
// is no marker.
var label = regexp.MustCompile(`(^|\n)[#* ]*\pL[\pL\pN _-]*[:>]+[* ]*\n?$`)

// takeName takes the words and markers between the call's own marker and its name off the frame,
// or the label before the name.
func (f *frame) takeName(c *format.Named) {
	open := repeated(f.before, f.between)
	if f.between == "" {
		open = f.before
	}
	rest, all := open, tag.FindAllStringIndex(open, -1)
	switch {
	case len(all) > 0 && all[0][0] == 0:
		rest = open[all[0][1]:]
	case len(all) > 0 || !label.MatchString(open):
		return
	}
	if strings.TrimSpace(rest) == "" {
		return
	}
	c.Before = strings.TrimLeft(rest, " \n")
	f.before = strings.TrimSuffix(f.before, rest)
	f.between = strings.TrimSuffix(f.between, rest)
}

// takeLead tells that the generation prompt ends with what stands between two calls: every part of
// the turn begins with it.
func (f *frame) takeLead(d *format.Family, c format.Named, s Shown) {
	mark := strings.TrimSpace(f.between)
	if mark == "" || f.before != "" || !strings.HasSuffix(s.Generation, mark) {
		return
	}
	text, _, _ := strings.Cut(s.body(s.Answer), canonical.Text)
	d.Lead, d.Text = mark, []string{mark + text}
	d.UnmarkedStarts = []format.UnmarkedStart{{Text: mark, Syntax: c}}
	f.between = ""
}

// splits are the markers and words that part a call's head.
func splits(texts ...string) (all []string) {
	for _, t := range texts {
		all = append(all, markersIn(t)...)
		for line := range strings.SplitSeq(t, "\n") {
			if word := strings.TrimSpace(line); word != "" {
				all = append(all, word)
			}
		}
		if strings.Contains(t, "\n") {
			all = append(all, "\n")
		}
	}
	return all
}

// dictionaryObject is an object whose keys stand bare, and its strings between quotes of the
// format's own.
var dictionaryObject = regexp.MustCompile(`\{` + canonical.Key + `:([^{}\w"]{0,2}[^{}"\w]*(?:"[^{}\w"]*|\w+[^{}\w"]*)?)` + canonical.Value)

func dictionaryCore(text, tool string) (from, to int) {
	from = strings.Index(text, tool)
	if from < 0 {
		return -1, -1
	}
	at := dictionaryObject.FindStringSubmatchIndex(text[from:])
	if at == nil || at[0] > maxWords || at[2] == at[3] {
		return -1, -1
	}
	end := strings.IndexByte(text[from+at[1]:], '}')
	if end < 0 {
		return -1, -1
	}
	return from, from + at[1] + end + 1
}

func fillDictionary(d *format.Family, f *frame, s Shown) bool {
	one := s.body(s.Call)
	quote := dictionaryObject.FindStringSubmatch(one)[1]
	c := format.Named{BareKeys: true, Quotes: []string{quote}, Separator: words(one, canonical.Tool, dictionaryObject.String())}
	f.takeName(&c)
	c.Splits = splits(c.Before, c.Separator)
	d.Syntaxes = []format.Syntax{c}
	return strings.Contains(one, canonical.Value+quote)
}
