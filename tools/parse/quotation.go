package parse

import (
	"bytes"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// A call without markers that a text quotes is an example, not a call. It is quoted where it is in
// backticks or in a code fence, behind some text.

// quoting knows whether text is in backticks or in a code fence.
type quoting struct {
	run          int  // backticks at the end of the text
	leads, prose bool // they begin their line; something came before them
	fence        bool // a fence is open
	inline       bool // backticks are open on the line
	after        bool // something came before what is open
}

// read updates q by text. blank tells that the line before it is white space, solid that the turn
// has more than that.
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

// open tells whether a call that begins here is quoted, behind some text.
func (q quoting) open() bool {
	directly := q.run > 0 && !q.inline
	q.end()
	return q.after && (q.fence || q.inline && directly)
}
