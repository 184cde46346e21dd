package scan

import (
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
)

// namedCodec reads the calls of a format.Named.
type namedCodec struct{ format.Named }

func (c namedCodec) Starts(_ Opening, body []byte, final bool) peek.Answer {
	i := peek.SkipSpace(body, 0)
	switch body[i] {
	case '{', '[', '`':
		return peek.No
	}
	return peek.Yes
}

func (c namedCodec) Scanner(o Opening) Scanner {
	s := &NamedScanner{namedCodec: c, JSONScanner: *newJSONScanner(o, c.Quotes)}
	s.take = s.object
	switch {
	case c.Labelled:
		s.JSONScanner.after = format.LabelsBehind
	case !strings.Contains(c.After, format.FenceMark): // the scanner of objects knows fences
		s.JSONScanner.after = []string{c.After}
	}
	return s
}

// NamedScanner reads the words up to the object, then the object.
type NamedScanner struct {
	namedCodec
	JSONScanner
	Head int // where the object begins; 0 before that is known
	word int // where the present word of the head begins
	// others: the head has other words than the name.
	others bool
	trails bool        // some of them stand behind it, and are no id
	input  textScanner // of the input of a free-form tool
}

// Called tells whether a tool has been named that can be called.
func (s *NamedScanner) Called() bool { return s.Head > 0 && s.Name != "" }

func (s *NamedScanner) Step(body []byte, final bool) Status {
	if s.Head == 0 {
		if st := s.readHead(body, final); st != Open || s.Head == 0 {
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
	return s.JSONScanner.Step(body, final)
}

// takesText tells whether head names a free-form tool, whose input may stand behind a mark as it is.
func (s *NamedScanner) takesText(head []byte, mark string) bool {
	if !strings.ContainsAny(mark, "<[|") || mark == s.IDMark || s.resolve(string(head)) == Rejected {
		return false
	}
	s.Head = 0
	if m, ok := s.Plan.Resolve(s.Name); ok && s.Plan.Tools[m.Tool].Freeform != nil {
		s.input = textScanner{Opening: s.Opening}
		s.input.Name = s.Name
		return true
	}
	s.Name = ""
	return false
}

func (s *NamedScanner) readHead(body []byte, final bool) Status {
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
			s.Head = s.pos + len(mark)
			s.input.from, s.input.pos = s.Head, s.Head
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

// headEnds tells whether the head ends at the start of rest, without an object: so it does where the next section begins, or what
// stands in prose like a section's mark would take the call behind it along.
func (s *NamedScanner) headEnds(rest []byte, final bool) peek.Answer {
	a := s.Plan.Terminators.Tag(rest, final)
	if lead := s.Plan.Dialect.Lead; a == peek.No && lead != "" {
		return peek.Prefix(rest, lead, final)
	}
	return a
}

// inString tells whether the object stands in a string.
func (s *NamedScanner) inString(rest []byte, final bool) peek.Answer {
	if rest[0] != '"' || s.BareKeys || s.Labelled {
		return peek.No
	}
	return peek.Prefix(rest[1:], "{", final)
}

// noArguments ends a call that has a name and nothing else.
func (s *NamedScanner) noArguments(body []byte, final bool) Status {
	at := s.pos
	if st := s.resolve(string(body[:at])); st == Rejected || s.trails || s.Labelled && s.others {
		return Rejected
	}
	s.pos, s.seen = at, !final || at < len(body)
	return s.close(body, final)
}

func (s *NamedScanner) resolve(head string) Status {
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
		s.Head = max(s.pos, 1)
		s.values.Watch = nil
		return Open
	}
	return Rejected
}

func (s *NamedScanner) Calls(body []byte) ([]declared.RawCall, error) {
	if s.input.Plan != nil {
		return s.input.Calls(body)
	}
	return s.JSONScanner.Calls(body)
}

// object reads the one object of arguments.
func (s *NamedScanner) object(body []byte) ([]declared.RawCall, error) {
	if s.Head >= len(body) {
		return []declared.RawCall{{Name: s.Name, Args: []byte("{}"), Source: body}}, nil
	}
	rules := s.values.Rules
	if spelt := rules.Spelt; spelt != nil {
		rules.Spelt = func(quote string, at int) bool { return spelt(quote, s.Head+at) }
	}
	args, repairs, err := s.arguments(body[s.Head:], s.unfenced(body[s.Head:]), rules, s.torn, s.closed)
	if err != nil {
		return nil, err
	}
	c := declared.RawCall{Name: s.Name, Args: args, Repairs: repairs, Source: body}
	if s.BareKeys { // as the family writes
		c.Repairs = declared.Without(c.Repairs, lenient.BareKey, lenient.QuoteStyle, lenient.RawControl)
	}
	return []declared.RawCall{c}, nil
}
