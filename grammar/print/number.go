package print

import (
	"strconv"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
	"tenon/grammar/lex/number"
	"tenon/grammar/machine"
)

// number writes a set of numbers. All numbers keep their exponents; in other sets they are left
// out.
func (w *valueWriter) number(e lex.Expr) *gbnf.Node {
	switch {
	case withoutRule == ruleNumbers || !w.asked && w.allNumbers(e):
		return w.anyNumber()
	case !w.asked:
		w.narrow("numbers that a schema restricts are accepted without exponent only")
	case e == w.canonical(number.NotOnlyIntegers):
		return w.canonicalNumber()
	case e == w.canonical(number.IntegerValues):
		return w.canonicalInteger()
	}
	if x, ok := w.language(w.Arena, e, "number"); ok {
		return x
	}
	w.loosen("bounds of numbers are not enforced where they take too many states")
	return w.anyNumber()
}

// allNumbers says whether a set leaves no number out.
func (w *valueWriter) allNumbers(e lex.Expr) bool {
	all, err := w.Arena.Number(number.Spec{Spelling: number.SpellPlain})
	if err != nil {
		return false
	}
	whole, err := w.Arena.Subset(all, e)
	return err == nil && whole
}

func (w *valueWriter) anyNumber() *gbnf.Node {
	i := w.part("number", "")
	w.out.Rules[i].Node = gbnf.Sequence(repeat(literal("-"), 0, 1), gbnf.Choice(literal("0"), gbnf.Sequence(digits('1'), star(digits('0')))),
		repeat(gbnf.Sequence(literal("."), repeat(digits('0'), 1, gbnf.Unbounded)), 0, 1),
		repeat(gbnf.Sequence(class(ecma.Range{Lo: 'E', Hi: 'E'}, ecma.Range{Lo: 'e', Hi: 'e'}), repeat(class(ecma.Range{Lo: '+', Hi: '+'}, ecma.Range{Lo: '-', Hi: '-'}), 0, 1), repeat(digits('0'), 1, gbnf.Unbounded)), 0, 1))
	return ref(i)
}

// digits are those from one up.
func digits(least rune) *gbnf.Node { return class(ecma.Range{Lo: least, Hi: '9'}) }

// canonical is the set of all numbers, or integers, in their canonical spelling: their automata
// have many states before they are minimal.
func (w *valueWriter) canonical(integer number.Integer) lex.Expr {
	e, err := w.Arena.Number(number.Spec{Integer: integer, Spelling: number.SpellPlain, MaxIntegerDigits: machine.MaxIntegerDigits, MaxFractionDigits: machine.MaxFractionDigits})
	if err != nil {
		return w.Arena.Empty()
	}
	return e
}

// canonicalNumber writes all numbers without exponent and -0, with a bounded count of digits.
func (w *valueWriter) canonicalNumber() *gbnf.Node {
	i := w.part("canonical-number", "")
	fraction := repeat(gbnf.Sequence(literal("."), repeat(digits('0'), 1, machine.MaxFractionDigits)), 0, 1)
	whole := wholeDigits()
	// Behind -0 the fraction must not be 0: some zeros, then another digit.
	small := digits('1')
	for more := 1; more < machine.MaxFractionDigits; more++ {
		rest := w.part("below-one", strconv.Itoa(more))
		w.out.Rules[rest].Node = gbnf.Choice(gbnf.Sequence(digits('1'), repeat(digits('0'), 0, more)), gbnf.Sequence(literal("0"), small))
		small = ref(rest)
	}
	w.out.Rules[i].Node = gbnf.Choice(gbnf.Sequence(repeat(literal("-"), 0, 1), whole, fraction), gbnf.Sequence(literal("0"), fraction), gbnf.Sequence(literal("-0."), small))
	return ref(i)
}

// wholeDigits is an integer above 0.
func wholeDigits() *gbnf.Node {
	return gbnf.Sequence(digits('1'), repeat(digits('0'), 0, machine.MaxIntegerDigits-1))
}

// canonicalInteger writes the numbers of canonicalNumber whose fraction is 0.
func (w *valueWriter) canonicalInteger() *gbnf.Node {
	i := w.part("canonical-integer", "")
	fraction := repeat(gbnf.Sequence(literal("."), repeat(literal("0"), 1, machine.MaxFractionDigits)), 0, 1)
	w.out.Rules[i].Node = gbnf.Sequence(gbnf.Choice(gbnf.Sequence(repeat(literal("-"), 0, 1), wholeDigits()), literal("0")), fraction)
	return ref(i)
}
