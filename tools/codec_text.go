package tools

import (
	"bytes"

	"tenon/tools/lenient"
)

// textCodec reads the input of a free-form tool that a header has named: everything up to the end of the message.
type textCodec struct{}

func (textCodec) openers() []string                    { return nil }
func (textCodec) inner() []string                      { return nil }
func (textCodec) list() (open, between, end string)    { return "", "", "" }
func (textCodec) begins(string) []string               { return nil }
func (textCodec) write(*output, *declared, int) string { return "%text" }
func (textCodec) exact(*declared) bool                 { return true }
func (textCodec) starts(opening, []byte, bool) answer  { return yes }
func (textCodec) scanner(o opening) scanner            { return &textScanner{opening: o} }

type textScanner struct {
	opening
	from, pos int
}

func (s *textScanner) end() int     { return s.pos }
func (s *textScanner) soft() int    { return 0 }
func (s *textScanner) reached() int { return s.pos }
func (s *textScanner) whole() bool  { return false }

func (s *textScanner) step(body []byte, final bool) status {
	for ; s.pos < len(body); s.pos++ {
		switch _, a := anyPrefix(body[s.pos:], s.plan.terminators, final); a {
		case unknown:
			return open
		case yes:
			return ended
		}
	}
	if final {
		return ended
	}
	return open
}

func (s *textScanner) calls(body []byte) ([]rawCall, error) {
	text := body[s.from:s.pos]
	if o := bytes.TrimSpace(text); holdsInput(string(o)) {
		return []rawCall{{name: s.name, args: o, source: text}}, nil
	}
	return []rawCall{{name: s.name, args: lenient.AppendString(nil, string(text)), source: text}}, nil
}
