package tools

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A model may write a call in the markers of a family that is not its own: it was tuned on others' transcripts, or the prompt shows such.
// To this family those markers are text where they open no call. A whole call that names a tool and fits it is one wherever it stands, as
// the family's own. What reads it is the other family's own parser.

// guestMarkers is the rule under which calls in another family's markers are counted.
const guestMarkers = "markers-of-another-family"

// maxHost bounds the bytes behind such a marker that are looked at again.
const maxHost = 256

// maxGuests bounds the families that are tried for one marker, which many share.
const maxGuests = 4

// guests are the families whose calls are told by what they begin with, by that; of those that write alike, one.
var guests = sync.OnceValue(func() map[string][]*Dialect {
	all := map[string][]*Dialect{}
	for _, d := range Families() {
		for _, text := range d.beginnings() {
			alike := slices.ContainsFunc(all[text], func(o *Dialect) bool { return writesLike(o, d) })
			if !alike && len(all[text]) < maxGuests {
				all[text] = append(all[text], d)
			}
		}
	}
	for _, list := range all { // tags are told from objects, not objects from tags
		slices.SortStableFunc(list, func(a, b *Dialect) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return all
})

// turnEnds are the markers that end a turn in any family, but for words in brackets: many write calls alike, and end their turns otherwise.
var turnEnds = sync.OnceValue(func() (all []string) {
	for _, d := range Families() {
		for _, end := range d.ends {
			if isControl(end) || end == "</s>" {
				all = append(all, end)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
})

// beginnings are the texts by which the dialect's calls are told where other families write.
func (d *Dialect) beginnings() (all []string) {
	for _, m := range d.markers() {
		opens := m.role == roleCall || m.role == roleHeader || m.role == roleLayout && slices.Contains(d.spellings(d.section.open), m.text)
		if opens && !strings.Contains(m.text, "=") { // but for the call's own tag, in which its name stands (heads.go)
			all = append(all, m.text)
		}
	}
	for _, c := range d.cues {
		all = append(all, c.text)
	}
	return all
}

// worded tells whether a beginning is a word: it counts at the start of a line only, and shows no call by itself.
func worded(beginning string) bool { return strings.HasSuffix(beginning, ":") }

func rank(d *Dialect) int {
	if _, ok := d.codecs[0].(jsonCodec); ok {
		return 1
	}
	return 0
}

// writesLike tells whether two families with the same first marker write calls in the same way.
func writesLike(a, b *Dialect) bool {
	key := func(d *Dialect) string {
		switch c := d.codecs[0].(type) {
		case taggedCodec:
			return "tags " + c.call.open + c.arg.open + c.argEnd
		case namedCodec:
			return "named " + c.before + c.separator
		case jsonCodec:
			return "json"
		case pythonicCodec:
			return "python"
		}
		return d.name
	}
	return key(a) == key(b)
}

// inviteGuests finds out which markers of other families may begin a call.
func (p *Plan) inviteGuests() {
	if !p.callable {
		return
	}
	var openers []marker
	for text := range guests() {
		if _, own := p.markers.byText[text]; !own {
			openers = append(openers, marker{text: text, role: roleCall})
			p.cueOn(text)
		}
	}
	p.guests, p.hosts = newMarkerSet(openers), &sync.Map{}
}

// hosted is the plan by which another family's call is read: the same turn, without its mask.
func (p *Plan) hosted(d *Dialect) *Plan {
	if q, ok := p.hosts.Load(d); ok {
		return q.(*Plan)
	}
	q := &Plan{guest: true, dialect: d, turn: p.turn, tools: p.tools, names: p.names, callable: p.callable, nameKeys: p.nameKeys, argsKeys: p.argsKeys, maxHead: p.maxHead}
	q.turn.Answer, q.turn.Stops, q.turn.Thinking, q.turn.Parallel = nil, nil, Thinking{Off: true}, true
	q.mark()
	q.cueUp()
	q.behead()
	p.hosts.Store(d, q)
	return q
}

// guestAt tells whether a marker of another family stands at the start of text.
func (p *Plan) guestAt(text []byte, final bool) (marker, answer) {
	if p.guests == nil {
		return marker{}, no
	}
	return p.guests.at(text, final)
}

// openGuest opens the region of a call in another family's markers, of which m is the first.
func (p *tolerant) openGuest(m marker, at int) {
	p.openCue(at, at, guestCodec{families: guests()[m.text], worded: worded(m.text)}, true)
	p.region.unopened = false
}

// guestCodec reads calls of other families that begin with one marker.
type guestCodec struct {
	codec
	families []*Dialect
	worded   bool
}

func (c guestCodec) starts(opening, []byte, bool) answer { return yes }

func (c guestCodec) scanner(o opening) scanner {
	s := &guestScanner{plan: o.plan, worded: c.worded}
	for _, d := range c.families {
		s.parsers = append(s.parsers, newTolerant(o.plan.hosted(d), true))
	}
	return s
}

// guestScanner has the other families' parsers read until one of them has found calls. Each is left out once it says that the text is
// none.
type guestScanner struct {
	plan    *Plan
	parsers []*tolerant
	found   []rawCall
	by      *tolerant // that found them
	read    int
	stop    int
	late    bool // they ended with the text
	worded  bool // a word began them, and shows none
}

func (s *guestScanner) end() int                        { return s.stop }
func (s *guestScanner) soft() int                       { return 0 }
func (s *guestScanner) whole() bool                     { return !s.late }
func (s *guestScanner) calls([]byte) ([]rawCall, error) { return s.found, nil }

// reached implements scanner: what was soon told to be text is looked at once more, for calls without markers.
func (s *guestScanner) reached() int {
	if s.read > maxHost {
		return s.read
	}
	return min(s.read, 1)
}

func (s *guestScanner) step(body []byte, final bool) status {
	for ; s.by == nil && s.read < len(body); s.read++ {
		s.parsers = slices.DeleteFunc(s.parsers, func(p *tolerant) bool { return !s.take(p, p.Token(body[s.read:s.read+1], false)) })
		if s.by == nil && len(s.parsers) == 0 {
			return rejected
		}
	}
	if s.by == nil && final {
		s.late = true
		for _, p := range s.parsers {
			s.take(p, p.Close(false))
		}
	}
	switch {
	case s.by != nil:
		return s.close(body, final)
	case final:
		return rejected
	}
	return open
}

// take looks at what a parser says of the next byte. It is false where that has found text.
func (s *guestScanner) take(p *tolerant, events []Event) bool {
	for _, e := range events {
		switch {
		case s.by != nil && s.by != p:
			return false
		case (e.Kind == Text || e.Kind == Reasoning) && strings.TrimSpace(e.Text) != "" && s.by == nil:
			return false
		case e.Kind == CallEnd:
			args := e.Call.Arguments
			if args == nil {
				args = []byte(jsonString(e.Call.Input))
			}
			s.by, s.stop = p, p.left
			s.found = append(s.found, rawCall{name: PromptName(e.Call.Namespace, e.Call.Name), args: args, repairs: []string{guestMarkers}})
		}
	}
	return true
}

// proven tells whether the calls ended before the text did, or with what closes them.
func (s *guestScanner) proven() bool {
	d := s.by.plan.dialect
	closers := d.closers()
	if tags, ok := d.codecs[0].(taggedCodec); ok {
		closers = append(closers, tags.callEnd)
	}
	closers = slices.DeleteFunc(closers, func(t string) bool { return t == "" })
	source := bytes.TrimSpace(s.found[0].source)
	if s.worded {
		return false
	}
	return !s.late || len(closers) == 0 || slices.ContainsFunc(closers, func(t string) bool { return bytes.HasSuffix(source, []byte(t)) })
}

// closers are the markers that close the dialect's calls, and the section of them.
func (d *Dialect) closers() []string {
	return slices.Concat(d.spellings(d.call.close), d.spellings(d.section.close))
}

// close takes what closes the calls and the turn along.
func (s *guestScanner) close(body []byte, final bool) status {
	closers := s.by.plan.dialect.closers()
	for _, end := range turnEnds() {
		if _, own := s.plan.markers.byText[end]; !own { // which says more here
			closers = append(closers, end)
		}
	}
	for {
		i := skipSpace(body, s.stop)
		if i == len(body) && !final && i-s.stop <= maxGap {
			return open
		}
		t, a := anyPrefix(body[i:], closers, final)
		switch a {
		case unknown:
			return open
		case no:
			s.found[0].source = body[:s.stop]
			return ended
		}
		s.stop = i + len(t)
	}
}
