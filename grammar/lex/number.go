package lex

import (
	"errors"
	"fmt"
	"strings"

	"tenon/grammar/lex/number"
)

// numberTable holds the sets of numbers of an arena, and the states in which they are read: an
// expression of kind number is one of them.
type numberTable struct {
	sets   []*number.Set
	setIDs map[string]int32 // by specification
	states []numberState
	ids    map[numberKey]int32
}

type numberKey struct {
	set int32
	key number.Key
}

type numberState struct {
	set   int32
	state number.State
	expr  Expr
}

// Number returns the JSON spellings of the numbers of a set. The error is a *LimitError for what
// is too large to be calculated with, see [number.New].
func (a *Arena) Number(spec number.Spec) (Expr, error) {
	set, err := number.New(spec)
	var limit *number.LimitError
	if errors.As(err, &limit) {
		err = &LimitError{What: limit.What, Limit: limit.Limit}
	}
	if err != nil {
		return empty, fmt.Errorf("compile number: %w", err)
	}
	e := empty
	err = a.attempt(a.limits.Work, func() {
		if integer, all := set.Syntax(); all {
			e = a.spellings(integer)
			return
		}
		e = a.numberExpr(a.numbers.intern(spec, set), set.Start())
	})
	return e, err
}

// spellings is the syntax of JSON numbers. Integers have no exponent.
func (a *Arena) spellings(integer number.Integer) Expr {
	digit := a.digit('0')
	whole := a.concat(a.optional(a.literal("-")), a.union(a.literal("0"), a.concat(a.digit('1'), a.repeat(digit, 0, unbounded))))
	switch integer {
	case number.IntegerSyntax:
		return whole
	case number.IntegerValues:
		return a.concat(whole, a.optional(a.concat(a.literal("."), a.repeat(a.literal("0"), 1, unbounded))))
	}
	return a.concat(whole, a.optional(a.concat(a.literal("."), a.repeat(digit, 1, unbounded))), a.exponent())
}

// exponent is that of a number, or none.
func (a *Arena) exponent() Expr {
	sign := a.leaf(a.words.ofBytes(BytesOf("+-")))
	return a.optional(a.concat(a.leaf(a.words.ofBytes(BytesOf("eE"))), a.optional(sign), a.repeat(a.digit('0'), 1, unbounded)))
}

// digit is one from least up.
func (a *Arena) digit(least byte) Expr { return a.leaf(a.words.ofBytes(ByteRange(least, '9'))) }

func (a *Arena) optional(e Expr) Expr { return a.repeat(e, 0, 1) }

// intern returns the index of the set that spec describes; equal ones share their states.
func (t *numberTable) intern(spec number.Spec, set *number.Set) int32 {
	if t.ids == nil {
		t.setIDs, t.ids = map[string]int32{}, map[numberKey]int32{}
	}
	key := fmt.Sprintf("%+v", spec)
	id, ok := t.setIDs[key]
	if !ok {
		id = int32(len(t.sets))
		t.sets = append(t.sets, set)
		t.setIDs[key] = id
	}
	return id
}

// numberExpr returns the expression of a state, ∅ if it cannot be completed.
func (a *Arena) numberExpr(set int32, s number.State) Expr {
	t := &a.numbers
	k := numberKey{set, s.Key}
	id, ok := t.ids[k]
	if !ok {
		id = int32(len(t.states))
		t.ids[k] = id
		t.states = append(t.states, numberState{set: set, state: s})
		if t.sets[set].Live(s) {
			e := a.intern(node{kind: kindNumber, a: id})
			t.states[id].expr = e
		}
	}
	return t.states[id].expr
}

// numberBounds begin the ranges of bytes that numbers tell apart.
var numberBounds = BytesOf("\x00-./0123456789:")

func (a *Arena) describeNumber(n *node) {
	x := &a.numbers.states[n.a]
	least := a.numbers.sets[x.set].AtLeast(x.state)
	n.text, n.nullable, n.bounds, n.span = true, least == 0, numberBounds, span{least, least, least, unbounded}
}

func (a *Arena) deriveNumber(n *node, b byte) Expr {
	x := a.numbers.states[n.a]
	next, ok := a.numbers.sets[x.set].Step(x.state, b)
	if !ok {
		return empty
	}
	return a.numberExpr(x.set, next)
}

// WithoutNumbers returns e without some numbers, which are JSON numbers. It is for values that
// must differ: a text that begins none but those numbers begins nothing any more. Some that many
// others begin with may stay in a spelling with an exponent.
func (a *Arena) WithoutNumbers(e Expr, numbers []string) Expr {
	var whole, broken []string
	zero := a.Empty()
	for _, n := range numbers {
		text, ok := number.WithoutExponent(n)
		switch {
		case !ok: // no set has few of those
		case text == "0":
			zero = a.Concat(a.Literals("0", "-0"), a.zeroDigits(), a.build(a.exponent))
		case strings.Contains(text, "."):
			broken = append(broken, text)
		default:
			whole = append(whole, text)
		}
	}
	zeros := a.Repeat(a.Literal("0"), 0, unbounded)
	return a.Intersect(e, a.Complement(a.Union(zero, a.Concat(a.Literals(whole...), a.zeroDigits()), a.Concat(a.Literals(broken...), zeros))))
}

// zeroDigits is a fraction of zeros, or none.
func (a *Arena) zeroDigits() Expr {
	return a.build(func() Expr { return a.optional(a.concat(a.literal("."), a.repeat(a.literal("0"), 1, unbounded))) })
}
