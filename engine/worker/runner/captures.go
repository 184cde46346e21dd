package runner

import (
	"tenon/engine"
	"tenon/grammar"
)

// thinkingCapture is the name that grammars give to a model's thinking.
const thinkingCapture = "thinking"

// captures reads an output into its captures, token by token.
type captures struct {
	parser  *grammar.Parser
	vocab   *grammar.Vocab
	read    int       // tokens
	open    []capture // innermost last
	ended   capture   // the latest to end
	checked capture   // the one before the latest %check mark
	inside  int       // tokens that were read while thinking was open
}

// capture is one that has begun.
type capture struct {
	name  string
	begin int // tokens read before the first one that it holds a part of
}

func newCaptures(g *grammar.Grammar, v *grammar.Vocab) *captures {
	return &captures{parser: g.Parser(), vocab: v}
}

// token reads one. What the parser refuses, the matcher would have refused before.
func (c *captures) token(id int32, kind engine.Kind) {
	if c.isOpen(thinkingCapture) {
		c.inside++
	}
	if kind == engine.Symbol {
		_ = c.parser.FeedSymbol(string(c.vocab.Piece(id)))
	} else {
		_ = c.parser.Feed(c.vocab.Piece(id))
	}
	for _, e := range c.parser.Events() {
		switch e.Kind {
		case grammar.Begin:
			// it is certain already, but may be empty so far
			c.open = append(c.open, capture{e.Name, c.read + 1})
		case grammar.Bytes, grammar.Symbol:
			for i := range c.open {
				c.open[i].begin = min(c.open[i].begin, c.read)
			}
		case grammar.End:
			if n := len(c.open); n > 0 {
				c.ended, c.open = c.open[n-1], c.open[:n-1]
			}
		case grammar.Check:
			c.checked = c.ended
		}
	}
	c.read++
}

func (c *captures) isOpen(name string) bool {
	for _, o := range c.open {
		if o.name == name {
			return true
		}
	}
	return false
}

// checkedIn reads a whole output and tells which capture ended before its latest %check mark.
func checkedIn(g *grammar.Grammar, v *grammar.Vocab, output []int32, kinds []engine.Kind) capture {
	c := newCaptures(g, v)
	for i, id := range output {
		c.token(id, kinds[i])
	}
	return c.checked
}
