package lex

import (
	"encoding/json"
	"errors"
	"fmt"

	"tenon/grammar/lex/number"
)

// A machine of its own reads numbers: package number. An expression of kind number is one of its
// states.

// numberKey is the identity of a state.
type numberKey struct {
	set int32
	number.State
	free bool // maxSpelledDigits does not apply
}

type numberState struct {
	key    numberKey
	digits number.Digits // of the first text that led here
	expr   Expr
}

type numberTable struct {
	sets   []*number.Set
	specs  []number.Spec    // of the sets
	setIDs map[string]int32 // by specification
	states []numberState
	ids    map[numberKey]int32
	parts  map[numberPart]Expr
}

// maxSpelledDigits is how many digits a spelling may have before each must bring its end nearer.
const maxSpelledDigits = 1000

// Number returns the JSON spellings of the numbers of a set. Spellings with an exponent are among
// them only if the set holds all numbers. The error is a *LimitError for bounds and divisors that
// are too large; see number.New.
func (a *Arena) Number(spec number.Spec) (Expr, error) {
	set, err := number.New(spec)
	if err != nil {
		if limit := (*number.LimitError)(nil); errors.As(err, &limit) {
			err = &LimitError{What: limit.What, Limit: limit.Limit}
		}
		return empty, fmt.Errorf("compile number: %w", err)
	}
	e := empty
	err = a.attempt(a.limits.Work, func() { e = a.numberSet(spec, set) })
	return e, err
}

// numberSet returns the spellings of a set.
func (a *Arena) numberSet(spec number.Spec, set *number.Set) Expr {
	switch {
	case !set.Unconstrained():
		start, none := set.Start()
		return a.numberExpr(numberKey{set: a.numbers.intern(spec, set), State: start}, none)
	case spec.Integer == number.IntegerSyntax:
		return a.anyInteger
	}
	return a.anyNumber
}

// intern returns the index of the set that spec describes; equal ones share their states.
func (t *numberTable) intern(spec number.Spec, set *number.Set) int32 {
	if t.ids == nil {
		t.setIDs, t.ids, t.parts = map[string]int32{}, map[numberKey]int32{}, map[numberPart]Expr{}
	}
	// Marshal has no errors here, and fmt would panic and recover at each nil bound
	text, _ := json.Marshal(spec)
	key := string(text)
	if id, ok := t.setIDs[key]; ok {
		return id
	}
	id := int32(len(t.sets))
	t.sets, t.specs = append(t.sets, set), append(t.specs, spec)
	t.setIDs[key] = id
	return id
}

// numberExpr returns the expression of a state, ∅ if it cannot be completed.
func (a *Arena) numberExpr(k numberKey, d number.Digits) Expr {
	t := &a.numbers
	if id, ok := t.ids[k]; ok {
		return t.states[id].expr
	}
	id := int32(len(t.states))
	t.ids[k] = id
	t.states = append(t.states, numberState{key: k, digits: d})
	if t.sets[k.set].Live(k.State, d) {
		e := a.intern(node{kind: kindNumber, a: id})
		t.states[id].expr = e
	}
	return t.states[id].expr
}

var numberBounds = BytesOf("\x00-./0123456789:")

func (a *Arena) describeNumber(n *node) {
	state := &a.numbers.states[n.a]
	least := a.numbers.sets[state.key.set].AtLeast(state.key.State, state.digits)
	n.text, n.nullable, n.bounds, n.span = true, least == 0, numberBounds, span{least, least, least, unbounded}
	n.bounds.Add('-' + 1)
}

// deriveNumber is the machine's transition.
func (a *Arena) deriveNumber(e Expr, b byte) Expr {
	state := a.numbers.states[a.at(e).a]
	k, s := state.key, a.numbers.sets[state.key.set]
	next, digits, ok := k, state.digits, false
	switch {
	case b == '-':
		next.State, ok = s.Minus(k.State)
	case b == '.':
		next.State, ok = s.Point(k.State)
	case '0' <= b && b <= '9':
		next.State, digits, ok = s.Digit(k.State, digits, b-'0')
		ok = ok && (digits.Count() <= maxSpelledDigits || k.free || a.shortens(k, state.digits, next, digits))
	}
	if !ok {
		return empty
	}
	return a.numberExpr(next, digits)
}

// shortens reports whether the digit that leads from k to next shortens the shortest completion.
// Behind maxSpelledDigits, only such digits may follow.
func (a *Arena) shortens(k numberKey, d number.Digits, next numberKey, digits number.Digits) bool {
	k.free, next.free = true, true
	there := a.numberExpr(next, digits)
	if there == empty {
		return false
	}
	least, ok := a.distance(there, inBytes)
	from, known := a.distance(a.numberExpr(k, d), inBytes)
	return least < from || !ok || !known
}

// spellings is the syntax of JSON numbers.
func (a *Arena) spellings(integer bool) Expr {
	digit, leading := a.leaf(a.words.ofBytes(ByteRange('0', '9'))), a.leaf(a.words.ofBytes(ByteRange('1', '9')))
	whole := a.union(a.literal("0"), a.concat(leading, a.repeat(digit, 0, unbounded)))
	if integer {
		return a.concat(a.optional(a.literal("-")), whole)
	}
	return a.spelled(whole, digit)
}

// spelled is the syntax of numbers, given their integer parts and the digits of fractions.
func (a *Arena) spelled(whole, digit Expr) Expr {
	sign, e, digits := a.leaf(a.words.ofBytes(BytesOf("+-"))), a.leaf(a.words.ofBytes(BytesOf("eE"))), a.leaf(a.words.ofBytes(ByteRange('0', '9')))
	fraction := a.concat(a.literal("."), a.repeat(digit, 1, unbounded))
	exponent := a.concat(e, a.optional(sign), a.repeat(digits, 1, unbounded))
	return a.concat(a.optional(a.literal("-")), whole, a.optional(fraction), a.optional(exponent))
}

func (a *Arena) optional(e Expr) Expr { return a.repeat(e, 0, 1) }
