package scan

import (
	"bytes"

	"tenon/tools/declared"
	"tenon/tools/lenient"
	"tenon/tools/peek"
)

// TextCodec reads the input of a free-form tool that a header has named: everything up to the end of the message.
type TextCodec struct{}

func (TextCodec) Starts(Opening, []byte, bool) peek.Answer { return peek.Yes }

func (TextCodec) Scanner(o Opening) Scanner { return &textScanner{Opening: o} }

type textScanner struct {
	Opening
	from, pos int
}

func (s *textScanner) End() int { return s.pos }

func (s *textScanner) Soft() int { return 0 }

func (s *textScanner) Reached() int { return s.pos }

func (s *textScanner) Whole() bool { return false }

func (s *textScanner) Step(body []byte, final bool) Status {
	for ; s.pos < len(body); s.pos++ {
		switch _, a := peek.AnyPrefix(body[s.pos:], s.Plan.Terminators, final); a {
		case peek.Unknown:
			return Open
		case peek.Yes:
			return Ended
		}
	}
	if final {
		return Ended
	}
	return Open
}

func (s *textScanner) Calls(body []byte) ([]declared.RawCall, error) {
	text := body[s.from:s.pos]
	if o := bytes.TrimSpace(text); declared.HoldsInput(string(o)) {
		return []declared.RawCall{{Name: s.Name, Args: o, Source: text}}, nil
	}
	return []declared.RawCall{{Name: s.Name, Args: lenient.AppendString(nil, string(text)), Source: text}}, nil
}
