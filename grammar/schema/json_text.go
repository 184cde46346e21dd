package schema

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// text reads a string literal; d.at is at its opening quote. Broken UTF-8 and lone surrogates
// become U+FFFD, as in encoding/json, which reads what is not plain.
func (d *decoder) text() (s string, err error) {
	start, plain := d.at, true
	for d.at++; d.at < len(d.src); d.at++ {
		switch c := d.src[d.at]; {
		case c == '\\':
			plain = false
			d.at++
		case c == '"':
			d.at++
			if inside := d.src[start+1 : d.at-1]; plain && utf8.Valid(inside) {
				return string(inside), nil
			}
			if err := json.Unmarshal(d.src[start:d.at], &s); err != nil {
				return "", errors.New("malformed string")
			}
			return s, nil
		case c < 0x20:
			return "", errors.New("control character in a string")
		}
	}
	return "", errors.New("unterminated string")
}
