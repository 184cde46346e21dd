package lenient

import (
	"bytes"
)

// prefix passes Python's prefix of a string, and tells whether nothing is escaped in it.
func (d *decoder) prefix() (raw bool) {
	for n := 1; n <= 2 && d.pos+n < len(d.text); n++ {
		if raw, ok := stringPrefix(d.text, d.pos, d.pos+n, 'x'); ok {
			d.pos += n
			d.repair(PythonLiteral)
			return raw
		}
	}
	return false
}

// dictAt tells whether Python's dict(…) stands here, and where its parenthesis opens.
func (d *decoder) dictAt() (int, bool) {
	const word = "dict("
	return d.pos + len(word) - 1, bytes.HasPrefix(d.text[d.pos:], []byte(word))
}

// joined reads the further parts of a string, of which s is the first.
func (d *decoder) joined(s []byte, p place) ([]byte, error) {
	for {
		i, _ := skipSpace(d.text, d.pos, true)
		if i == len(d.text) || d.text[i] != '+' && !joins(d.text[i], p.in) {
			return s, nil
		}
		if d.text[i] == '+' {
			i, _ = skipSpace(d.text, i+1, true)
		}
		d.pos = i
		if i == len(d.text) {
			return nil, errValue
		}
		prefixRaw := d.prefix()
		quote, raw, _ := d.rules.quoteAt(d.text, d.pos, ':', true)
		if quote == "" {
			return nil, errValue
		}
		raw = raw || prefixRaw
		more, err := d.quoted(quote, raw, p)
		if err != nil {
			return nil, err
		}
		d.repair(JoinedStrings)
		s = append(s, more...)
	}
}
