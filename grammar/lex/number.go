package lex

import (
	"errors"
	"fmt"
	"math/big"
)

// NumberSpec is a set of numbers, and how they may be spelled. The zero value is all JSON numbers
// in any spelling.
type NumberSpec struct {
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
	// IntegerValues admits 1, 1.0 and 10e-1: integers as JSON Schema sees them since draft 6.
	IntegerValues
	// IntegerSyntax admits 1, but neither 1.0 nor 1e0: integers as in drafts 3 and 4.
	IntegerSyntax
)

// Spelling is which spellings of a number are admitted.
type Spelling uint8

const (
	// SpellAny admits every spelling that JSON has (RFC 8259 §6), with up to 1,000 digits before
	// the exponent, and as many more as it takes to end it.
	SpellAny Spelling = iota
	// SpellPlain admits digits with an optional fraction, without exponent, and no -0.
	SpellPlain
)

const (
	maxBoundDigits   = 1100 // of bounds and divisors; 1e308 has 309
	maxSpelledDigits = 1000
)

var errNotDecimal = errors.New("not a finite decimal")

// Number returns the JSON spellings of the numbers of the set. The error is a *LimitError for
// bounds of more than 1,100 digits and for divisors whose least common multiple is beyond 10^17;
// other errors are about divisors that are not positive and rationals that are not decimals.
func (a *Arena) Number(spec NumberSpec) (Expr, error) {
	set, err := newNumberSet(spec)
	if err != nil {
		return empty, fmt.Errorf("compile number: %w", err)
	}
	e := empty
	err = a.attempt(a.limits.Work, func() {
		id := a.numbers.intern(spec, set)
		if set.unconstrained() {
			e = a.spellings(spec.Integer == IntegerSyntax)
			a.numbers.plain[e] = id
			return
		}
		e = a.numberExpr(numberKey{set: id}, numberDigits{value: new(big.Int)})
	})
	return e, err
}

// spellings is the syntax of JSON numbers.
func (a *Arena) spellings(integer bool) Expr {
	digit := a.leaf(a.words.ofBytes(ByteRange('0', '9')))
	digits := a.repeat(digit, 1, unbounded)
	leading := a.leaf(a.words.ofBytes(ByteRange('1', '9')))
	whole := a.concat(a.optional(a.literal("-")), a.union(a.literal("0"), a.concat(leading, a.repeat(digit, 0, unbounded))))
	if integer {
		return whole
	}
	sign := a.leaf(a.words.ofBytes(BytesOf("+-")))
	exponent := a.concat(a.leaf(a.words.ofBytes(BytesOf("eE"))), a.optional(sign), digits)
	return a.concat(whole, a.optional(a.concat(a.literal("."), digits)), a.optional(exponent))
}

func (a *Arena) optional(e Expr) Expr { return a.repeat(e, 0, 1) }
