package grammar

import (
	"errors"
	"fmt"

	"tenon/grammar/gbnf"
	"tenon/grammar/print"
)

// maxPrinted bounds the text that Print gives: no engine reads more.
const maxPrinted = 8 << 20

// Print writes the grammar in a dialect. Where the dialect cannot say it exactly the result lists
// what was loosened, which is to be validated when the output is complete, and what was narrowed,
// which costs choices and never validity.
func (g *Grammar) Print(t Target) (Printed, error) {
	g.mu.Lock()
	p, known := g.printed[t]
	g.mu.Unlock()
	if known {
		return p, nil
	}
	p, err := g.print(t)
	if err != nil {
		return p, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.printed == nil {
		g.printed = map[Target]Printed{}
	}
	g.printed[t] = p
	grammars.grew.Store(true)
	return p, nil
}

func (g *Grammar) print(t Target) (Printed, error) {
	switch t {
	case Tenon:
		return Printed{Text: gbnf.Write(g.tree), Exact: true}, nil
	case GBNF, XGrammar:
		r, err := print.Plain(g.tree, g.schemas(), t == GBNF)
		if err != nil {
			return Printed{}, fmt.Errorf("print grammar: %w", err)
		}
		text := gbnf.Write(r.Grammar)
		if len(text) > maxPrinted {
			return Printed{}, errors.New("print grammar: it takes more than 8 MiB of rules")
		}
		return Printed{text, len(r.Loosened)+len(r.Narrowed) == 0, r.Loosened, r.Narrowed}, nil
	}
	return Printed{}, fmt.Errorf("print grammar: no dialect %q; there are tenon, gbnf and xgrammar", t)
}
