package jinja

import (
	"math"
	"math/big"
)

// unary is -v or +v.
func unary(op tokenType, v Value) Value {
	mustDefined(v)
	switch n := v.(type) {
	case Int:
		if op == "+" {
			return n
		}
		if n != math.MinInt64 {
			return -n
		}
	case Float:
		if op == "+" {
			return n
		}
		return -n
	}
	if b, ok := asBig(v); ok {
		if op == "-" {
			b = new(big.Int).Neg(b)
		}
		return newInt(b)
	}
	throw(typeType, "bad operand type for unary %s: '%s'", op, v.typeName())
	return nil
}

// powerSteps is what a power of floats counts: a hundred square roots.
const powerSteps = 500

// binary is a op b.
func (rt *runtime) binary(op tokenType, a, b Value) Value {
	if isInt(a) && isInt(b) {
		return rt.integers(op, a, b)
	}
	if isNumber(a) && isNumber(b) {
		x, _ := asFloat(a)
		y, _ := asFloat(b)
		if op == "**" {
			rt.spend(powerSteps)
		}
		return floats(op, x, y)
	}
	if _, ok := a.(*Str); ok && op == "%" {
		throw(typeType, "%s", noFormatting)
	}
	mustDefined(a)
	if op == "*" && isMarkup(a) { // which asks for a number before it asks what there is
		mustDefinedInt(b)
	}
	mustDefined(b)
	switch op {
	case "+":
		return rt.add(a, b)
	case "*":
		return rt.repeat(a, b)
	}
	throw(typeType, "unsupported operand type(s) for %s: '%s' and '%s'", opName(op), a.typeName(), b.typeName())
	return nil
}

func opName(op tokenType) string {
	if op == "**" {
		return "** or pow()"
	}
	return string(op)
}

func (rt *runtime) integers(op tokenType, a, b Value) Value {
	x, okX := asInt(a)
	y, okY := asInt(b)
	if okX && okY {
		if v := smallIntegers(op, x, y); v != nil {
			return v
		}
	}
	p, _ := asBig(a)
	q, _ := asBig(b)
	rt.spend(1 + (p.BitLen()+q.BitLen())/bytesPerStep)
	z := new(big.Int)
	switch op {
	case "+":
		return newInt(z.Add(p, q))
	case "-":
		return newInt(z.Sub(p, q))
	case "*":
		rt.bits(p.BitLen() + q.BitLen())
		return newInt(z.Mul(p, q))
	case "**":
		return rt.power(p, q)
	}
	if q.Sign() == 0 {
		throw(typeZeroDivide, "%s", map[tokenType]string{"/": "division by zero", "//": "integer division or modulo by zero", "%": "integer modulo by zero"}[op])
	}
	if op == "/" {
		return trueDivide(p, q)
	}
	quo, rem := new(big.Int).QuoRem(p, q, new(big.Int))
	if rem.Sign() != 0 && rem.Sign() != q.Sign() {
		quo.Sub(quo, big.NewInt(1))
		rem.Add(rem, q)
	}
	if op == "//" {
		return newInt(quo)
	}
	return newInt(rem)
}

// smallIntegers computes what surely fits a machine word, or returns nil.
func smallIntegers(op tokenType, x, y int64) Value {
	const half = 1 << 31
	small := x > -half && x < half && y > -half && y < half
	switch {
	case op == "+" && small:
		return Int(x + y)
	case op == "-" && small:
		return Int(x - y)
	case op == "*" && small:
		return Int(x * y)
	case op == "%" && small && y != 0:
		m := x % y
		if m != 0 && (m < 0) != (y < 0) {
			m += y
		}
		return Int(m)
	}
	return nil
}

// bits refuses ints that would be larger than anyone needs.
func (rt *runtime) bits(n int) {
	if n > maxIntBits {
		throw(typeLimit, "an integer of more than %d bits", maxIntBits)
	}
	rt.spend(n / 8)
}

func (rt *runtime) power(p, q *big.Int) Value {
	if q.Sign() < 0 {
		x, _ := asFloat(newInt(p))
		y, _ := asFloat(newInt(q))
		return floats("**", x, y)
	}
	if p.BitLen() > 1 { // anything but -1, 0 and 1
		if !q.IsInt64() || q.Int64() > maxIntBits {
			rt.bits(maxIntBits + 1)
		}
		rt.bits(p.BitLen() * int(q.Int64()))
	} else if q.BitLen() > 1 { // only whether it is even matters
		q = big.NewInt(2 + int64(q.Bit(0)))
	}
	return newInt(new(big.Int).Exp(p, q, nil))
}

func trueDivide(p, q *big.Int) Value {
	if p.IsInt64() && q.IsInt64() && p.BitLen() <= 53 && q.BitLen() <= 53 {
		return Float(float64(p.Int64()) / float64(q.Int64()))
	}
	f, _ := new(big.Rat).SetFrac(p, q).Float64()
	if math.IsInf(f, 0) {
		throw(typeOverflow, "integer division result too large for a float")
	}
	return Float(f)
}

func floats(op tokenType, x, y float64) Value {
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	case "**":
		return floatPower(x, y)
	}
	if y == 0 {
		throw(typeZeroDivide, "%s", map[tokenType]string{"/": "float division by zero", "//": "float floor division by zero", "%": "float modulo"}[op])
	}
	if op == "/" {
		return Float(x / y)
	}
	quo, mod := floatDivMod(x, y)
	if op == "//" {
		return Float(quo)
	}
	return Float(mod)
}

// floatDivMod is Python's divmod of floats: the remainder has the divisor's sign.
func floatDivMod(x, y float64) (quo, mod float64) {
	mod = math.Mod(x, y)
	div := (x - mod) / y
	if mod != 0 {
		if (y < 0) != (mod < 0) {
			mod += y
			div--
		}
	} else {
		mod = math.Copysign(0, y)
	}
	if div == 0 {
		return math.Copysign(0, x/y), mod
	}
	quo = math.Floor(div)
	if div-quo > 0.5 {
		quo++
	}
	return quo, mod
}

func floatPower(x, y float64) Value {
	switch {
	case x == 0 && y < 0:
		throw(typeZeroDivide, "0.0 cannot be raised to a negative power")
	case x < 0 && y != math.Trunc(y) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		throw(typeValue, "complex numbers are not supported")
	}
	r := power(x, y)
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		throw(typeOverflow, "(34, 'Numerical result out of range')")
	}
	return Float(r)
}

// power is C's pow, which is nearly always the nearest float; math.Pow is often the one beside it.
// Exponents of moderate size are computed with digits to spare: x is squared for each bit of the
// exponent before the point, and its square root taken for each bit behind it.
func power(x, y float64) float64 {
	whole, fraction := math.Modf(math.Abs(y))
	odd := x == 0 || math.IsInf(x, 0) || math.IsNaN(x) || math.IsNaN(y)
	if odd || whole > 1024 || fraction != 0 && (x < 0 || fraction < 0x1p-60) {
		return math.Pow(x, y)
	}
	const spare = 256
	base := new(big.Float).SetPrec(spare).SetFloat64(x)
	root := new(big.Float).Copy(base)
	out := new(big.Float).SetPrec(spare).SetInt64(1)
	for n := int(whole); n > 0; n >>= 1 {
		if n&1 == 1 {
			out.Mul(out, base)
		}
		base.Mul(base, base)
	}
	for fraction != 0 {
		root.Sqrt(root)
		bit, rest := math.Modf(2 * fraction)
		if fraction = rest; bit == 1 {
			out.Mul(out, root)
		}
	}
	if y < 0 {
		out.Quo(big.NewFloat(1).SetPrec(spare), out)
	}
	r, _ := out.Float64()
	return r
}

// add concatenates sequences.
func (rt *runtime) add(a, b Value) Value {
	switch x := a.(type) {
	case *Str:
		if y, ok := b.(*Str); ok {
			return rt.concat(x, y)
		}
		if !x.markup { // which adds on its own
			throw(typeType, `can only concatenate str (not "%s") to str`, b.typeName())
		}
	case *List:
		if y, ok := b.(*List); ok {
			return rt.newList(rt.chain(x.items, y.items))
		}
		throw(typeType, `can only concatenate list (not "%s") to list`, b.typeName())
	case *Tuple, *groupTuple:
		p, _ := items(a)
		if q, ok := tupleItems(b); ok {
			return rt.tuple(rt.chain(p, q))
		}
		throw(typeType, `can only concatenate tuple (not "%s") to tuple`, b.typeName())
	}
	throw(typeType, "unsupported operand type(s) for +: '%s' and '%s'", a.typeName(), b.typeName())
	return nil
}

func tupleItems(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *Tuple:
		return v.items, true
	case *groupTuple:
		return v.items, true
	}
	return nil, false
}

func (rt *runtime) chain(a, b []Value) []Value {
	rt.spend(len(a) + len(b))
	return append(append(make([]Value, 0, len(a)+len(b)), a...), b...)
}

func (rt *runtime) concat(a, b *Str) *Str {
	if a.markup || b.markup {
		a, b = rt.escape(a), rt.escape(b)
	}
	rt.make(len(a.text) + len(b.text))
	var out *Str
	if a.runs == nil && b.runs == nil && a.origin == b.origin {
		out = &Str{text: a.text + b.text, origin: a.origin}
	} else {
		out = joinStrs(emptyStr, []*Str{a, b})
	}
	out.markup = a.markup
	return out
}

// repeat is a sequence times an int, in either order.
func (rt *runtime) repeat(a, b Value) Value {
	seq, count := a, b
	if isInt(a) {
		seq, count = b, a
	}
	if isMarkup(a) || isMarkup(b) { // which multiply on their own
		if !isMarkup(seq) {
			count, seq = seq, count
		}
		if !isInt(count) {
			wantInt(count)
		}
	}
	switch seq.(type) {
	case *Str, *List, *Tuple, *groupTuple:
		if !isInt(count) {
			throw(typeType, "can't multiply sequence by non-int of type '%s'", count.typeName())
		}
	default:
		switch b.(type) {
		case *Str, *List, *Tuple, *groupTuple:
			throw(typeType, "can't multiply sequence by non-int of type '%s'", a.typeName())
		}
		throw(typeType, "unsupported operand type(s) for *: '%s' and '%s'", a.typeName(), b.typeName())
	}
	n, ok := asInt(count)
	if !ok {
		throw(typeOverflow, "cannot fit 'int' into an index-sized integer")
	}
	return rt.times(seq, max(n, 0))
}

func isMarkup(v Value) bool {
	s, ok := v.(*Str)
	return ok && s.markup
}

// times repeats a sequence n times.
func (rt *runtime) times(seq Value, n int64) Value {
	if s, ok := seq.(*Str); ok {
		rt.make(saturate(int64(len(s.text)), n))
		return repeatStr(s, int(n))
	}
	list, _ := items(seq)
	rt.spend(saturate(int64(len(list)), n))
	out := make([]Value, 0, len(list)*int(n))
	for range n {
		if len(list) == 0 {
			break
		}
		out = append(out, list...)
	}
	if _, ok := seq.(*List); ok {
		return rt.newList(out)
	}
	return rt.tuple(out)
}

// saturate multiplies two sizes without overflow.
func saturate(a, b int64) int {
	const most = 1 << 40
	if a == 0 || b == 0 {
		return 0
	}
	if a > most || b > most/a {
		return most
	}
	return int(a * b)
}

// noFormatting is said where a template formats text as printf does.
const noFormatting = "text is not formatted with % here; join its parts with ~"
