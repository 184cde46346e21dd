package parse

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/ordered"
	"tenon/tools/peek"
	"tenon/tools/plan"
	"tenon/tools/scan"
	"tenon/tools/turn"
)

// A model may write a call in the markers of another family: it was tuned on transcripts of that
// family, or the prompt shows some. Markers that open no call are text here. A complete call that
// names a tool and fits its schema is a call wherever it is, as in the family's own markers. The
// other family's parser reads it.

// ruleOtherMarkers is the name of this repair.
const ruleOtherMarkers = "markers-of-another-family"

// maxReread bounds the bytes behind such a marker that are read again when they were no call.
const maxReread = 256

// OtherFamilies are the families whose calls are read where another family's are expected.
type OtherFamilies struct {
	byText map[string]*format.Dialect // by what their calls begin with
	ends   []string                   // the markers that end a turn in any of them
}

// NewOtherFamilies is the index of some families. One of those that share a marker reads its
// calls: each also reads what is common in the others.
func NewOtherFamilies(families []*format.Dialect) *OtherFamilies {
	o := &OtherFamilies{byText: map[string]*format.Dialect{}}
	for _, d := range slices.Concat(families, wraps()) {
		for _, text := range beginnings(d) {
			if known := o.byText[text]; known == nil || rank(d, text) < rank(known, text) {
				o.byText[text] = d
			}
		}
		for _, end := range d.Ends {
			if format.IsControl(end) || end == "</s>" {
				o.ends = append(o.ends, end)
			}
		}
	}
	slices.Sort(o.ends)
	o.ends = slices.Compact(o.ends)
	return o
}

// rank orders families that share a marker: the lowest reads its calls. A marker that is one of
// several spellings tells least of a family, and one before a JSON object less than another.
func rank(d *format.Dialect, marker string) int {
	_, inJSON := d.Syntaxes[0].(format.JSON)
	switch {
	case d.Spelt && !strings.Contains(marker, "｜"):
		return 2
	case inJSON && d.Headers == nil:
		return 1
	}
	return 0
}

// beginnings are the texts by which a call of the dialect is found in another family's output.
func beginnings(d *format.Dialect) (all []string) {
	for _, m := range d.AllMarkers() {
		opens := m.Role == format.RoleCall || m.Role == format.RoleHeader || m.Role == format.RoleLayout && slices.Contains(d.Spellings(d.Section.Open), m.Text)
		// a tag with the tool's name in it is missing_opener.go's
		if opens && !strings.Contains(m.Text, "=") {
			all = append(all, m.Text)
		}
	}
	for _, c := range d.UnmarkedStarts {
		all = append(all, c.Text)
	}
	return all
}

// worded tells whether a beginning is a word, or a tag that no family has. It counts at the start
// of a line only, and proves no call.
func (o *OtherFamilies) worded(beginning string) bool {
	d := o.byText[beginning]
	return strings.HasSuffix(beginning, ":") || d != nil && d.Key == beginning
}

// wrapTags are tags that models write around a JSON object instead of their family's marker: the
// tag of the list of tools in their prompt, or the marker of another family.
var wrapTags = []string{"tools", "tool", "tool_call", "tool_calls", "toolcall", "function_call", "function_calls", "functioncall"}

// wraps are made-up families, one for each spelling of such a tag.
func wraps() (all []*format.Dialect) {
	for _, tag := range wrapTags {
		for _, word := range []string{tag, strings.ToUpper(tag)} {
			for _, bar := range []string{"", "|"} {
				open, end := "<"+bar+word+bar+">", "<"+bar+"/"+word+bar+">"
				c := format.JSON{NameKey: "name", ArgsKey: "arguments"}
				all = append(all, &format.Dialect{Family: format.Family{Key: open, Section: format.Span{Close: end},
					Syntaxes: []format.Syntax{c}, UnmarkedStarts: []format.UnmarkedStart{{Text: open, Bare: true, Syntax: c}}}})
			}
		}
	}
	return all
}

// findOtherMarkers collects the markers of other families that may begin a call.
func (p *Reading) findOtherMarkers() {
	if !p.Callable {
		return
	}
	var openers []format.Marker
	for text := range p.others.byText {
		if _, own := p.Markers.ByText[text]; !own {
			openers = append(openers, format.Marker{Text: text, Role: format.RoleCall})
			p.addUnmarked(text)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(p.others.byText)) {
		p.findOtherLabels(text)
	}
	p.OtherMarkers, p.otherReadings = format.NewMarkerSet(openers), &sync.Map{}
}

// readingOf is how another family reads the same turn, which has no mask there.
func (p *Reading) readingOf(d *format.Dialect) *Reading {
	if q, ok := p.otherReadings.Load(d); ok {
		return q.(*Reading)
	}
	q := &plan.Plan{Dialect: d, Turn: p.Turn, Tools: p.Tools, Names: p.Names, Callable: p.Callable, NameKeys: p.NameKeys, ArgsKeys: p.ArgsKeys, CallKeys: p.CallKeys, MaxHead: p.MaxHead}
	q.Turn.Answer, q.Turn.Stops, q.Turn.Thinking, q.Turn.Parallel = nil, nil, turn.Thinking{Off: true}, true
	q.Mark()
	q.List()
	r := ownReading(q)
	r.others = p.others
	r.foreign = true
	p.otherReadings.Store(d, r)
	return r
}

// otherMarkerAt tells whether text starts with a marker of another family.
func (p *Reading) otherMarkerAt(text []byte, final bool) (format.Marker, peek.Answer) {
	if p.OtherMarkers == nil {
		return format.Marker{}, peek.No
	}
	m, a := p.OtherMarkers.At(text, final)
	if a != peek.No {
		return m, a
	}
	label, _, a := scan.FirstLabel(p.otherLabels, text, true, final)
	return format.Marker{Text: label.Text, Role: format.RoleCall}, a
}

// openOther opens the region of a call whose marker m is another family's.
func (p *Tolerant) openOther(m format.Marker, at int) {
	p.openUnmarked(at, at, otherFamilyReader{reading: p.plan, family: p.plan.others.byText[m.Text], worded: p.plan.others.worded(m.Text)}, true)
	p.region.lacksOpener = false
}

// asOtherFamily has another family read the region, which this one cannot. The beginning of the
// region must be a marker of that family; else it is no call.
func (p *Tolerant) asOtherFamily() {
	r := p.region
	if m, a := p.plan.otherMarkerAt(p.buf[r.start:r.body], true); r.fromStart && a == peek.Yes {
		p.openOther(m, r.start)
		return
	}
	p.noCall(r.body, nil)
}

// otherFamilyReader reads the calls of another family behind one of its markers.
type otherFamilyReader struct {
	reading *Reading
	family  *format.Dialect
	worded  bool
}

func (c otherFamilyReader) Starts(scan.Opening, []byte, bool) peek.Answer { return peek.Yes }

func (c otherFamilyReader) Scanner(o scan.Opening) scan.Scanner {
	s := &otherFamilyScanner{plan: c.reading, worded: c.worded, parser: NewTolerant(c.reading.readingOf(c.family), true, nil)}
	s.parser.inCode = o.InCode
	return s
}

// otherFamilyScanner runs the other family's parser until that finds calls or text.
type otherFamilyScanner struct {
	plan   *Reading
	parser *Tolerant
	found  []declared.RawCall
	read   int
	stop   int
	late   bool // the calls ended with the text
	worded bool // their beginning proves no call
}

func (s *otherFamilyScanner) End() int { return s.stop }

func (s *otherFamilyScanner) Whole() bool { return !s.late }

func (s *otherFamilyScanner) Called() bool {
	return len(s.found) > 0 || s.parser.region != nil && s.parser.region.called()
}

func (s *otherFamilyScanner) Calls([]byte) ([]declared.RawCall, error) { return s.found, nil }

// Reached implements scan.Scanner. A short text is read again for calls without markers.
func (s *otherFamilyScanner) Reached() int {
	if s.read > maxReread {
		return s.read
	}
	return min(s.read, 1)
}

func (s *otherFamilyScanner) Step(body []byte, final bool) scan.Status {
	for ; len(s.found) == 0 && s.read < len(body); s.read++ {
		if !s.take(s.parser.Token(body[s.read:s.read+1], false)) {
			return scan.Rejected
		}
	}
	if len(s.found) == 0 && final {
		s.late = true
		s.take(s.parser.Close(false))
	}
	switch {
	case len(s.found) > 0:
		return s.close(body, final)
	case final:
		return scan.Rejected
	}
	return scan.Open
}

// take collects calls from the parser's events. It is false once the parser has found text.
func (s *otherFamilyScanner) take(events []turn.Event) bool {
	for _, e := range events {
		switch {
		case (e.Kind == turn.Text || e.Kind == turn.Reasoning) && strings.TrimSpace(e.Text) != "" && len(s.found) == 0:
			return false
		case e.Kind == turn.CallEnd:
			args := e.Call.Arguments
			if args == nil {
				args = []byte(ordered.String(e.Call.Input))
			}
			s.stop = s.parser.left
			s.found = append(s.found, declared.RawCall{Name: turn.PromptName(e.Call.Namespace, e.Call.Name), Args: args, Repairs: []string{ruleOtherMarkers}})
		}
	}
	return true
}

// Marked tells whether the calls ended before the text, or with their closing marker.
func (s *otherFamilyScanner) Marked() bool {
	d := s.parser.plan.Dialect
	closers := d.Closers()
	if tags, ok := d.Syntaxes[0].(format.Tagged); ok && tags.CallEnd != "" {
		closers = append(closers, tags.CallEnd)
	}
	return !s.worded && (!s.late || len(closers) == 0 || peek.EndsWithTag(bytes.TrimSpace(s.found[0].Source), closers))
}

// close removes the markers that close the calls and the turn.
func (s *otherFamilyScanner) close(body []byte, final bool) scan.Status {
	closers := s.parser.plan.Dialect.Closers()
	for _, end := range s.plan.others.ends {
		if _, own := s.plan.Markers.ByText[end]; !own { // which says more here
			closers = append(closers, end)
		}
	}
	for {
		i := peek.SkipSpace(body, s.stop)
		if i == len(body) && !final && i-s.stop <= peek.MaxGap {
			return scan.Open
		}
		t, a := peek.AnyTag(body[i:], closers, final)
		switch a {
		case peek.Unknown:
			return scan.Open
		case peek.No:
			s.found[0].Source = body[:s.stop]
			return scan.Ended
		}
		s.stop = i + len(t)
	}
}
