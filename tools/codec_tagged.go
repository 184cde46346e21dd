package tools

import (
	"errors"
	"slices"
	"strings"

	"tenon/tools/lenient"
)

// taggedCodec reads calls whose arguments stand between tags, each value as plain text or JSON:
//
//	CALL = call.open NAME call.close { arg.open KEY arg.close [value] TEXT argEnd } callEnd
//
// With nameFirst, the name is not in a tag but stands right behind the opener of the call.
type taggedCodec struct {
	named     string // the tool whose name the call's tag is; "" if a name stands in the tag
	call      span   // around the name
	callEnd   string
	nameFirst bool
	arg       span   // around the key; attributes may follow the key inside it
	value     string // stands between key and text, "" if nothing does
	argEnd    string
	// textAttribute in a key's tag says that the value is plain text, jsonAttribute that it is JSON. Without them the
	// schema says.
	textAttribute, jsonAttribute string
	attribute                    string // written behind a key: its start; the kind and the tag's end follow
	index                        string // written behind a name: its start; the call's number and the tag's end follow
	nameEnd                      string // written behind a name that comes first
	between                      string // written between the parts of a call
	// lines: a line break behind the key's tag and one before argEnd are layout.
	lines bool
	// cdata: text may stand in a CDATA section, inside of which nothing ends it.
	cdata bool
}

func (c taggedCodec) openers() []string {
	if c.nameFirst {
		return nil
	}
	return []string{c.call.open}
}

func (c taggedCodec) inner() []string {
	var all []string
	for _, s := range []string{c.callEnd, c.arg.open, c.arg.close, c.value, c.argEnd, c.nameEnd} {
		if len(s) > 3 { // "> and > are no markers by themselves
			all = append(all, s)
		}
	}
	return all
}

func (c taggedCodec) starts(o opening, body []byte, final bool) answer {
	if o.marker != "" && o.marker == c.call.open {
		return yes
	}
	i := skipSpace(body, 0)
	if i == len(body) {
		return boolean(!final, unknown)
	}
	if c.nameFirst {
		return boolean(body[i] != '{' && body[i] != '[' && body[i] != '<' && body[i] != '`', yes)
	}
	tag, _ := strings.CutSuffix(tagOpen(c.call.open), "=")
	if a := hasPrefix(body[i:], tag, final); a != yes {
		return a
	}
	_, a := anyPrefix(body[i:], tagOpens(c.call.open), final)
	return a
}

func (c taggedCodec) scanner(o opening) scanner {
	opened := o.marker == c.call.open
	s := &taggedScanner{taggedCodec: c, opening: o, callOpens: tagOpens(c.call.open), argOpens: tagOpens(c.arg.open)}
	s.inside = append(slices.Clone(s.argOpens), c.callEnd)
	d := o.plan.dialect
	s.closing = slices.Concat([]string{c.callEnd}, d.spellings(d.call.close), d.spellings(d.section.close))
	s.follow = slices.Concat(s.argOpens, s.callOpens, s.closing)
	s.nests = s.callOpens
	if c.nameFirst {
		s.nests = d.spellings(d.opener())
	}
	s.opensOrEnds = slices.Concat(s.nests, o.plan.terminators)
	s.proof = append(slices.Concat(s.argOpens, s.closing), c.nameEnd)
	s.closers, s.argTags = s.closingTags(), s.argumentTags()
	if c.nameFirst || opened {
		s.state = inName
	}
	return s
}

type taggedState uint8

const (
	beforeCall taggedState = iota
	inName
	inCall
	inKey
	beforeValue
	inValue
	inJSON    // one object of arguments instead of tags
	afterCall // another call or the end
)

// taggedScanner reads a region tag by tag.
type taggedScanner struct {
	taggedCodec
	opening
	state   taggedState
	pos     int
	from    int // of the name, key or value that pos is in
	callAt  int
	called  int // where the last call ended
	tool    *declared
	current rawCall
	field   field
	element string // what closes the argument that is read, if it stands in an element of its name
	passed  bool   // what the value starts with has been looked at
	// unstructured: no list or object stands at the value's start, or it has been passed.
	unstructured bool
	inner        nesting // calls inside the value
	fence        fences  // in the value
	last         tag     // that the value was found to hold
	lastSize     int
	ahead        outlook // at what follows what may be the call's end
	torn         bool    // which tag ends the call cannot be told
	json         lenient.Scanner
	done         []rawCall
	stop         int
	follow       []string // what may stand behind an argument
	inside       []string // and inside a call
	// callOpens and argOpens are the ways in which a call's and an argument's tag may begin.
	callOpens, argOpens []string
	closing             []string   // the call, or what stands around it
	closers             [][]string // all of it together, one behind another
	argTags             []string   // stand around arguments
	headEnd             int        // where the call's name ends
	inLines             bool       // a line break stands between that and the first argument
	nests               []string   // begins a call where a value is read
	proof               []string   // and stands behind the name of such a one
	opensOrEnds         []string   // shows that the call before it is over
	short               bool       // the last call has no end
}

func (s *taggedScanner) end() int     { return s.stop }
func (s *taggedScanner) soft() int    { return 0 }
func (s *taggedScanner) reached() int { return s.pos }
func (s *taggedScanner) whole() bool  { return s.state == afterCall && !s.short }

var errUnclosedValue = errors.New("an argument is never closed")

func (s *taggedScanner) calls(body []byte) ([]rawCall, error) {
	switch {
	case s.state == afterCall:
		return s.done, nil
	case len(s.done) == 0:
		return nil, errUnclosedValue
	}
	return append(s.done, rawCall{source: body[s.callAt:s.stop], err: errUnclosedValue}), nil
}

func (s *taggedScanner) step(body []byte, final bool) status {
	for {
		st, again := s.advance(body, final)
		if !again {
			return st
		}
	}
}

// advance makes one step. again says that there may be more to read.
func (s *taggedScanner) advance(body []byte, final bool) (st status, again bool) {
	switch s.state {
	case inName, inKey:
		return s.readTag(body, final)
	case inValue:
		return s.readValue(body, final)
	case inJSON:
		return s.readJSON(body, final)
	}
	s.pos = skipSpace(body, s.pos)
	if s.pos == len(body) {
		return s.atEnd(body, final), false
	}
	switch s.state {
	case beforeCall:
		return s.openCall(body, final)
	case beforeValue:
		return s.openValue(body, final)
	case inCall:
		return s.within(body, final)
	default:
		return s.after(body, final)
	}
}

// atEnd ends the region where the text does.
func (s *taggedScanner) atEnd(body []byte, final bool) status {
	if !final {
		return open
	}
	if s.state == inCall {
		s.finishCall(body, len(body))
		s.short = true
	}
	s.stop = len(body)
	if len(s.done) == 0 && s.state != inValue && s.state != inJSON {
		return rejected
	}
	return ended
}

// openCall reads the tag that opens a call.
func (s *taggedScanner) openCall(body []byte, final bool) (status, bool) {
	switch t, a := anyPrefix(body[s.pos:], s.callOpens, final); a {
	case yes:
		s.callAt = s.pos
		s.pos += len(t)
		s.from, s.state = s.pos, inName
		return open, true
	case unknown:
		return open, false
	}
	return rejected, false
}

func (s *taggedScanner) openValue(body []byte, final bool) (status, bool) {
	if a := hasPrefix(body[s.pos:], s.arg.close, final); s.value != "" && a != no { // a key may be closed twice
		if a == yes {
			s.pos += len(s.arg.close)
		}
		return open, a == yes
	}
	switch hasPrefix(body[s.pos:], s.value, final) {
	case yes:
		s.pos += len(s.value)
	case unknown:
		return open, false
	}
	s.beginValue()
	return open, true
}

// beginValue begins an argument's value at pos.
func (s *taggedScanner) beginValue() {
	s.from, s.state, s.fence = s.pos, inValue, fences{pos: s.pos}
}

// within reads what stands between the arguments of a call.
func (s *taggedScanner) within(body []byte, final bool) (status, bool) {
	rest := body[s.pos:]
	switch t, a := anyPrefix(rest, s.inside, final); {
	case a == unknown:
		return open, false
	case a == yes && t != s.callEnd:
		if len(s.current.fields) == 0 {
			s.inLines = inLines(body[s.headEnd:s.pos])
		}
		s.pos += len(t)
		s.from, s.state = s.pos, inKey
		return open, true
	case a == yes:
		s.finishCall(body, s.pos+len(t))
		return open, true
	}
	if _, a := anyPrefix(rest, s.plan.terminators, final); a != no {
		if a == yes {
			s.finishCall(body, s.pos)
		}
		return open, a == yes
	}
	if s.value != "" && len(s.current.fields) > 0 && hasPrefix(rest, s.arg.close, final) != no {
		again := hasPrefix(rest, s.arg.close, final) == yes
		if again {
			s.pos += len(s.arg.close)
		}
		return open, again
	}
	if rest[0] == '{' && len(s.current.fields) == 0 {
		s.json = lenient.Scanner{Rules: s.rules()}
		s.json.Reset(s.pos)
		s.from, s.state = s.pos, inJSON
		return open, true
	}
	if n, a := s.unopenedKey(rest, final); a != no && len(s.current.fields) > 0 {
		if a == yes {
			s.from, s.pos, s.state = s.pos, s.pos+n, inKey
		}
		return open, a == yes
	}
	if key, a := s.elementAt(rest, final); a != no {
		if a == yes {
			s.openElement(key)
		}
		return open, a == yes
	}
	if len(s.current.fields) == 0 && s.current.args == nil { // the tag alone is a word about calls
		return s.reject(), false
	}
	s.finishCall(body, s.pos)
	return open, true
}

// finishCall ends the current call at offset i.
func (s *taggedScanner) finishCall(body []byte, i int) {
	s.current.source = body[s.callAt:i]
	if s.torn {
		s.current.err, s.torn = errTorn, false
	}
	s.done = append(s.done, s.current)
	s.current = rawCall{}
	s.pos, s.called, s.state = i, i, afterCall
}

// after reads what stands behind a call: another one, or the end of the region.
func (s *taggedScanner) after(body []byte, final bool) (status, bool) {
	rest := body[s.pos:]
	own := s.plan.closers[s.marker]
	t, a := anyPrefix(rest, own, final)
	if a == unknown {
		return open, false
	}
	if a == yes {
		s.pos += len(t)
		s.stop = s.pos
		return ended, false
	}
	if s.nameFirst {
		s.stop = s.called
		return ended, false
	}
	switch _, a := anyPrefix(rest, s.callOpens, final); a {
	case yes:
		s.state = beforeCall
		return open, true
	case unknown:
		return open, false
	}
	s.stop = s.called
	return ended, false
}
