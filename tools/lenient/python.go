package lenient

import (
	"bytes"
	"errors"
	"fmt"
)

// DecodeArguments reads the keyword arguments of a call in Python, from its opening parenthesis to
// its closing one, as an object: (a=1, b="x") is {"a":1,"b":"x"}. A mapping alone ({"a": 1}) and
// **{"a": 1} count as its members.
func DecodeArguments(text []byte, r Rules) (Decoded, error) {
	d := decoder{text: text, rules: r}
	if len(text) == 0 || text[0] != '(' {
		return Decoded{}, errValue
	}
	if err := d.arguments(0); err != nil {
		return Decoded{}, fmt.Errorf("at byte %d: %w", d.pos, err)
	}
	return Decoded{JSON: d.out.Bytes(), End: d.pos, Repairs: d.repairs}, nil
}

func (d *decoder) arguments(depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	return d.members(')', func(n int) ([]byte, place, error) {
		key, bare, err := d.parameter(n, depth)
		return key, place{in: '(', bare: bare}, err
	}, depth)
}

// parameter reads the keyword of the n-th argument; bare says that it has none and stands at its
// parameter's place.
func (d *decoder) parameter(n, depth int) (key []byte, bare bool, err error) {
	at := d.pos
	key, err = d.keyword()
	if err == nil {
		d.keywords = true
		return key, false, nil
	}
	if depth > 0 || d.keywords || n >= len(d.rules.Positional) || !literalStart(d.text[at:]) {
		return nil, false, err
	}
	d.pos = at
	d.repair(Positional)
	return []byte(d.rules.Positional[n]), true, nil
}

// literalStart tells whether a value that is no name begins a text: what a name stands for is not
// known.
func literalStart(text []byte) bool {
	if c := text[0]; !identStart(c) || c >= 0x80 {
		return true
	}
	n := 0
	for n < len(text) && identPart(text[n]) {
		n++
	}
	_, literal := literals[string(text[:n])]
	return literal || n < len(text) && (text[n] == '"' || text[n] == '\'') || bytes.HasPrefix(text, []byte("dict("))
}

func (d *decoder) mapping() bool {
	for d.pos < len(d.text) && d.text[d.pos] == '*' {
		d.pos++
	}
	return d.pos < len(d.text) && d.text[d.pos] == '{'
}

func (d *decoder) wholeMapping(depth int) error {
	if err := d.object(depth + 1); err != nil {
		return err
	}
	d.repair(PythonLiteral)
	if err := d.skip(); err != nil {
		return err
	}
	if d.pos == len(d.text) || d.text[d.pos] != ')' {
		return errors.New("more than one mapping")
	}
	d.pos++
	return nil
}

func (d *decoder) keyword() ([]byte, error) {
	start := d.pos
	for d.pos < len(d.text) && identPart(d.text[d.pos]) {
		d.pos++
	}
	key := d.text[start:d.pos]
	if err := d.skip(); err != nil {
		return nil, err
	}
	if len(key) == 0 || d.pos == len(d.text) || d.text[d.pos] != '=' && d.text[d.pos] != ':' || bytes.HasPrefix(d.text[d.pos:], []byte("==")) {
		return nil, errors.New("a positional argument")
	}
	d.pos++
	return key, d.skip()
}

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
