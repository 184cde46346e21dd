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
	if p, known := g.printed.Load(t); known {
		return p.(Printed), nil
	}
	p, err := g.print(t)
	if err == nil {
		g.printed.Store(t, p)
		grammars.grew.Store(true)
	}
	return p, err
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
