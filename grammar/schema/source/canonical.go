package source

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Canonical writes a JSON text as another, so that equal values give equal texts: keys sorted,
// numbers by value, no escapes but those that must be. What is no JSON stays as it is.
func Canonical(text []byte) []byte {
	v, err := Decode(text, math.MaxInt)
	if err != nil {
		return text
	}
	return []byte(v.Canonical())
}

// Canonical is the same for a value that has been read.
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

// canonicalString escapes what must be, and nothing else, so that a string without escapes is
// canonical.
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

// canonicalNumber writes a number as its digits without zeros at either end, and an exponent. The
// exponent may have any size: it is never multiplied out.
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
