package machine

import (
	"bytes"
	"encoding/json"

	"tenon/grammar/schema/source"
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

// canonical is source.Canonical, with plain strings at hand: that is what most elements are.
func canonical(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '"' && bytes.IndexByte(text, '\\') < 0 || rareCanonical.off() {
		return text
	}
	return source.Canonical(text)
}
