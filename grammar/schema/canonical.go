package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Canonical writes a JSON text as another, so that equal values give equal texts: keys sorted,
// numbers by value, no escapes but those that must be. What is no JSON stays as it is.
func Canonical(text []byte) []byte {
	v, err := decodeJSON(text, Limits{}.withDefaults().Depth)
	if err != nil {
		return text
	}
	return []byte(v.canonical())
}

// canonical is Canonical for a value that has been read.
func (v *value) canonical() string {
	if v.canon == "" {
		v.canon = v.canonicalText()
	}
	return v.canon
}

func (v *value) canonicalText() string {
	switch v.kind {
	case Null:
		return "null"
	case Bool:
		if v.truth {
			return "true"
		}
		return "false"
	case Number:
		return canonicalNumber(v.text)
	case String:
		return canonicalString(v.text)
	case Array:
		parts := make([]string, len(v.items))
		for i, e := range v.items {
			parts[i] = e.canonical()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	parts := make([]string, len(v.members))
	for i, m := range v.members {
		parts[i] = canonicalString(m.key) + ":" + m.val.canonical()
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
