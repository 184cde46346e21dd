// Package number decides which spellings are numbers of a set: bounds, divisors, and numbers that
// are left out. It reads a JSON number without exponent digit by digit and knows of those read so
// far only what later digits can make a difference by.
//
//	set, err := number.New(number.Spec{Max: big.NewRat(20, 1)})
//	k, d := set.Start()
//	k, d, ok := set.Digit(k, d, 7)
//	set.Accepts(k) // 7 is a member
//	set.Live(k, d) // some continuation is
//
// Package lex makes an automaton of it: equal states have equal futures.
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
	NotMultipleOf              []*big.Rat // positive; and of none of these
	Integer                    Integer
	Spelling                   Spelling
	MaxIntegerDigits           int // before the point; 0 for no bound; SpellPlain only
	MaxFractionDigits          int // after the point; 0 for no bound; SpellPlain only
}

// Integer is what makes a number an integer.
type Integer uint8

const (
	// NotOnlyIntegers admits all numbers.
	NotOnlyIntegers Integer = iota
	// IntegerValues admits 1 and 1.0: integers as JSON Schema sees them since draft 6.
	IntegerValues
	// IntegerSyntax admits 1, but not 1.0: integers as in drafts 3 and 4.
	IntegerSyntax
)

// Spelling is which spellings of a number are admitted.
type Spelling uint8

const (
	// SpellAny admits every spelling that JSON has (RFC 8259 §6) with up to 1,000 digits, and
	// as many more as it takes to end it. Exponents belong to the set of all numbers alone.
	SpellAny Spelling = iota
	// SpellPlain admits digits with an optional fraction, without exponent, and no -0.
	SpellPlain
)

// maxBoundDigits is how many digits bounds and divisors may have; 1e308 has 309.
const maxBoundDigits = 1100

var errNotDecimal = errors.New("not a finite decimal")

// LimitError says that a bound or a divisor is too large.
type LimitError struct {
	What  string
	Limit int
}

func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }
