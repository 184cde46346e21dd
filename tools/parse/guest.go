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

// A model may write a call in the markers of a family that is not its own: it was tuned on others'
// transcripts, or the prompt shows such. To this family those markers are text where they open no
// call. A whole call that names a tool and fits it is one wherever it stands, as the family's own.
// What reads it is the other family's own parser.

// guestMarkers is the rule under which calls in another family's markers are counted.
const guestMarkers = "markers-of-another-family"

// maxHost bounds the bytes behind such a marker that are looked at again.
const maxHost = 256

// Others are the families whose calls are read where another family's are expected.
type Others struct {
	byText map[string]*format.Dialect // by what their calls begin with
	// that end a turn in any family, but for words in brackets
	ends []string
}

// NewOthers makes the list of some families. Of those that share a marker one is asked: in any
// region of a family what is common in others is read too.
func NewOthers(families []*format.Dialect) *Others {
	o := &Others{byText: map[string]*format.Dialect{}}
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

// rank is how little a marker shows of a family: least where that only spells it so; objects less
// than what else it writes.
func rank(d *format.Dialect, marker string) int {
	_, inJSON := d.Codecs[0].(format.JSON)
	switch {
	case d.Spelt && !strings.Contains(marker, "｜"):
		return 2
	case inJSON && d.Headers == nil:
		return 1
	}
	return 0
}

// beginnings are the texts by which the dialect's calls are told where other families write.
func beginnings(d *format.Dialect) (all []string) {
	for _, m := range d.AllMarkers() {
		opens := m.Role == format.RoleCall || m.Role == format.RoleHeader || m.Role == format.RoleLayout && slices.Contains(d.Spellings(d.Section.Open), m.Text)
		// but for the call's own tag, in which its name stands (heads.go)
		if opens && !strings.Contains(m.Text, "=") {
			all = append(all, m.Text)
		}
	}
	for _, c := range d.Cues {
		all = append(all, c.Text)
	}
	return all
}

// worded tells whether a beginning is a word, or a tag that no family has: it counts at the start
// of a line only, and shows no call by itself.
func (o *Others) worded(beginning string) bool {
	d := o.byText[beginning]
	return strings.HasSuffix(beginning, ":") || d != nil && d.Key == beginning
}

// wrapTags are what models write around an object in place of their family's marker: what their
// prompt calls its list of tools, or the marker of another family.
var wrapTags = []string{"tools", "tool", "tool_call", "tool_calls", "toolcall", "function_call", "function_calls", "functioncall"}

// wraps are families that write so, in the ways in which tags are spelt.
func wraps() (all []*format.Dialect) {
	for _, tag := range wrapTags {
		for _, word := range []string{tag, strings.ToUpper(tag)} {
			for _, bar := range []string{"", "|"} {
				open, end := "<"+bar+word+bar+">", "<"+bar+"/"+word+bar+">"
				c := format.JSON{NameKey: "name", ArgsKey: "arguments"}
				all = append(all, &format.Dialect{Family: format.Family{Key: open, Section: format.Span{Close: end},
					Codecs: []format.Syntax{c}, Cues: []format.Cue{{Text: open, Bare: true, Codec: c}}}})
			}
		}
	}
	return all
}

// inviteGuests finds out which markers of other families may begin a call.
func (p *Reading) inviteGuests() {
	if !p.Callable {
		return
	}
	var openers []format.Marker
	for text := range p.others.byText {
		if _, own := p.Markers.ByText[text]; !own {
			openers = append(openers, format.Marker{Text: text, Role: format.RoleCall})
			p.cueOn(text)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(p.others.byText)) {
		p.inviteLabels(text)
	}
	p.Guests, p.hosts = format.NewMarkerSet(openers), &sync.Map{}
}

// hosted is the plan by which another family's call is read: the same turn, without its mask.
func (p *Reading) hosted(d *format.Dialect) *Reading {
	if q, ok := p.hosts.Load(d); ok {
		return q.(*Reading)
	}
	q := &plan.Plan{Dialect: d, Turn: p.Turn, Tools: p.Tools, Names: p.Names, Callable: p.Callable, NameKeys: p.NameKeys, ArgsKeys: p.ArgsKeys, CallKeys: p.CallKeys, MaxHead: p.MaxHead}
	q.Turn.Answer, q.Turn.Stops, q.Turn.Thinking, q.Turn.Parallel = nil, nil, turn.Thinking{Off: true}, true
	q.Mark()
	q.List()
	r := hostedReading(q)
	r.others = p.others
	r.guest = true
	p.hosts.Store(d, r)
	return r
}

// guestAt tells whether a marker of another family stands at the start of text.
func (p *Reading) guestAt(text []byte, final bool) (format.Marker, peek.Answer) {
	if p.Guests == nil {
		return format.Marker{}, peek.No
	}
	m, a := p.Guests.At(text, final)
	if a != peek.No {
		return m, a
	}
	label, _, a := scan.FirstLabel(p.guestLabels, text, true, final)
	return format.Marker{Text: label.Text, Role: format.RoleCall}, a
}

// openGuest opens the region of a call in another family's markers, of which m is the first.
func (p *Text) openGuest(m format.Marker, at int) {
	p.openCue(at, at, guestCodec{reading: p.plan, family: p.plan.others.byText[m.Text], worded: p.plan.others.worded(m.Text)}, true)
	p.region.unopened = false
}

// asGuest reads the region, which no codec of the family reads, as another family's whose calls
// begin with its cue. Where none do, it is no call.
func (p *Text) asGuest() {
	r := p.region
	if m, a := p.plan.guestAt(p.buf[r.start:r.body], true); r.cue && a == peek.Yes {
		p.openGuest(m, r.start)
		return
	}
	p.noCall(r.body, nil)
}

// guestCodec reads another family's calls that begin with one marker.
type guestCodec struct {
	reading *Reading
	family  *format.Dialect
	worded  bool
}

func (c guestCodec) Starts(scan.Opening, []byte, bool) peek.Answer { return peek.Yes }

func (c guestCodec) Scanner(o scan.Opening) scan.Scanner {
	s := &guestScanner{plan: c.reading, worded: c.worded, parser: NewTolerant(c.reading.hosted(c.family), true, nil)}
	s.parser.cased = o.Cased
	return s
}

// guestScanner has the other family's parser read until that has found calls, or says that the
// text is none.
type guestScanner struct {
	plan   *Reading
	parser *Text
	found  []declared.RawCall
	read   int
	stop   int
	late   bool // they ended with the text
	worded bool // a word began them, and shows none
}

func (s *guestScanner) End() int { return s.stop }

func (s *guestScanner) Whole() bool { return !s.late }

func (s *guestScanner) Called() bool {
	return len(s.found) > 0 || s.parser.region != nil && s.parser.region.called()
}

func (s *guestScanner) Calls([]byte) ([]declared.RawCall, error) { return s.found, nil }

// Reached implements scanner: what was soon told to be text is looked at once more, for calls
// without markers.
func (s *guestScanner) Reached() int {
	if s.read > maxHost {
		return s.read
	}
	return min(s.read, 1)
}

func (s *guestScanner) Step(body []byte, final bool) scan.Status {
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

// take looks at what the parser says of the next byte. It is false where that has found text.
func (s *guestScanner) take(events []turn.Event) bool {
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
			s.found = append(s.found, declared.RawCall{Name: turn.PromptName(e.Call.Namespace, e.Call.Name), Args: args, Repairs: []string{guestMarkers}})
		}
	}
	return true
}

// proven tells whether the calls ended before the text did, or with what closes them.
func (s *guestScanner) proven() bool {
	d := s.parser.plan.Dialect
	closers := d.Closers()
	if tags, ok := d.Codecs[0].(format.Tagged); ok && tags.CallEnd != "" {
		closers = append(closers, tags.CallEnd)
	}
	return !s.worded && (!s.late || len(closers) == 0 || peek.EndsWithTag(bytes.TrimSpace(s.found[0].Source), closers))
}

// close takes what closes the calls and the turn along.
func (s *guestScanner) close(body []byte, final bool) scan.Status {
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
