package chat

import (
	"bytes"
	"hash/crc32"

	"tenon/engine"
)

// What counts as a loop. Data repeats itself too: a thousand zeros in a list, a table of thirty
// rows and columns of them, hundreds of equal lines, an empty canvas of ASCII art. An argument is
// ended for a loop, and whoever runs the call cannot tell that more was meant, so only what hardly
// any data does may count; what it costs to wait is bounded, and the answer's own limit ends it
// before in most cases.
const (
	maxPeriod  = 64   // tokens of the longest sequence that is noticed when it repeats
	loopTokens = 2048 // least tokens that repeat
	loopSpace  = 4000 // bytes of white space in a row
)

// loopGuard notices when a model goes round in circles inside of a call: the same few tokens again
// and again, or white space without end. A token costs it the same wherever it comes. The zero
// value is ready.
type loopGuard struct {
	last  [maxPeriod]int32 // the latest tokens, as a ring
	count int              // tokens so far
	// for each period, how many tokens in a row equal the one that far before
	runs  [maxPeriod + 1]int
	space int // bytes of white space in a row, up to here
}

// token takes the next token of a call. It is true where a loop is certain.
func (g *loopGuard) token(t engine.Token) bool {
	g.space += len(t.Bytes)
	if rest := bytes.TrimRight(t.Bytes, " \t\r\n"); len(rest) > 0 {
		g.space = len(t.Bytes) - len(rest)
	}
	id := t.ID
	if id == engine.NoID {
		id = -2 - int32(crc32.ChecksumIEEE(t.Bytes)>>2)
	}
	looping := g.space >= loopSpace
	for p := 1; p <= min(g.count, maxPeriod); p++ {
		if g.last[(g.count-p)%maxPeriod] != id {
			g.runs[p] = 0
			continue
		}
		g.runs[p]++
		looping = looping || g.runs[p] >= loopTokens
	}
	g.last[g.count%maxPeriod] = id
	g.count++
	return looping
}
