package grammar

import (
	"fmt"

	"tenon/grammar/machine"
)

// Parser reads a whole output and tells what its captures hold. The events of
// all calls together are the same for every way in which the text is cut.
type Parser struct {
	r *machine.Reader
}

// Parser starts reading an output.
func (g *Grammar) Parser() *Parser {
	p, err := g.captures()
	if err != nil {
		p = g.program // marks made it too large: it still says what is accepted
	}
	return &Parser{machine.NewReader(machine.New(p, g.units, true))}
}

// Feed reads text. An error wraps ErrRefused and says where the grammar refused
// the text; what came before that has been read.
func (p *Parser) Feed(text []byte) error {
	n, err := p.r.Feed(text)
	if err != nil {
		return fmt.Errorf("byte %d: %.20q: %w", p.r.Offset(), text[n:], err)
	}
	return nil
}

// FeedSymbol reads the special token with this text.
func (p *Parser) FeedSymbol(name string) error {
	if err := p.r.FeedSymbol(name); err != nil {
		return fmt.Errorf("byte %d: symbol %q: %w", p.r.Offset(), name, err)
	}
	return nil
}

// Close says that the output has ended. An error wraps ErrEndsEarly. Events then
// returns what was still undecided.
func (p *Parser) Close() error {
	if err := p.r.Close(); err != nil {
		return fmt.Errorf("byte %d: %w", p.r.Offset(), err)
	}
	return nil
}

// Events returns what has become certain since the last call. The events are
// valid until the next call of any method.
func (p *Parser) Events() []Event { return p.r.Events() }

// Done says whether the output may end here.
func (p *Parser) Done() bool { return p.r.Done() }

// Distance is the least number of bytes to a legal end. A symbol counts as one.
func (p *Parser) Distance() int { return p.r.Distance() }

// Offset is the number of bytes read.
func (p *Parser) Offset() int64 { return p.r.Offset() }

// Errors that Parser and Matcher wrap.
var (
	ErrRefused   = machine.ErrRefused
	ErrEndsEarly = machine.ErrEndsEarly
	ErrAmbiguous = machine.ErrAmbiguous
)
