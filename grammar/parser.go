package grammar

import (
	"fmt"

	"tenon/grammar/machine"
)

// Parser reads a whole output and tells what its captures hold. The events of all calls together
// are the same for every way in which the text is cut.
type Parser struct {
	g    *Grammar
	r    *machine.Reader
	read history
	told int  // of what was read when events were last asked for
	lost bool // new automata were full as well
}

// Parser starts reading an output.
func (g *Grammar) Parser() *Parser { return &Parser{g: g, r: g.reader()} }

func (g *Grammar) reader() *machine.Reader {
	p, err := g.captures()
	if err != nil {
		p = g.program // marks made it too large: it still says what is accepted
	}
	return machine.NewReader(machine.New(p, g.renewed(), true))
}

// Feed reads text. An error wraps ErrRefused and says where the grammar refused the text; what
// came before that has been read.
func (p *Parser) Feed(text []byte) error {
	n := 0
	err := p.ask(func() (err error) {
		n, err = p.r.Feed(text)
		return err
	})
	p.read.bytes = append(p.read.bytes, text[:n]...)
	if err != nil {
		return fmt.Errorf("byte %d: %.20q: %w", p.r.Offset(), text[n:], err)
	}
	return nil
}

// FeedSymbol reads the special token with this text.
func (p *Parser) FeedSymbol(name string) error {
	if err := p.ask(func() error { return p.r.FeedSymbol(name) }); err != nil {
		return fmt.Errorf("byte %d: symbol %q: %w", p.r.Offset(), name, err)
	}
	p.read.symbols = append(p.read.symbols, readSymbol{name, len(p.read.bytes)})
	return nil
}

// Close says that the output has ended. An error wraps machine.ErrEndsEarly. Events then returns
// what was still undecided.
func (p *Parser) Close() error {
	if err := p.ask(func() error { return p.r.Close() }); err != nil {
		return fmt.Errorf("byte %d: %w", p.r.Offset(), err)
	}
	return nil
}

// Events returns what has become certain since the last call. The events are valid until the next
// call of any method.
func (p *Parser) Events() []Event {
	p.told = p.read.len()
	return p.r.Events()
}

// Done says whether the output may end here.
func (p *Parser) Done() bool { return p.r.Done() }

// Distance is the least number of bytes to a legal end. A symbol counts as one.
func (p *Parser) Distance() int { return p.r.Distance() }

// Offset is the number of bytes read.
func (p *Parser) Offset() int64 { return p.r.Offset() }

// ErrRefused is wrapped by errors of Parser and Matcher: the grammar does not accept a text.
var ErrRefused = machine.ErrRefused
