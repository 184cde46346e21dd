package source

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Canonical normalizes a JSON text so that equal values have equal texts: keys are sorted, numbers
// are written by value, and only necessary escapes remain. Other text is returned as it is.
func Canonical(text []byte) []byte {
	v, err := Decode(string(text), math.MaxInt)
	if err != nil {
		return text
	}
	return []byte(v.Canonical())
}

// Canonical returns the canonical text of a value.
func (v *Value) Canonical() string {
	if v.canon == "" {
		v.canon = v.canonicalText()
	}
	return v.canon
}

// Equal reports whether v and w are the same value.
func (v *Value) Equal(w *Value) bool { return v.Canonical() == w.Canonical() }

func (v *Value) canonicalText() string {
	switch v.Kind {
	case Null:
		return "null"
	case Bool:
		if v.Truth {
			return "true"
		}
		return "false"
	case Number:
		return canonicalNumber(v.Text)
	case String:
		return canonicalString(v.Text)
	case Array:
		parts := make([]string, len(v.Items))
		for i, e := range v.Items {
			parts[i] = e.Canonical()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	parts := make([]string, len(v.Members))
	for i, m := range v.Members {
		parts[i] = canonicalString(m.Key) + ":" + m.Val.Canonical()
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

// canonicalString writes only the necessary escapes.
func canonicalString(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// canonicalNumber writes a number as its digits without zeros at either end, and an exponent of
// any size.
func canonicalNumber(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	exponent := new(big.Int)
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent.SetString(strings.TrimPrefix(s[i+1:], "+"), 10)
		s = s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent.Sub(exponent, big.NewInt(int64(len(fraction))))
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(trimmed))))
	return sign + trimmed + "e" + exponent.String()
}
