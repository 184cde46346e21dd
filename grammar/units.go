package grammar

import (
	"fmt"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/machine"
)

// unitsOf compiles the schemas of all %json terminals of a grammar.
func unitsOf(tree *gbnf.Grammar, o Options) (map[*gbnf.Node]*machine.Unit, []Issue, error) {
	all := map[*gbnf.Node]*machine.Unit{}
	var issues []Issue
	var visit func(n *gbnf.Node) error
	visit = func(n *gbnf.Node) error {
		for _, k := range n.Kids {
			if err := visit(k); err != nil {
				return err
			}
		}
		if n.Op != gbnf.JSON && n.Op != gbnf.Plain {
			return nil
		}
		u, err := unitOf(n, o)
		if err != nil {
			return err
		}
		all[n] = u
		for _, x := range u.Issues() {
			issues = append(issues, Issue{Tool: n.Options.Tool, Pointer: x.Pointer, Keyword: x.Keyword, Action: Action(x.Action.String()), Why: x.Why})
		}
		return nil
	}
	for i := range tree.Rules {
		if err := visit(tree.Rules[i].Node); err != nil {
			return nil, nil, fmt.Errorf("compile schema: %w", err)
		}
	}
	return all, issues, nil
}

// automata bounds those of a schema; tests know smaller bounds.
var automata lex.Limits

// newUnit is replaced by tests of what waits for a slow compile.
var newUnit = machine.NewUnit

// unitOf returns the compiled schema of a terminal.
func unitOf(n *gbnf.Node, o Options) (*machine.Unit, error) {
	key := cacheKey{n.Options.String() + fmt.Sprint(o.Lenient), n.Text}
	known, ok := units.get(key)
	if ok && !known.Full() {
		return known, nil
	}
	if o.Stop != nil {
		if err := o.Stop(); err != nil {
			return nil, err
		}
	}
	u, err := newUnit(n, o.Lenient, automata, o.Stop)
	if err != nil {
		return nil, err
	}
	if ok {
		units.forget(key, known)
	}
	return units.put(key, u), nil
}
