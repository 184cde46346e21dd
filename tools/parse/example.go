package parse

import (
	"bytes"
	"errors"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// A call without markers that a text quotes is an example: it stands between backticks or in a code fence, text comes before it there, and
// text follows once they are closed.

// quoting knows whether text stands in backticks or in a code fence.
type quoting struct {
	run          int  // backticks at the end of the text
	leads, prose bool // they begin their line; something came before them
	fence        bool // a fence is open
	inline       bool // backticks are open on the line
	after        bool // something came before what is open
}

// read takes text into account. blank and solid say that the line before it has nothing but white space, and that the turn has more.
func (q *quoting) read(text []byte, blank, solid bool) {
	if q.run == 0 && !q.inline && bytes.IndexByte(text, '`') < 0 {
		return
	}
	for _, c := range text {
		if c == '`' {
			if q.run == 0 {
				q.leads, q.prose = blank, solid
			}
			q.run++
			blank, solid = false, true
			continue
		}
		q.end()
		switch {
		case c == '\n':
			blank, q.inline = true, false
		case !peek.IsSpace(c):
			blank, solid = false, true
		}
	}
}

// end ends a run of backticks.
func (q *quoting) end() {
	switch {
	case q.run == 0:
		return
	case q.run >= len(format.FenceMark) && q.leads:
		q.fence = !q.fence
		q.after = q.prose
	case !q.fence:
		q.inline = !q.inline
		q.after = q.prose
	}
	q.run = 0
}

// open is what closes the quotation in which a call stands that begins here, "" if it is in none with text before it.
func (q *quoting) open() string {
	directly := q.run > 0 && !q.inline
	q.end()
	switch {
	case !q.after:
		return ""
	case q.fence:
		return "\n" + format.FenceMark
	case q.inline && directly:
		return "`"
	}
	return ""
}

var errExample = errors.New("it is quoted in a text")

// example tells whether an ended region is a call that a text quotes.
func (p *Text) example(final bool) peek.Answer {
	r := p.region
	if r.sought == 0 {
		r.sought = max(r.last()-1, r.body) // a line may end with the region
	}
	rest := p.buf[r.sought:]
	peek.Examine(len(rest))
	i := bytes.Index(rest, []byte(r.quote))
	switch {
	case i < 0 && (final || len(p.buf)-r.last() > scan.MaxBare):
		return peek.No
	case i < 0:
		r.sought = max(r.sought, len(p.buf)-len(r.quote)+1)
		return peek.Unknown
	case r.quote == "`" && len(bytes.TrimSpace(p.buf[r.last():r.sought+i])) > 0:
		return peek.No
	}
	from := r.sought + i + len(r.quote)
	j := peek.SkipSpace(p.buf, from)
	switch {
	case j == len(p.buf) && j-from <= peek.MaxGap:
		return peek.Boolean(!final, peek.Unknown)
	case j == len(p.buf):
		return peek.Yes
	}
	m, a := p.plan.Markers.At(p.buf[j:], final)
	if a == peek.Yes && m.Role == format.RoleStrip {
		return peek.Yes
	}
	return peek.Negated(a)
}
