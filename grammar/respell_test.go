package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// spelling is a way to write a JSON value. The zero value is compact, with keys, numbers and
// strings as in the source.
type spelling struct {
	Separators [2]string      // behind a comma and a colon
	Indent     string         // one level of it; none: on one line
	Shuffle    *rand.Rand     // puts keys in another order
	Escape     *rand.Rand     // writes characters by their escapes, here and there
	Respell    *rand.Rand     // writes numbers in other ways: 10 as 10.00
	Keys       func([]string) // puts keys in another order
}

// Spell writes a JSON text anew. The text must be valid.
func (s spelling) Spell(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	w := speller{spelling: s}
	w.value(d, next(d), 0)
	return w.String()
}

type speller struct {
	spelling
	strings.Builder
}

// next reads a token of a text that is known to be valid.
func next(d *json.Decoder) json.Token {
	t, err := d.Token()
	if err != nil {
		panic(fmt.Sprintf("grammartest: not a JSON text: %v", err)) // the caller's mistake
	}
	return t
}

func (w *speller) value(d *json.Decoder, t json.Token, depth int) {
	switch x := t.(type) {
	case json.Delim:
		if x == '[' {
			w.array(d, depth)
		} else {
			w.object(d, depth)
		}
	case json.Number:
		w.WriteString(w.number(string(x)))
	case string:
		w.WriteString(w.quote(x))
	default:
		fmt.Fprint(w, map[any]string{true: "true", false: "false", nil: "null"}[x])
	}
}

func (w *speller) array(d *json.Decoder, depth int) {
	w.WriteByte('[')
	n := 0
	for ; d.More(); n++ {
		w.between(n, depth+1)
		w.value(d, next(d), depth+1)
	}
	w.end(n, depth)
	next(d)
	w.WriteByte(']')
}

// object writes the members of an object, each of which is first written apart.
func (w *speller) object(d *json.Decoder, depth int) {
	var keys []string
	members := map[string]string{}
	for d.More() {
		key, _ := next(d).(string)
		one := speller{spelling: w.spelling}
		one.value(d, next(d), depth+1)
		if _, twice := members[key]; !twice {
			keys = append(keys, key)
		}
		members[key] = one.String()
	}
	next(d)
	if w.Shuffle != nil {
		w.Shuffle.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	if w.Keys != nil {
		w.Keys(keys)
	}
	w.WriteByte('{')
	for i, key := range keys {
		w.between(i, depth+1)
		w.WriteString(w.quote(key) + ":" + w.Separators[1] + members[key])
	}
	w.end(len(keys), depth)
	w.WriteByte('}')
}

// between writes what stands before the element with index n.
func (w *speller) between(n, depth int) {
	if n > 0 {
		w.WriteString("," + w.Separators[0])
	}
	if w.Indent != "" {
		w.WriteString("\n" + strings.Repeat(w.Indent, depth))
	}
}

func (w *speller) end(n, depth int) {
	if n > 0 && w.Indent != "" {
		w.WriteString("\n" + strings.Repeat(w.Indent, depth))
	}
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func (w *speller) quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		short, special := shortEscapes[r]
		switch {
		case w.Escape != nil && w.Escape.IntN(3) == 0:
			b.WriteString(w.hex(r))
		case w.Escape != nil && r == '/':
			b.WriteString(`\/`)
		case special:
			b.WriteString(short)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// hex is a code point by its escapes, with digits of either case.
func (w *speller) hex(r rune) string {
	format := []string{`\u%04x`, `\u%04X`}[w.Escape.IntN(2)]
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(format, high) + fmt.Sprintf(format, low)
	}
	return fmt.Sprintf(format, r)
}

// number writes a number with more zeros in its fraction.
func (w *speller) number(s string) string {
	if w.Respell == nil || strings.ContainsAny(s, "eE") {
		return s
	}
	whole, fraction, _ := strings.Cut(s, ".")
	return whole + "." + fraction + strings.Repeat("0", 1+w.Respell.IntN(3))
}
