package machine

import (
	"bytes"
	"encoding/json"
	"math/big"
	"sort"
	"strings"
)

// decodeString resolves the escapes of the inside of a JSON string that an automaton has accepted.
// Without escapes it is the text itself, not a copy.
func decodeString(inside []byte) []byte {
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	var s string
	quoted := append(append([]byte{'"'}, inside...), '"')
	if json.Unmarshal(quoted, &s) != nil {
		return inside
	}
	return []byte(s)
}

// canonical writes a JSON text as another, so that equal values give equal texts: keys sorted,
// numbers by value, no escapes but those that must be.
func canonical(text []byte) []byte {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return text
	case text[0] == '"' && bytes.IndexByte(text, '\\') < 0:
		return text
	case (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid(text):
		return []byte(canonicalNumber(string(text)))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	var b bytes.Buffer
	writeCanonical(&b, v)
	return b.Bytes()
}

func writeCanonical(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonicalString(b, k)
			b.WriteByte(':')
			writeCanonical(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, x)
		}
		b.WriteByte(']')
	case json.Number:
		b.WriteString(canonicalNumber(string(v)))
	case string:
		writeCanonicalString(b, v)
	default:
		text, _ := json.Marshal(v) // booleans and null always can
		b.Write(text)
	}
}

// writeCanonicalString escapes what must be, and nothing else, so that a string without escapes is
// canonical.
func writeCanonicalString(b *bytes.Buffer, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.Write([]byte{'\\', c})
		case c < 0x20:
			b.WriteString(hexEscape(uint16(c)))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
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
