package chat

import (
	"bytes"

	"tenon/engine"
	"tenon/tools"
)

// What counts as a loop inside of a call. Data repeats itself too (zeros, separators, indented code): only what hardly any
// data does may count, since the argument is ended for it.
const (
	maxPeriod    = 64   // tokens of the longest sequence that is noticed when it repeats
	loopTokens   = 512  // least tokens that repeat
	loopRounds   = 16   // least times that the sequence comes again
	loopSpace    = 1000 // bytes of white space in a row
	maxSameCalls = 2    // times that a call may come again, each right after the same one
)

// loopGuard notices when a model goes round in circles inside of a call: the same few tokens again and again, or white space without end.
// A token costs it the same wherever it comes. The zero value is ready.
type loopGuard struct {
	last  [maxPeriod]int32   // the latest tokens, as a ring
	count int                // tokens so far
	runs  [maxPeriod + 1]int // for each period, how many tokens in a row equal the one that far before
	space int                // bytes of white space in a row, up to here
}

// token takes the next token of a call. It is true where a loop is certain.
func (g *loopGuard) token(t engine.Token) bool {
	g.space += len(t.Bytes)
	if rest := bytes.TrimRight(t.Bytes, " \t\r\n"); len(rest) > 0 {
		g.space = len(t.Bytes) - len(rest)
	}
	looping := g.space >= loopSpace
	for p := 1; p <= min(g.count, maxPeriod); p++ {
		if g.last[(g.count-p)%maxPeriod] != t.ID {
			g.runs[p] = 0
			continue
		}
		g.runs[p]++
		looping = looping || g.runs[p] >= max(loopTokens, loopRounds*p)
	}
	g.last[g.count%maxPeriod] = t.ID
	g.count++
	return looping
}

// repeatGuard counts how often the same call came again right after itself.
type repeatGuard struct {
	last  string
	again int
}

func (g *repeatGuard) call(c tools.Call) {
	call := c.Namespace + "\x00" + c.Name + "\x00" + string(c.Arguments) + c.Input
	if g.again++; call != g.last {
		g.last, g.again = call, 0
	}
}
