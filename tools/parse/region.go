package parse

import (
	"cmp"
	"errors"
	"fmt"

	"tenon/tools/declared"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// MaxCuts bounds how often a turn's regions may prove to have ended earlier, each time with the
// rest read again.
const MaxCuts = 16

// MaxAgain bounds how often, on average, a byte is read again because a bare object before it was
// none.
const MaxAgain = 4

// region is a part of the output that may hold calls. Offsets are in the parser's buf.
type region struct {
	scan.Opening
	start       int // of the region's text
	body        int // behind the opener
	symbol      bool
	fromStart   bool         // no marker opened it: if no call, it is text as a whole
	scan        scan.Scanner // nil until a reader has taken it
	readers     []scan.Reader
	tail        int // where looking on goes on after the end; 0 before it
	thinking    bool
	cutOff      bool // the output was cut off inside its last call
	first       bool // nothing but white space came before it in the turn
	lacksOpener bool // the marker that opens calls is missing
	otherFamily bool // the family's marker opened it, and another family's call follows
	unmarked    bool // what began it is no marker of the family
	pastCode    bool // tail is behind the code that it stands in
}

func (r *region) shift(n int) {
	r.start -= n
	r.body -= n
	if r.tail > 0 {
		r.tail -= n
	}
}

func (p *Tolerant) openRegion(o scan.Opening, start, body int, isSymbol bool) {
	readers := p.plan.readers[o.Marker]
	o.InCode, o.Sent = p.inCode || p.code != nil, p.called < p.sent
	if !p.spelt {
		o.IsSymbol = p.symbolInRegion
	}
	p.region = &region{Opening: o, start: start, body: body, symbol: isSymbol, readers: readers, thinking: p.thinking, first: !p.content.began && (p.thought == nil || p.code != nil)}
	p.region.lacksOpener = p.plan.Dialect.LacksOpener(o.Marker)
}

// symbolInRegion tells whether a symbol stands at an offset behind the region's opener.
func (p *Tolerant) symbolInRegion(at int) bool {
	_, found := p.symbolAt(p.region.body + at)
	return found
}

// stepRegion reads on in the region. It says whether there is more to decide.
func (p *Tolerant) stepRegion(final bool) bool {
	r := p.region
	body := p.buf[r.body:]
	if r.tail > 0 {
		return p.settle(final)
	}
	if r.scan == nil {
		switch p.chooseReader(body, final) {
		case peek.No:
			p.asOtherFamily()
			return true
		case peek.Unknown:
			return false
		}
	}
	most := len(body)
	if r.Bare && most > scan.MaxBare { // a shorter one may be read whatever it has named
		most = min(most, r.most())
	}
	tooLong := most < len(body)
	if tooLong {
		body, final = body[:most], false
	}
	switch r.scan.Step(body, final) {
	case scan.Open:
		if !tooLong {
			return false
		}
		if r.most() > most { // it has named a tool by now, and may be longer
			return true
		}
		p.noCall(r.body+most, nil)
	case scan.Rejected:
		p.noCall(r.body+r.scan.Reached(), ErrUndeclared)
	case scan.Ended:
		r.tail = r.body + r.scan.End()
		r.cutOff = final && p.truncated && !r.scan.Whole()
	}
	return true
}

// inline tells whether a call's object stands on the line of its name, though the family writes it
// on the next: a sentence may begin with the name of a tool.
func (r *region) inline(body []byte) bool {
	s, ok := r.scan.(interface{ Inline(body []byte) bool })
	return ok && s.Inline(body)
}

// most is how long the region may be if it has no marker.
func (r *region) most() int {
	if r.called() {
		return scan.MaxNamed
	}
	return scan.MaxBare
}

// called tells whether the region has named a tool that can be called.
func (r *region) called() bool {
	s, ok := r.scan.(interface{ Called() bool })
	return ok && s.Called()
}

// missingOpener is the rule under which is counted that calls stand without the marker that opens
// them.
const missingOpener = "missing-opener"

var (
	// ErrUndeclared is why most of what looks like a call is none.
	ErrUndeclared = errors.New("it names no tool that can be called")

	errCutOff = errors.New("the output was cut off inside it")
)

func (p *Tolerant) chooseReader(body []byte, final bool) peek.Answer {
	r := p.region
	switch i := peek.SkipSpace(body, 0); {
	case i > peek.MaxGap: // white space without end must not be looked at again and again
		return peek.No
	case i == len(body):
		return peek.Boolean(!final, peek.Unknown)
	}
	waits := false
	for _, c := range r.readers {
		switch c.Starts(r.Opening, body, final) {
		case peek.Yes:
			if waits && !final {
				return peek.Unknown
			}
			r.scan = c.Scanner(r.Opening)
			f, ok := c.(scan.Foreign)
			r.otherFamily = ok && f.Pairs()
			return peek.Yes
		case peek.Unknown:
			waits = true
		}
	}
	if waits && !final {
		return peek.Unknown
	}
	return peek.No
}

// settle decides what an ended region is, where that depends on what follows it.
func (p *Tolerant) settle(final bool) bool {
	r := p.region
	switch {
	case r.Sent:
		p.commit()
		return true
	case r.brokenElement():
		p.noCall(r.last(), scan.ErrUnclosedCall)
		return true
	case r.prose():
		p.noCall(r.last(), nil)
		return true
	}
	if !p.over && (r.Bare || r.unmarked && p.code != nil || r.otherFamily || r.thinking && !r.symbol || p.offset+r.start < 0 && r.inline(p.buf[r.body:])) {
		switch p.followed(final) {
		case peek.Unknown:
			return false
		case peek.No:
			p.noCall(r.last(), nil)
			return true
		}
	}
	p.commit()
	return true
}

// commit reads the calls of an ended region and emits them.
func (p *Tolerant) commit() {
	r := p.region
	p.Looked, p.misnamed = Outcome{}, ""
	calls, err := r.scan.Calls(p.buf[r.body:])
	end := r.last()
	peek.Examine(end - r.start)
	if err != nil && p.cutShort() {
		return
	}
	if n := len(calls); r.cutOff && n > 0 {
		calls[n-1].Err = errCutOff
	}
	if good, why := p.emitCalls(calls, end); !good && !p.cutShort() {
		p.noCall(end, cmp.Or(err, why))
	}
}

// emitCalls emits those of a region's calls that are accepted and leaves the region at an offset.
// If none is, it does neither and says why not.
func (p *Tolerant) emitCalls(calls []declared.RawCall, end int) (good bool, why error) {
	r := p.region
	for i := range calls {
		c := &calls[i]
		if c.Err == nil && r.lacksOpener && !good {
			c.Repairs = append(c.Repairs, missingOpener)
		}
		if c.Err == nil {
			c.Err = p.validateCall(c)
		}
		good = good || c.Err == nil
		why = cmp.Or(why, c.Err)
	}
	if !good {
		return false, why
	}
	_, step := p.step()
	p.endThought(step)
	p.current().beside()
	p.content.beside()
	for _, c := range calls {
		if c.Err == nil {
			p.emitCall(c)
			continue
		}
		if errors.Is(c.Err, scan.ErrAmbiguous) {
			p.suspicion = p.suspicionBehind(p.buf[:end])
		}
		p.note(r.start, c.Err.Error())
		p.plain(p.current(), c.Source)
	}
	if r.thinking && r.symbol {
		p.think(false)
	}
	p.leaveRegion(end)
	return true, nil
}

// cutShort ends a region, whose text made no sense as a whole, where a closing marker stood inside
// what looked like a string, and reads it again.
func (p *Tolerant) cutShort() bool {
	r := p.region
	soft := r.soft()
	if r.cutOff || soft == 0 || soft >= r.scan.End() || p.cuts == MaxCuts {
		return false
	}
	p.cuts++
	peek.Examine(soft)
	calls, err := r.scan.(scan.Cutter).Cut(p.buf[r.body:], soft)
	if err != nil {
		return false
	}
	good, _ := p.emitCalls(calls, r.body+r.scan.End())
	return good
}

// soft is where the region's scanner would end it earlier, 0 if nowhere.
func (r *region) soft() int {
	if c, ok := r.scan.(scan.Cutter); ok {
		return c.Soft()
	}
	return 0
}

// last is where the region ends.
func (r *region) last() int { return r.body + r.scan.End() }

func (p *Tolerant) leaveRegion(end int) {
	p.pos, p.left = end, p.offset+end
	p.region = nil
	p.blank, p.solid, p.inWord, p.indent, p.beside = true, true, false, 0, true
	p.current().cut(p.plan.Longest)
	if p.code != nil {
		p.code.calls = true
	}
}

// noCall gives a region's text up to end back as text in which no call starts.
func (p *Tolerant) noCall(end int, err error) {
	r := p.region
	labels, stepped := p.labelsOf(r)
	stepped = stepped && err != nil
	if stepped && labels.Void > 0 { // nothing was to be called
		err = nil
	} else {
		p.giveCodeBack()
	}
	if soft := r.soft(); r.Bare && soft > 0 && p.affords(end-r.body-soft) {
		// a marker inside what looked like a string may open a call
		end = min(end, r.body+soft)
	}
	// JSON in an answer is nothing to report
	if err != nil && p.plan.Callable && !p.over && (!r.Bare || !errors.Is(err, ErrUndeclared)) {
		p.note(r.start, fmt.Sprintf("not a call: %v", err))
		p.refuse(end, err)
	}
	if j, ok := r.scan.(*scan.JSONScanner); errors.Is(err, scan.ErrAmbiguous) || ok && j.Called() {
		p.suspicion = p.suspicionBehind(p.buf[:end])
	}
	peek.Examine(end - r.start)
	p.region = nil
	p.mute = max(p.mute, end)
	p.pos = r.body
	if !r.fromStart {
		p.tagEnd = p.plan.Markers.ByText[r.Marker].TagEnd
	} else if stepped {
		p.leaveStep(labels)
	} else {
		p.pos = r.start
		p.mute = max(p.mute, r.start+1)
	}
}

// affords tells whether n bytes may be read again: in the long run each byte of the output a few
// times, so that its cost stays bounded.
func (p *Tolerant) affords(n int) bool {
	if n <= 0 || p.Again+n > MaxAgain*(p.offset+len(p.buf))+MaxCuts*scan.MaxBare {
		return n <= 0
	}
	p.Again += n
	return true
}

// Where a call may stand: the rule of tools/doc.go.

// isMarked tells whether the region's calls have their markers around them, of any family.
func (r *region) isMarked() bool {
	if s, ok := r.scan.(interface{ Marked() bool }); ok {
		return s.Marked()
	}
	return !r.unmarked
}
