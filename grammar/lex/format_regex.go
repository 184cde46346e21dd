package lex

// regexNesting is how deep groups may nest in a text of format regex.
const regexNesting = 12

// regexFormat builds format regex. Groups nest, so that no automaton decides ECMA-262's patterns.
// This is a subset of the patterns that Regex does not call invalid. It lacks groups nested deeper
// than regexNesting, group names, \p, \k and \0, lookbehind, literal braces before digits, and
// ranges and counts whose bounds no simple rule shows to be in order ({10,19}, [c-e], [à-ý]).
func (a *Arena) regexFormat() Expr {
	atoms, asserted := []Expr{a.rule("regex-atom")}, []Expr{a.rule("regex-assertion")}
	var disjunction Expr
	for range regexNesting + 1 {
		one := a.repeat(a.union(append(asserted, a.concat(a.union(atoms...), a.rule("regex-quantifier")))...), 0, unbounded)
		disjunction = a.concat(one, a.repeat(a.concat(a.literal("|"), one), 0, unbounded))
		atoms = append(atoms[:1:1], a.concat(a.rule("regex-group"), disjunction, a.literal(")")))
	}
	return disjunction
}
