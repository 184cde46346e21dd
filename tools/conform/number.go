package conform

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// readable tells whether a double holds about what a number says: most readers of JSON read 1e400 as infinity or not at all, and 1e-400 as
// zero. The validator cannot do with exponents of many digits either.
func readable(n string) bool {
	f, err := strconv.ParseFloat(n, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(n), "e")
	if err != nil || f == 0 && strings.ContainsAny(mantissa, "123456789") {
		return false
	}
	_, ok := new(big.Rat).SetString(n)
	return ok
}

// unreadable returns a number in v that is not readable, "" if all are. Numbers are json.Number.
func unreadable(v any) string {
	switch v := v.(type) {
	case json.Number:
		if !readable(v.String()) {
			return v.String()
		}
	case []any:
		for _, e := range v {
			if n := unreadable(e); n != "" {
				return n
			}
		}
	case map[string]any:
		for _, e := range v {
			if n := unreadable(e); n != "" {
				return n
			}
		}
	}
	return ""
}
