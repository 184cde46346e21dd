package lenient

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"tenon/tools/peek"
)

// The rules that Decode may apply, as they are counted and shown.
const (
	QuoteStyle     = "quote-style"     // 'a', `a`, """a""" or a family's own delimiter for "a"
	BareKey        = "bare-key"        // {a: 1}
	BareWord       = "bare-word"       // {"a": yes} for {"a": "yes"}
	PythonLiteral  = "python-literal"  // True, False, None, tuples
	TrailingComma  = "trailing-comma"  // [1, 2,]
	MissingComma   = "missing-comma"   // {"a": 1 "b": 2}
	MissingClose   = "missing-close"   // {"a": [1}
	Comment        = "comment"         // // and /* */ and #
	NumberStyle    = "number-style"    // 0x1F, +1, .5, 1_000
	RawControl     = "raw-control"     // a line break inside a string
	UnescapedQuote = "unescaped-quote" // "say "hi" now"
	MissingQuote   = "missing-quote"   // {"a": "b}
	BadEscape      = "bad-escape"      // "\d" for "\\d"
	InvalidUTF8    = "invalid-utf8"    // becomes U+FFFD
	DuplicateKey   = "duplicate-key"   // the same value twice
	JoinedStrings  = "joined-strings"  // "a" + "b" and "a" "b" for "ab", in Python
	DoubledBraces  = "doubled-braces"  // {{"a": 1}}, as in the template of a format
	EscapedTwice   = "escaped-twice"   // {\"a\": 1}
	Positional     = "positional"      // f(1) for f(a=1), in Python
)

// Decoded is a value read by Decode.
type Decoded struct {
	JSON    []byte // strict JSON
	End     int    // offset behind the value
	Repairs []string
}

// Decode reads the value at the start of text, white space and comments before it skipped. What
// follows the value is the caller's business. Text that is JSON comes back as it was written, with
// no repairs.
//
// A string that is never closed is an error: where it ends would be a guess.
func Decode(text []byte, r Rules) (Decoded, error) {
	written, isJSON := strict(text)
	d := decoder{text: text, rules: r}
	err := d.skip()
	if err == nil {
		err = d.value(place{}, 0)
	}
	switch {
	case isJSON && !errors.Is(err, ErrTwice) && !slices.Contains(d.repairs, DuplicateKey):
		return written, nil
	case err != nil:
		return Decoded{}, fmt.Errorf("at byte %d: %w", d.pos, err)
	}
	return Decoded{JSON: d.out.Bytes(), End: d.pos, Repairs: d.repairs}, nil
}

var (
	errEnd   = errors.New("the text ends inside a value")
	errOpen  = errors.New("a string is never closed")
	errValue = errors.New("no value")
	errDeep  = errors.New("nested too deeply")
	// errPaired: two strings of a list each hold half a quotation; they may be one string.
	errPaired = errors.New("quotes that are not escaped may end a string or stand in it")
	// ErrTwice: there is no way to choose.
	ErrTwice = errors.New("a key has two different values")
)

type decoder struct {
	text    []byte
	rules   Rules
	pos     int
	out     bytes.Buffer
	open    []byte // the closing brackets that are missing, outermost first
	repairs []string
	// keywords: an argument of the call has been given by its name.
	keywords bool
	// single: a string stood between single quotes.
	single bool
}

func (d *decoder) repair(rule string) {
	for _, r := range d.repairs {
		if r == rule {
			return
		}
	}
	d.repairs = append(d.repairs, rule)
}

func (d *decoder) value(p place, depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	if d.pos == len(d.text) {
		return errEnd
	}
	switch c := d.text[d.pos]; c {
	case '{':
		return d.object(depth)
	case '[':
		return d.array(']', depth)
	case '(':
		d.repair(PythonLiteral)
		return d.array(')', depth)
	}
	if i, ok := d.dictAt(); ok {
		d.pos = i
		d.repair(PythonLiteral)
		return d.arguments(depth)
	}
	from := d.pos
	prefixRaw := d.prefix()
	format := bytes.ContainsAny(d.text[from:d.pos], "fF")
	if quote, raw, _ := d.rules.quoteAt(d.text, d.pos, ':', true); quote != "" {
		s, err := d.quoted(quote, raw || prefixRaw, p)
		if err == nil && format && bytes.ContainsAny(s, "{}") {
			return errValue // an expression, with something to fill in
		}
		if err == nil && d.rules.Python {
			s, err = d.joined(s, p)
		}
		if err != nil {
			return err
		}
		writeString(&d.out, s)
		return nil
	}
	return d.word(p)
}

func (d *decoder) array(end byte, depth int) error {
	p := place{in: '['}
	if end == ')' {
		p.in = '('
	}
	d.pos++
	d.out.WriteByte('[')
	d.open = append(d.open, end)
	defer func() { d.open = d.open[:len(d.open)-1] }()
	for n := 0; ; n++ {
		done, err := d.next(end, n)
		if err != nil {
			return err
		}
		if done {
			d.out.WriteByte(']')
			return nil
		}
		if err := d.value(p, depth+1); err != nil {
			return err
		}
	}
}

func (d *decoder) object(depth int) error {
	if i, _ := skipSpace(d.text, d.pos+1, true); i < len(d.text) && d.text[i] == '{' {
		return d.doubled(i, depth)
	}
	return d.members('}', func(int) (key []byte, p place, err error) {
		key, err = d.key()
		return key, place{in: '{'}, err
	}, depth)
}

// members reads an object's members to its end. key reads the n-th one's key and says where its
// value stands.
func (d *decoder) members(end byte, key func(n int) ([]byte, place, error), depth int) error {
	seen := map[string][2]int{}
	d.pos++
	whole := d.out.Len()
	d.out.WriteByte('{')
	d.open = append(d.open, end)
	defer func() { d.open = d.open[:len(d.open)-1] }()
	for n := 0; ; n++ {
		start := d.out.Len()
		done, err := d.next(end, n)
		if err != nil {
			return err
		}
		if done {
			d.out.WriteByte('}')
			return nil
		}
		if end == ')' && n == 0 && d.mapping() {
			d.out.Truncate(whole)
			return d.wholeMapping(depth)
		}
		k, p, err := key(n)
		if err != nil {
			return err
		}
		writeString(&d.out, k)
		d.out.WriteByte(':')
		from := d.out.Len()
		if err := d.value(p, depth+1); err != nil {
			return err
		}
		if err := d.once(seen, string(k), start, from); err != nil {
			return err
		}
	}
}

// doubled reads an object in two pairs of braces, the inner one opened at offset i.
func (d *decoder) doubled(i, depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	d.repair(DoubledBraces)
	d.open = append(d.open, '}')
	d.pos = i
	err := d.object(depth + 1)
	d.open = d.open[:len(d.open)-1]
	if err != nil {
		return err
	}
	if err := d.skip(); err != nil {
		return err
	}
	if d.pos == len(d.text) {
		d.repair(MissingClose)
		return nil
	}
	if d.text[d.pos] != '}' {
		return errors.New("more than an object between two pairs of braces")
	}
	d.pos++
	return nil
}

// once drops a member whose key came before with the same value. Two values leave no way to
// choose.
func (d *decoder) once(seen map[string][2]int, key string, start, from int) error {
	all := d.out.Bytes()
	first, twice := seen[key]
	if !twice {
		seen[key] = [2]int{from, len(all)}
		return nil
	}
	if !bytes.Equal(all[first[0]:first[1]], all[from:]) {
		return fmt.Errorf("%q: %w", key, ErrTwice)
	}
	d.repair(DuplicateKey)
	d.out.Truncate(start)
	return nil
}

// codeFence opens a string only where one may begin.
const codeFence = "```"

// next moves to the n-th member of a container, or behind its end. Commas may be doubled, missing
// or trailing.
func (d *decoder) next(end byte, n int) (done bool, err error) {
	commas := 0
	for {
		if err := d.skip(); err != nil {
			return false, err
		}
		if d.pos == len(d.text) {
			d.repair(MissingClose)
			return true, nil
		}
		switch c := d.text[d.pos]; {
		case c == ',' || c == ';' && end == '}':
			commas++
			d.pos++
		case c == end:
			d.pos++
			if commas > 0 {
				d.repair(TrailingComma)
			}
			return true, nil
		case c == '}' || c == ']' || c == ')', // closes a container around this one
			// or all of them
			n > 0 && commas == 0 && bytes.HasPrefix(d.text[d.pos:], []byte(codeFence)):
			d.repair(MissingClose)
			return true, nil
		default:
			d.separate(n, commas)
			return false, nil
		}
	}
}

func (d *decoder) separate(n, commas int) {
	if n == 0 {
		if commas > 0 {
			d.repair(TrailingComma)
		}
		return
	}
	switch commas {
	case 0:
		d.repair(MissingComma)
	case 1:
	default:
		d.repair(TrailingComma)
	}
	if last := d.out.Bytes()[d.out.Len()-1]; last != '{' && last != '[' {
		d.out.WriteByte(',')
	}
}

func (d *decoder) key() ([]byte, error) {
	var key []byte
	if quote, raw, _ := d.rules.quoteAt(d.text, d.pos, ',', true); quote != "" {
		s, err := d.quoted(quote, raw, place{in: '{', key: true})
		if err != nil {
			return nil, err
		}
		key = s
	} else {
		if key = d.bareKey(); len(key) == 0 {
			return nil, errValue
		}
		d.repair(BareKey)
		d.pos += len(key)
	}
	if err := d.skip(); err != nil {
		return nil, err
	}
	if d.pos == len(d.text) || d.text[d.pos] != ':' {
		return nil, errors.New("a key without a value")
	}
	d.pos++
	return key, d.skip()
}

// bareKey is the key without quotes that stands here. A family with quotes of its own writes every
// key so, whatever it holds: all up to the colon is the key.
func (d *decoder) bareKey() []byte {
	n := 0
	for n < len(d.text)-d.pos && identPart(d.text[d.pos+n]) {
		n++
	}
	if len(d.rules.Quotes) == 0 {
		return d.text[d.pos : d.pos+n]
	}
	end := bytes.IndexAny(d.text[d.pos:], ":,{}[]\"\n")
	if end <= n || d.text[d.pos+end] != ':' {
		return d.text[d.pos : d.pos+n]
	}
	return bytes.TrimSpace(d.text[d.pos : d.pos+end])
}

// quoted reads a string and returns its text, decoded.
func (d *decoder) quoted(quote string, raw bool, p place) ([]byte, error) {
	d.pos += len(quote)
	if quote == escapedQuote {
		return d.escapedString()
	}
	if quote != `"` {
		d.repair(QuoteStyle)
		d.single = d.single || quote == "'"
	}
	var s []byte
	inner := 0 // quotes
	for d.pos < len(d.text) {
		rest := d.text[d.pos:]
		switch c := rest[0]; {
		case bytes.HasPrefix(rest, []byte(quote)) && !d.rules.isSpelt(quote, d.pos):
			p.inner = inner > 0
			if !uncertain(quote) || d.rules.ends(d.text, d.pos+len(quote), p, true) != peek.No {
				if p.in == '[' && inner%2 != 0 {
					return nil, errPaired
				}
				d.pos += len(quote)
				return d.valid(s), nil
			}
			d.repair(UnescapedQuote)
			inner++
			s = append(s, quote...)
			d.pos += len(quote)
		case c == '\\' && !raw:
			s = d.escape(s)
		default:
			if c < ' ' {
				d.repair(RawControl)
			}
			n := 1
			// most of a text
			for n < len(rest) && rest[n] != quote[0] && rest[n] != '\\' && rest[n] >= ' ' {
				n++
			}
			s = append(s, rest[:n]...)
			d.pos += n
		}
	}
	if inner > 0 {
		return nil, errOpen // one of the quotes inside may have been the end
	}
	return d.unclosed(s)
}
