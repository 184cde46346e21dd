package tools

import (
	"errors"
	"fmt"
	"slices"
)

// maxBare is how long a bare or fenced object may be and still be a call (issue 6, property 5).
const maxBare = 64 << 10

// maxCuts bounds how often a turn's regions may prove to have ended earlier, each time with the rest read again.
const maxCuts = 16

// maxAgain bounds how often, on average, a byte is read again because a bare object before it was none.
const maxAgain = 4

// region is a part of the output that may hold calls. Offsets are in the parser's buf.
type region struct {
	opening
	start    int // of the region's text
	body     int // behind the opener
	symbol   bool
	cue      bool    // no marker opened it: its text begins at start
	scan     scanner // nil until it is known which codec reads it
	codecs   []codec
	wrap     string // what closes the tag that stands around it, "" if none does
	closed   int    // where that has been read
	tail     int    // where looking on goes on after the end; 0 before it
	thinking bool
	cutOff   bool   // the output was cut off inside its last call
	first    bool   // nothing but white space came before it in the turn
	quote    string // what closes the quotation that it stands in, "" if it stands in none
	sought   int    // from where that is looked for; 0 before the end
	unopened bool   // the marker that opens calls is missing
	guest    bool   // behind the family's marker, the call is another family's
	unmarked bool   // what began it is no marker of the family
	uncased  bool   // tail is behind the code that it stands in
}

func (r *region) shift(n int) {
	r.start -= n
	r.body -= n
	if r.tail > 0 {
		r.tail -= n
	}
	r.closed = max(0, r.closed-n)
	r.sought = max(0, r.sought-n)
}

func (p *tolerant) openRegion(o opening, start, body int, isSymbol bool) {
	codecs := p.plan.codecs[o.marker]
	o.cased, o.sent = p.casing != nil, p.called < p.sent
	if !p.spelt {
		o.isSymbol = p.symbolInRegion
	}
	p.region = &region{opening: o, start: start, body: body, symbol: isSymbol, codecs: codecs, thinking: p.thinking, first: !p.content.began}
	p.region.unopened = p.plan.dialect.lacksOpener(o.marker)
}

// symbolInRegion tells whether a symbol stands at an offset behind the region's opener.
func (p *tolerant) symbolInRegion(at int) bool {
	_, found := p.symbolAt(p.region.body + at)
	return found
}

// stepRegion reads on in the region. It says whether there is more to decide.
func (p *tolerant) stepRegion(final bool) bool {
	r := p.region
	body := p.buf[r.body:]
	if r.tail > 0 {
		return p.settle(final)
	}
	if r.scan == nil {
		switch p.chooseCodec(body, final) {
		case no:
			p.noCall(r.body, nil)
			return true
		case unknown:
			return false
		}
	}
	tooLong := r.bare && len(body) > maxBare
	if tooLong {
		body, final = body[:maxBare], false
	}
	switch r.scan.step(body, final) {
	case open:
		if !tooLong {
			return false
		}
		p.noCall(r.body+maxBare, nil)
	case rejected:
		p.noCall(r.body+r.scan.reached(), errUndeclared)
	case ended:
		r.tail = r.body + r.scan.end()
		r.cutOff = final && p.truncated && !r.scan.whole()
	}
	return true
}

// missingOpener is the rule under which is counted that calls stand without the marker that opens them.
const missingOpener = "missing-opener"

// lacksOpener tells whether the family's calls have a marker before them that is not what opened a region.
func (d *Dialect) lacksOpener(marker string) bool {
	if d.opener() == "" || d.unmarked {
		return false
	}
	written := d.written(marker)
	return marker == "" || written != d.call.open && written != d.section.open && !slices.Contains(d.opens, marker)
}

var (
	errUndeclared = errors.New("it names no tool that can be called")
	errCutOff     = errors.New("the output was cut off inside it")
)

func (p *tolerant) chooseCodec(body []byte, final bool) answer {
	r := p.region
	switch i := skipSpace(body, 0); {
	case i > maxGap: // white space without end must not be looked at again and again
		return no
	case i == len(body):
		return boolean(!final, unknown)
	}
	waits := false
	for _, c := range r.codecs {
		switch c.starts(r.opening, body, final) {
		case yes:
			if waits && !final {
				return unknown
			}
			r.scan = c.scanner(r.opening)
			f, ok := c.(foreign)
			r.guest = ok && f.pairs()
			return yes
		case unknown:
			waits = true
		}
	}
	if waits && !final {
		return unknown
	}
	return no
}

// settle decides what an ended region is, where that depends on what follows it.
func (p *tolerant) settle(final bool) bool {
	r := p.region
	if r.wrap != "" && !p.unwrap(final) {
		return false
	}
	switch {
	case r.sent:
		p.commit()
		return true
	case r.torn():
		p.noCall(r.last(), errUnclosedCall)
		return true
	}
	if r.quote != "" {
		switch p.example(final) {
		case unknown:
			return false
		case yes:
			p.noCall(r.last(), errExample)
			return true
		}
	}
	if r.bare || r.unmarked && p.casing != nil || r.guest || r.thinking && !r.symbol || p.offset+r.start < 0 && inline(r.scan, p.buf[r.body:]) {
		switch p.followed(final) {
		case unknown:
			return false
		case no:
			p.noCall(r.last(), nil)
			return true
		}
	}
	p.commit()
	return true
}

// commit reads the calls of an ended region and emits them.
func (p *tolerant) commit() {
	r := p.region
	calls, err := r.scan.calls(p.buf[r.body:])
	end := r.last()
	examine(end - r.start)
	if err != nil && p.cutShort() {
		return
	}
	if n := len(calls); r.cutOff && n > 0 {
		calls[n-1].err = errCutOff
	}
	good := 0
	for i := range calls {
		if calls[i].err == nil && r.unopened && good == 0 {
			calls[i].repairs = append(calls[i].repairs, missingOpener)
		}
		if calls[i].err == nil {
			calls[i].err = p.accept(&calls[i])
		}
		if calls[i].err == nil {
			good++
		} else if err == nil {
			err = calls[i].err
		}
	}
	if good == 0 {
		if p.cutShort() {
			return
		}
		p.noCall(end, err)
		return
	}
	p.current().beside()
	p.content.beside()
	for _, c := range calls {
		if c.err == nil {
			p.emitCall(c)
			continue
		}
		if errors.Is(c.err, errTorn) {
			p.doubt = p.doubtBehind(p.buf[:end])
		}
		p.note(r.start, c.err.Error())
		p.plain(p.current(), c.source)
	}
	if r.thinking && r.symbol {
		p.think(false)
	}
	p.leaveRegion(end)
}

// cutShort ends a region, whose text made no sense as a whole, where a closing marker stood inside what looked like a
// string, and reads it again.
func (p *tolerant) cutShort() bool {
	r := p.region
	soft := r.scan.soft()
	if r.cutOff || soft == 0 || soft >= r.scan.end() || p.cuts == maxCuts {
		return false
	}
	p.cuts++
	examine(soft)
	calls, err := r.scan.(cutter).cut(p.buf[r.body:], soft)
	if err != nil || len(calls) == 0 {
		return false
	}
	end := r.body + r.scan.end()
	good := false
	for i := range calls {
		if calls[i].err == nil && p.accept(&calls[i]) == nil {
			p.content.beside()
			p.emitCall(calls[i])
			good = true
		}
	}
	if good {
		p.leaveRegion(end)
	}
	return good
}

// cutter is a scanner whose region can be ended at its soft end.
type cutter interface {
	cut(body []byte, at int) ([]rawCall, error)
}

func (p *tolerant) leaveRegion(end int) {
	p.pos, p.left = end, p.offset+end
	p.region = nil
	p.blank, p.solid, p.inWord, p.indent, p.beside = true, true, false, 0, true
	p.current().cut(p.plan.longest)
	if p.casing != nil {
		p.casing.calls = true
	}
}

// noCall gives a region's text up to end back as text in which no call starts.
func (p *tolerant) noCall(end int, err error) {
	r := p.region
	p.uncase()
	if r.scan != nil && r.bare && r.scan.soft() > 0 && p.affords(end-r.body-r.scan.soft()) {
		end = min(end, r.body+r.scan.soft()) // a marker inside what looked like a string may open a call
	}
	if err != nil && (!r.bare || !errors.Is(err, errUndeclared)) { // JSON in an answer is nothing to report
		p.note(r.start, fmt.Sprintf("not a call: %v", err))
	}
	if j, ok := r.scan.(*jsonScanner); errors.Is(err, errTorn) || ok && j.good {
		p.doubt = p.doubtBehind(p.buf[:end])
	}
	examine(end - r.start)
	p.region = nil
	p.mute = max(p.mute, end)
	p.pos = r.body
	if !r.cue {
		p.hole = p.plan.markers.byText[r.marker].hole
	} else {
		p.pos = r.start
		p.mute = max(p.mute, r.start+1)
	}
}

// affords tells whether n bytes may be read again: in the long run each byte of the output a few times, so that its cost stays bounded.
func (p *tolerant) affords(n int) bool {
	if n <= 0 || p.again+n > maxAgain*(p.offset+len(p.buf))+maxCuts*maxBare {
		return n <= 0
	}
	p.again += n
	return true
}

// plain sends text that lies outside of a buffer's order, without its markers.
func (e *emitter) plain(s *stream, text []byte) {
	for len(text) > 0 {
		m, a := e.plan.markers.at(text, true)
		if a == yes {
			s.cut(e.plan.longest)
			text = text[len(m.text):]
			if m.hole != "" {
				n, _ := holeAt(text, m.hole, true)
				text = text[n:]
			}
			continue
		}
		n := 1
		for n < len(text) && len(e.plan.markers.byFirst[text[n]]) == 0 {
			n++
		}
		e.write(s, text[:n])
		text = text[n:]
	}
}
