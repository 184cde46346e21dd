package tools

import (
	"cmp"
	"slices"
	"strings"

	"tenon/tools/lenient"
)

// namedCodec reads calls whose name stands before a JSON object of arguments:
//
//	CALL = { word | separator } OBJECT
//
// Of the words before the object, one is the name; ids and fixed words may stand beside it.
type namedCodec struct {
	before    string   // a fixed text before the name, as the family writes it
	separator string   // between name and object, as the family writes it
	idMark    string   // between name and id, "" if no id is written or the id is part of the name
	splits    []string // all texts that part the words
	idFirst   string   // between id and name, where the id comes first
	index     bool     // the call's number follows the name
	bareKeys  bool     // keys are written without quotes
	after     string   // behind the object, before the call's closing marker
	quotes    []string // delimiters of strings besides JSON's
	labelled  bool     // the words are labels, but for the name
}

func (c namedCodec) openers() []string { return nil }

func (c namedCodec) inner() []string {
	var all []string
	for _, s := range append(append([]string{}, c.splits...), c.quotes...) {
		if strings.ContainsAny(s, "<[|") { // words such as "call:" are common in text
			all = append(all, s)
		}
	}
	return all
}

func (c namedCodec) starts(_ opening, body []byte, final bool) answer {
	i := skipSpace(body, 0)
	if i == len(body) {
		return boolean(!final, unknown)
	}
	switch body[i] {
	case '{', '[', '`':
		return no
	}
	return yes
}

func (c namedCodec) scanner(o opening) scanner {
	s := &namedScanner{namedCodec: c, jsonScanner: *newJSONScanner(o, c.quotes)}
	switch {
	case c.labelled:
		s.jsonScanner.after = labelsBehind
	case !strings.Contains(c.after, fenceMark): // the scanner of objects knows fences
		s.jsonScanner.after = []string{c.after}
	}
	return s
}

// namedScanner reads the words up to the object, then the object.
type namedScanner struct {
	namedCodec
	jsonScanner
	head int // where the object begins; 0 before that is known
	word int // where the present word of the head begins
	// others: the head has other words than the name.
	others bool
	trails bool        // some of them stand behind it, and are no id
	input  textScanner // of the input of a free-form tool
	id     string
}

func (s *namedScanner) step(body []byte, final bool) status {
	if s.head == 0 {
		if st := s.readHead(body, final); st != open || s.head == 0 {
			return st
		}
	}
	if s.input.plan != nil {
		if st := s.input.step(body, final); st != ended {
			return st
		}
		s.pos, s.seen = s.input.pos, !final || s.input.pos < len(body)
		return s.close(body, final)
	}
	return s.jsonScanner.step(body, final)
}

// takesText tells whether head names a free-form tool, whose input may stand behind a mark as it is.
func (s *namedScanner) takesText(head []byte, mark string) bool {
	if !strings.ContainsAny(mark, "<[|") || mark == s.idMark || s.resolve(string(head)) == rejected {
		return false
	}
	s.head = 0
	if m, ok := s.plan.resolve(s.name); ok && s.plan.tools[m.tool].Freeform != nil {
		s.input = textScanner{opening: s.opening}
		s.input.name = s.name
		return true
	}
	s.name = ""
	return false
}

func (s *namedScanner) readHead(body []byte, final bool) status {
	for ; s.pos < len(body) && s.pos <= s.plan.maxHead; s.pos++ {
		rest := body[s.pos:]
		switch s.headEnds(rest, final) {
		case unknown:
			return open
		case yes:
			return s.noArguments(body, final)
		}
		mark, split := anyPrefix(rest, s.splits, final)
		switch {
		case split == unknown:
			return open
		case split == yes && s.takesText(body[:s.pos], mark):
			s.head = s.pos + len(mark)
			s.input.from, s.input.pos = s.head, s.head
			return open
		case split == yes:
			s.word = s.pos + len(mark)
			s.pos = s.word - 1
			continue
		case s.plan.prose(body, s.word, s.pos):
			return rejected
		}
		if rest[0] == '{' || rest[0] == '[' && split == no {
			return s.resolve(string(body[:s.pos]))
		}
		if a := s.inString(rest, final); a != no {
			if a == unknown {
				return open
			}
			return s.resolve(string(body[:s.pos])) // which passes the quote
		}
	}
	switch {
	case s.pos > s.plan.maxHead:
		return rejected
	case final:
		return s.noArguments(body, final)
	}
	return open
}

// headEnds tells whether the head ends at the start of rest, without an object: so it does where the next section begins, or what
// stands in prose like a section's mark would take the call behind it along.
func (s *namedScanner) headEnds(rest []byte, final bool) answer {
	_, a := anyPrefix(rest, s.plan.terminators, final)
	if lead := s.plan.dialect.lead; a == no && lead != "" {
		return hasPrefix(rest, lead, final)
	}
	return a
}

// inString tells whether the object stands in a string.
func (s *namedScanner) inString(rest []byte, final bool) answer {
	if rest[0] != '"' || s.bareKeys || s.labelled {
		return no
	}
	return hasPrefix(rest[1:], "{", final)
}

// noArguments ends a call that has a name and nothing else.
func (s *namedScanner) noArguments(body []byte, final bool) status {
	at := s.pos
	if st := s.resolve(string(body[:at])); st == rejected || s.trails || s.labelled && s.others {
		return rejected
	}
	s.pos, s.seen = at, !final || at < len(body)
	return s.close(body, final)
}

func (s *namedScanner) resolve(head string) status {
	s.fenced = strings.Contains(head, fenceMark)
	for _, t := range s.splits {
		head = strings.ReplaceAll(head, t, "\x00")
	}
	words := strings.Split(head, "\x00")
	for i, w := range words {
		w = strings.TrimSpace(w)
		if _, ok := s.plan.resolve(w); !ok {
			continue
		}
		s.name = w
		s.others = strings.TrimSpace(strings.Join(slices.Concat(words[:i], words[i+1:]), "")) != ""
		s.trails = s.idMark == "" && strings.TrimSpace(strings.Join(words[i+1:], "")) != ""
		if s.idMark != "" {
			rest := append(append([]string{}, words[:i]...), words[i+1:]...)
			s.id = strings.TrimSpace(strings.Join(rest, ""))
		} else if strings.Contains(w, ":") {
			s.id = w
		}
		s.head = max(s.pos, 1)
		s.values.Watch = nil
		return open
	}
	return rejected
}

func (s *namedScanner) calls(body []byte) ([]rawCall, error) {
	if s.input.plan != nil {
		return s.input.calls(body)
	}
	s.untear(body)
	s.closed = s.closed || !s.bare || s.stop == len(body)
	if s.head >= s.text {
		return []rawCall{{name: s.name, id: s.id, args: []byte("{}"), source: body[:s.stop]}}, nil
	}
	return s.object(body[:s.text])
}

func (s *namedScanner) cut(body []byte, at int) ([]rawCall, error) {
	s.pos = at
	s.close(body, true)
	return s.object(body[:at])
}

// object reads the one object of arguments.
func (s *namedScanner) object(body []byte) ([]rawCall, error) {
	v, err := lenient.Decode(body[s.head:], s.values.Rules)
	c := rawCall{name: s.name, id: s.id, args: v.JSON, repairs: v.Repairs, source: body}
	if s.torn || err != nil || torn(v) {
		mended, mendErr := s.mend(s.unfenced(body[s.head:]), s.closed)
		if mendErr != nil {
			return nil, cmp.Or(err, mendErr)
		}
		c.args, c.repairs = mended[0].args, mended[0].repairs
	}
	if s.bareKeys { // as the family writes
		c.repairs = without(c.repairs, lenient.BareKey, lenient.QuoteStyle, lenient.RawControl)
	}
	return []rawCall{c}, nil
}
