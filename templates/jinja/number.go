package jinja

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// asInt returns the value of an Int or Bool; bigInt is not one.
func asInt(v Value) (int64, bool) {
	switch v := v.(type) {
	case Int:
		return int64(v), true
	case Bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// wantInt converts an argument that must be an integer.
func wantInt(v Value) int { return int(mustInt(v)) }

func mustInt(v Value) int64 {
	n, ok := asInt(v)
	if _, large := v.(bigInt); large {
		throwLarge()
	}
	if !ok {
		throw(typeType, "'%s' object cannot be interpreted as an integer", v.typeName())
	}
	return n
}

// asFloat converts a number as Python does in mixed arithmetic.
func asFloat(v Value) (float64, bool) {
	switch v := v.(type) {
	case Float:
		return float64(v), true
	case bigInt:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	}
	n, ok := asInt(v)
	return float64(n), ok
}

func isInt(v Value) bool {
	switch v.(type) {
	case Int, bigInt, Bool:
		return true
	}
	return false
}

func isNumber(v Value) bool {
	_, f := v.(Float)
	return f || isInt(v)
}

// compareNumbers orders two numbers; nan is reported as unordered.
func compareNumbers(a, b Value) (c int, ordered bool) {
	x, okX := asInt(a)
	y, okY := asInt(b)
	if okX && okY {
		return cmp.Compare(x, y), true
	}
	f, _ := asFloat(a)
	g, _ := asFloat(b)
	return cmp.Compare(f, g), f == f && g == g
}

// text is Python's repr of a float: the shortest digits that read back as the same number.
func (f Float) text() string {
	n := float64(f)
	switch {
	case math.IsInf(n, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(n, 'g', -1, 64), "+"))
	case math.IsNaN(n):
		return "nan"
	}
	s := strconv.FormatFloat(n, 'e', -1, 64)
	exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if exp >= -4 && exp < 16 {
		s = strconv.FormatFloat(n, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
	}
	return s
}

const decimal = "0123456789"

// parseInt reads an int of any number of digits.
func parseInt(text string) (Value, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n), true
	}
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || digits == "" || strings.Trim(digits, decimal) != "" {
		return nil, false
	}
	return bigInt(strings.TrimPrefix(text, "+")), true
}

// floatToInt is Python's int of a float.
func floatToInt(f float64) Value {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		throw(typeValue, "cannot convert %s to integer", Float(f).text())
	}
	v, _ := parseInt(strconv.FormatFloat(math.Trunc(f), 'f', 0, 64))
	return v
}

// unary is -v or +v.
func unary(op tokenType, v Value) Value {
	mustDefined(v)
	f, float := v.(Float)
	switch {
	case float && op == "-":
		return -f
	case float:
		return f
	case op == "-":
		return integers("*", mustInt(v), -1)
	}
	return Int(mustInt(v))
}

// binary is a op b.
func (rt *runtime) binary(op tokenType, a, b Value) Value {
	x, okX := asInt(a)
	y, okY := asInt(b)
	if okX && okY {
		return integers(op, x, y)
	}
	if _, format := a.(*Str); format && op == "%" {
		throw(typeType, "%s", noFormatting)
	}
	mustDefined(a)
	mustDefined(b)
	if isNumber(a) && isNumber(b) {
		_, bigA := a.(bigInt)
		_, bigB := b.(bigInt)
		if bigA || bigB {
			throwLarge()
		}
		f, _ := asFloat(a)
		g, _ := asFloat(b)
		return floats(op, f, g)
	}
	switch op {
	case "+":
		return rt.add(a, b)
	case "*":
		return rt.repeat(a, b)
	}
	throw(typeType, "unsupported operand type(s) for %s: '%s' and '%s'", op, a.typeName(), b.typeName())
	return nil
}

func throwLarge() { throw(typeLimit, "%s", tooLarge) }

// What is said where a template formats text as printf does, and where it computes with ints of
// more than 64 bits.
const (
	noFormatting = "text is not formatted with % here; join its parts with ~"
	tooLarge     = "an integer of more than 64 bits is not computed with"
)

// integers computes with ints, and refuses what needs more than 64 bits, or nearly so.
func integers(op tokenType, x, y int64) Value {
	switch op {
	case "/":
		return floats(op, float64(x), float64(y))
	case "//", "%":
		if y == 0 {
			throw(typeValue, "division by zero")
		}
		quo, rem := x/y, x%y
		if rem != 0 && (rem < 0) != (y < 0) {
			quo, rem = quo-1, rem+y
		}
		if op == "%" {
			return Int(rem)
		}
		return Int(quo)
	}
	if about := float64(floats(op, float64(x), float64(y))); math.Abs(about) > 1<<62 {
		throwLarge()
	}
	switch op {
	case "+":
		return Int(x + y)
	case "-":
		return Int(x - y)
	}
	return Int(x * y)
}

func floats(op tokenType, x, y float64) Float {
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	}
	if y == 0 {
		throw(typeValue, "division by zero")
	}
	if op == "/" {
		return Float(x / y)
	}
	mod := math.Mod(x, y) // which Python gives the divisor's sign
	if mod == 0 {
		mod = math.Copysign(0, y)
	} else if (mod < 0) != (y < 0) {
		mod += y
	}
	if op == "%" {
		return Float(mod)
	}
	quo := math.Round((x - mod) / y)
	if quo == 0 {
		quo = math.Copysign(0, x/y)
	}
	return Float(quo)
}
