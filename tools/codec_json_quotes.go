package tools

import (
	"bytes"
	"errors"
	"slices"

	"tenon/tools/lenient"
)

// decode reads a value. Where quotes inside of its strings are not escaped, those end them that stand before a key that a call or a
// tool has, or before the end of everything, if that makes sense of the whole.
func (s *jsonScanner) decode(text []byte) (lenient.Decoded, error) {
	v, err := lenient.Decode(text, s.values.Rules)
	if !s.torn && err == nil && !slices.Contains(v.Repairs, lenient.UnescapedQuote) {
		return v, nil
	}
	if s.loose {
		return v, errTorn
	}
	r := s.values.Rules
	r.Key = s.plan.isKey
	keyed, keyedErr := lenient.Decode(text, r)
	switch {
	case keyedErr == nil && len(bytes.TrimSpace(text[keyed.End:])) == 0:
		return keyed, nil
	case s.torn && err == nil:
		return v, errTorn
	}
	return v, err
}

var errTorn = errors.New("where its strings end would be a guess")

// isKey tells whether a call has a key, or the arguments of a tool that can be called.
func (p *Plan) isKey(key string) bool {
	return slices.Contains(callKeys, key) || slices.Contains(p.nameKeys, key) || slices.Contains(p.argsKeys, key) ||
		slices.ContainsFunc(p.tools, func(t declared) bool { return t.allowed && t.schema.Declares(key) })
}
