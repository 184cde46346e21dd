package scan

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
)

// namedReader reads the calls of a format.Named.
type namedReader struct{ format.Named }

func (c namedReader) Starts(_ Opening, body []byte, final bool) peek.Answer {
	i := peek.SkipSpace(body, 0)
	switch body[i] {
	case '{', '[', '`':
		return peek.No
	}
	return peek.Yes
}

func (c namedReader) Scanner(o Opening) Scanner {
	s := &namedScanner{namedReader: c, JSONScanner: *newJSONScanner(o, c.Quotes)}
	s.take = s.object
	if len(c.Quotes) > 0 && o.IsSymbol == nil {
		d := o.Plan.Dialect
		s.ahead.opens, s.ahead.closings = d.Spellings(d.Opener()), o.Plan.Closers[o.Marker]
		s.ahead.marks = peek.NewTexts(slices.Concat(o.Plan.TurnEnds.All, d.Results, s.ahead.opens, s.ahead.closings, c.Quotes))
	}
	switch {
	case c.Labelled:
		s.JSONScanner.after = format.LabelsBehind
	case !strings.Contains(c.After, format.FenceMark): // the scanner of objects knows fences
		s.JSONScanner.after = []string{c.After}
	}
	return s
}

// namedScanner reads the words up to the object, then the object.
type namedScanner struct {
	namedReader
	JSONScanner
	head int // where the object begins; 0 before that is known
	word int // where the present word of the head begins
	// others: the head has other words than the name.
	others bool
	trails bool        // some of them stand behind it, and are no id
	input  textScanner // of the input of a free-form tool
	ahead  behind
}

// behind is how far the text behind a call has been looked at, whose strings stand between
// delimiters that may be text: a value may hold what ends it and the call.
type behind struct {
	marks           peek.Texts // what is looked for there; none where delimiters are tokens
	opens, closings []string   // of calls
	pos             int        // 0 before the call has ended
	within          bool       // another call
	odd             bool       // with a string open
	ambiguous       bool       // the call may not have ended
}

// Inline tells whether the object stands on the line of the name, though the family writes it on
// the next.
func (s *namedScanner) Inline(body []byte) bool {
	return s.Separator == "\n" && !bytes.Contains(body[:s.head], []byte("\n"))
}

// Called tells whether a tool has been named that can be called.
func (s *namedScanner) Called() bool { return s.head > 0 && s.Name != "" }

// Step implements Scanner.
func (s *namedScanner) Step(body []byte, final bool) Status {
	if s.head == 0 {
		if st := s.readHead(body, final); st != Open || s.head == 0 {
			return st
		}
	}
	if s.input.Plan != nil {
		if st := s.input.Step(body, final); st != Ended {
			return st
		}
		s.pos, s.seen = s.input.pos, !final || s.input.pos < len(body)
		return s.close(body, final)
	}
	if s.ahead.pos == 0 {
		if st := s.JSONScanner.Step(body, final); st != Ended || s.ahead.marks.All == nil {
			return st
		}
		s.ahead.pos = s.stop
	}
	a := s.closedAgain(body, final)
	if a == peek.Unknown {
		return Open
	}
	s.ahead.ambiguous = a == peek.Yes
	return Ended
}

// Cut implements Cutter: also where the region ends earlier, the call must be over.
func (s *namedScanner) Cut(body []byte, at int) ([]declared.RawCall, error) {
	s.ahead.ambiguous = false
	calls, err := s.JSONScanner.Cut(body, at)
	s.ahead.pos, s.ahead.within, s.ahead.odd = s.stop, false, false
	if s.ahead.marks.All != nil && s.closedAgain(body, true) == peek.Yes {
		return nil, ErrAmbiguous
	}
	return calls, err
}

// closedAgain tells whether the text behind the call closes a string once more that none of the
// calls there has opened: up to the turn's end, or for MaxBare bytes. Directly before another call
// the call is over.
func (s *namedScanner) closedAgain(body []byte, final bool) peek.Answer {
	b, first := &s.ahead, peek.SkipSpace(body, s.stop)
	for ; b.pos < len(body) && b.pos-s.stop <= MaxBare; b.pos++ {
		t, a := b.marks.At(body[b.pos:], final)
		switch {
		case a == peek.Unknown:
			return a
		case a == peek.No, b.pos > first && slices.Contains(s.Plan.Dialect.Results, t):
			continue
		case slices.Contains(s.Quotes, t) && !b.within, b.odd && slices.Contains(b.closings, t):
			return peek.Yes
		case slices.Contains(s.Quotes, t):
			b.odd = !b.odd
		case slices.Contains(b.closings, t):
			b.within = false
		case !slices.Contains(b.opens, t):
			return peek.No // the turn is over, or the call's result follows
		default:
			name, a := s.nameAt(body[b.pos+len(t):], final)
			if a == peek.Unknown {
				return a
			}
			if _, ok := s.Plan.Resolve(name); ok && b.pos == first {
				return peek.No
			}
			b.within = b.within || a == peek.Yes
		}
		b.pos += len(t) - 1
	}
	return peek.Boolean(!final && b.pos-s.stop <= MaxBare, peek.Unknown)
}

// nameAt tells whether text begins with the name of a tool and an object behind it.
func (s *namedScanner) nameAt(text []byte, final bool) (string, peek.Answer) {
	room := text[:min(len(text), s.Plan.MaxHead)]
	i := bytes.IndexAny(room, "{\n<")
	if i < 0 {
		return "", peek.Boolean(!final && len(room) < s.Plan.MaxHead, peek.Unknown)
	}
	name := strings.TrimPrefix(strings.TrimSpace(string(room[:i])), s.Before)
	return name, peek.Boolean(room[i] == '{', peek.Yes)
}

// takesText tells whether head names a free-form tool, whose input may stand behind a mark as it
// is.
func (s *namedScanner) takesText(head []byte, mark string) bool {
	if !strings.ContainsAny(mark, "<[|") || mark == s.IDMark || s.resolve(string(head)) == Rejected {
		return false
	}
	s.head = 0
	if m, ok := s.Plan.Resolve(s.Name); ok && s.Plan.Tools[m.Tool].Freeform != nil {
		s.input = textScanner{Opening: s.Opening}
		s.input.Name = s.Name
		return true
	}
	s.Name = ""
	return false
}

func (s *namedScanner) readHead(body []byte, final bool) Status {
	for ; s.pos < len(body) && s.pos <= s.Plan.MaxHead; s.pos++ {
		rest := body[s.pos:]
		switch s.headEnds(rest, final) {
		case peek.Unknown:
			return Open
		case peek.Yes:
			return s.noArguments(body, final)
		}
		mark, split := peek.AnyPrefix(rest, s.Splits, final)
		switch {
		case split == peek.Unknown:
			return Open
		case split == peek.Yes && s.takesText(body[:s.pos], mark):
			s.head = s.pos + len(mark)
			s.input.from, s.input.pos = s.head, s.head
			return Open
		case split == peek.Yes:
			s.word = s.pos + len(mark)
			s.pos = s.word - 1
			continue
		case s.Plan.Prose(body, s.word, s.pos):
			return Rejected
		}
		if rest[0] == '{' || rest[0] == '[' && split == peek.No {
			return s.resolve(string(body[:s.pos]))
		}
		if a := s.inString(rest, final); a != peek.No {
			if a == peek.Unknown {
				return Open
			}
			return s.resolve(string(body[:s.pos])) // which passes the quote
		}
	}
	switch {
	case s.pos > s.Plan.MaxHead:
		return Rejected
	case final:
		return s.noArguments(body, final)
	}
	return Open
}

// headEnds tells whether the head ends at the start of rest, without an object: so it does where
// the next section begins, or what stands in prose like a section's mark would take the call
// behind it along.
func (s *namedScanner) headEnds(rest []byte, final bool) peek.Answer {
	a := s.Plan.Terminators.Tag(rest, final)
	if lead := s.Plan.Dialect.Lead; a == peek.No && lead != "" {
		return peek.Prefix(rest, lead, final)
	}
	return a
}

// inString tells whether the object stands in a string.
func (s *namedScanner) inString(rest []byte, final bool) peek.Answer {
	if rest[0] != '"' || s.BareKeys || s.Labelled {
		return peek.No
	}
	return peek.Prefix(rest[1:], "{", final)
}

// noArguments ends a call that has a name and nothing else.
func (s *namedScanner) noArguments(body []byte, final bool) Status {
	at := s.pos
	if st := s.resolve(string(body[:at])); st == Rejected || s.trails || s.Labelled && s.others {
		return Rejected
	}
	s.pos, s.seen = at, !final || at < len(body)
	return s.close(body, final)
}

func (s *namedScanner) resolve(head string) Status {
	s.fenced = strings.Contains(head, format.FenceMark)
	for _, t := range s.Splits {
		head = strings.ReplaceAll(head, t, "\x00")
	}
	words := strings.Split(head, "\x00")
	for i, w := range words {
		w = strings.TrimSpace(w)
		if _, ok := s.Plan.Resolve(w); !ok {
			continue
		}
		s.Name = w
		s.others = strings.TrimSpace(strings.Join(slices.Concat(words[:i], words[i+1:]), "")) != ""
		s.trails = s.IDMark == "" && strings.TrimSpace(strings.Join(words[i+1:], "")) != ""
		s.head = max(s.pos, 1)
		s.values.Watch = nil
		return Open
	}
	return Rejected
}

// Calls implements Scanner.
func (s *namedScanner) Calls(body []byte) ([]declared.RawCall, error) {
	if s.input.Plan != nil {
		return s.input.Calls(body)
	}
	return s.JSONScanner.Calls(body)
}

// object reads the one object of arguments.
func (s *namedScanner) object(body []byte) ([]declared.RawCall, error) {
	if s.ahead.ambiguous {
		return nil, ErrAmbiguous
	}
	if s.head >= len(body) {
		return []declared.RawCall{{Name: s.Name, Args: []byte("{}"), Source: body}}, nil
	}
	rules := s.values.Rules
	if spelt := rules.Spelt; spelt != nil {
		rules.Spelt = func(quote string, at int) bool { return spelt(quote, s.head+at) }
	}
	args, repairs, err := s.arguments(body[s.head:], s.unfenced(body[s.head:]), rules, s.ambiguous, s.closed)
	if err != nil {
		return nil, err
	}
	c := declared.RawCall{Name: s.Name, Args: args, Repairs: repairs, Source: body}
	if s.BareKeys { // as the family writes
		c.Repairs = declared.Without(c.Repairs, lenient.BareKey, lenient.QuoteStyle, lenient.RawControl)
	}
	return []declared.RawCall{c}, nil
}
