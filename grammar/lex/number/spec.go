// Package number decides which JSON numbers belong to a set, given by bounds and divisors. It
// reads a number without exponent digit by digit. Its state has only what can make a difference to
// later digits.
//
//	set, err := number.New(number.Spec{Max: big.NewRat(20, 1)})
//	k, d := set.Start()
//	k, d, ok := set.Digit(k, d, 7)
//	set.Accepts(k) // 7 is a member
//	set.Live(k, d) // some continuation is
//
// Package lex makes an automaton of it: equal states accept the same continuations.
//
// # Words
//
//	here                     the field (llguidance's numeric.rs, XGrammar's GenerateRangeRegex)
//	Spec, Set                NumberSchema: bounds and multipleOf, there made a regular
//	                         expression
//	divisor                  multipleOf as a coefficient and an exponent of ten
//	Live                     emptiness check, decided by arithmetic
package number

import (
	"errors"
	"fmt"
	"math/big"
)

// Spec is a set of numbers, and how they may be spelled. The zero value is all JSON numbers
// in any spelling.
type Spec struct {
	Min, Max                   *big.Rat // bounds, included unless said otherwise; nil for none
	ExclusiveMin, ExclusiveMax bool
	MultipleOf                 []*big.Rat // positive; the value is a multiple of each
	NotMultipleOf              []*big.Rat // positive; the value is a multiple of none
	Integer                    Integer
	Spelling                   Spelling
	MaxIntegerDigits           int // before the point; 0 for no bound; SpellPlain only
	MaxFractionDigits          int // after the point; 0 for no bound; SpellPlain only
}

// Integer says which numbers are integers, and whether others are left out.
type Integer uint8

const (
	// NotOnlyIntegers admits all numbers.
	NotOnlyIntegers Integer = iota
	// IntegerValues admits 1 and 1.0: integers as JSON Schema sees them since draft 6.
	IntegerValues
	// IntegerSyntax admits 1, but not 1.0: integers as in drafts 3 and 4.
	IntegerSyntax
)

// Spelling says which spellings of a number are admitted.
type Spelling uint8

const (
	// SpellAny admits every spelling that JSON has (RFC 8259 §6) with up to 1,000 digits, and
	// more only to end it. Only the set of all numbers admits exponents.
	SpellAny Spelling = iota
	// SpellPlain admits digits with an optional fraction, without exponent, and no -0.
	SpellPlain
)

// maxBoundDigits bounds the digits of bounds and divisors; 1e308 has 309.
const maxBoundDigits = 1100

var errNotDecimal = errors.New("not a finite decimal")

// LimitError says that a bound or a divisor is too large.
type LimitError struct {
	What  string
	Limit int
}

func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }
