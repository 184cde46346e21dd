package ecma

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

var (
	lineEnds   = SetOf("\n\r\u2028\u2029")
	digitRunes = Set{{'0', '9'}}
	// Word is \w, which \b has on exactly one side.
	Word = NewSet(Range{'0', '9'}, Range{'A', 'Z'}, Range{'_', '_'}, Range{'a', 'z'})
	// WideSpace is WhiteSpace and LineTerminator beyond ASCII (ECMA-262 §12.2 and §12.3).
	WideSpace = NewSet(Range{0xA0, 0xA0}, Range{0x1680, 0x1680}, Range{0x2000, 0x200A}, Range{0x2028, 0x2029}, Range{0x202F, 0x202F},
		Range{0x205F, 0x205F}, Range{0x3000, 0x3000}, Range{0xFEFF, 0xFEFF})
	spaceRunes = WideSpace.Union(NewSet(Range{'\t', '\r'}, Range{' ', ' '}))
)

// escape reads a backslash escape outside of classes.
func (p *parser) escape() *Node {
	start := p.pos
	switch {
	case p.take(`\b`):
		return &Node{Op: WordBoundary, Offset: start}
	case p.take(`\B`):
		return &Node{Op: WordBoundary, Offset: start, Negate: true}
	case p.peek(`\k`):
		p.fail(start, Unsupported, "back-reference")
		return nil
	case len(p.src) > p.pos+1 && '1' <= p.src[p.pos+1] && p.src[p.pos+1] <= '9':
		p.fail(start, Unsupported, "back-reference")
		return nil
	}
	set, _ := p.classEscape()
	return classNode(start, set)
}

// classEscape reads an escape that stands for code points, inside and outside of classes. single
// says whether it can bound a range.
func (p *parser) classEscape() (set Set, single bool) {
	start := p.pos
	p.pos++
	if !p.more() {
		p.fail(start, Invalid, `\ at the end`)
		return nil, false
	}
	switch c := p.rune(); c {
	case 'd':
		return digitRunes, false
	case 'D':
		return digitRunes.Complement(), false
	case 'w':
		return Word, false
	case 'W':
		return Word.Complement(), false
	case 's':
		return spaceRunes, false
	case 'S':
		return spaceRunes.Complement(), false
	case 'p', 'P':
		return p.property(start, c == 'P'), false
	default:
		r := p.runeEscape(start, c)
		return Set{{r, r}}, true
	}
}

// runeEscape reads the rest of an escape of one code point, after its letter c.
func (p *parser) runeEscape(start int, c rune) rune {
	if i := strings.IndexRune("tnvfr", c); i >= 0 {
		return rune("\t\n\v\f\r"[i])
	}
	switch c {
	case '0':
		if p.more() && '0' <= p.src[p.pos] && p.src[p.pos] <= '9' {
			p.fail(start, Invalid, "octal escape")
		}
		return 0
	case 'c':
		if p.more() && (p.src[p.pos]|0x20) >= 'a' && (p.src[p.pos]|0x20) <= 'z' {
			p.pos++
			return rune(p.src[p.pos-1] & 0x1F)
		}
	case 'x':
		if r, ok := p.hex(2); ok {
			return r
		}
	case 'u':
		if r, ok := p.unicodeEscape(); ok {
			return r
		}
	default:
		if c > 0x7F || !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			// Annex B identity escapes; of punctuation they mean the same everywhere
			return c
		}
	}
	p.fail(start, Invalid, `unknown escape \`+string(c))
	return 0
}

func (p *parser) hex(digits int) (rune, bool) {
	if len(p.src)-p.pos < digits {
		return 0, false
	}
	r := rune(0)
	for _, c := range []byte(p.src[p.pos : p.pos+digits]) {
		v := HexValue(c)
		if v < 0 {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	p.pos += digits
	return r, true
}

// HexValue is the value of a hexadecimal digit, -1 of another byte.
func HexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// unicodeEscape reads what follows \u: XXXX, a surrogate pair, or {X…}.
func (p *parser) unicodeEscape() (rune, bool) {
	if p.take("{") {
		r, digits := rune(0), 0
		for ; p.more() && HexValue(p.src[p.pos]) >= 0 && r <= unicode.MaxRune; digits++ {
			r = r<<4 | rune(HexValue(p.src[p.pos]))
			p.pos++
		}
		return r, p.take("}") && digits > 0 && r <= unicode.MaxRune
	}
	r, ok := p.hex(4)
	if ok && utf16.IsSurrogate(r) && p.peek(`\u`) {
		back := p.pos
		p.pos += 2
		if low, ok := p.hex(4); ok && utf16.DecodeRune(r, low) != unicode.ReplacementChar {
			return utf16.DecodeRune(r, low), true
		}
		p.pos = back
	}
	return r, ok
}

// class reads […] and [^…].
func (p *parser) class() *Node {
	start := p.pos
	p.pos++
	negate := p.take("^")
	var set []Range
	for !p.take("]") {
		if !p.more() {
			p.fail(start, Invalid, "missing ]")
			return nil
		}
		set = append(set, p.classRange()...)
	}
	result := NewSet(set...)
	if negate {
		result = result.Complement()
	}
	return classNode(start, result)
}

// classRange reads one member of a class or a range of them. A - next to a set like \d is literal
// (Annex B).
func (p *parser) classRange() []Range {
	start := p.pos
	lo, single := p.classAtom()
	if !p.peek("-") || p.peek("-]") {
		return lo
	}
	p.pos++
	if !p.more() {
		p.fail(start, Invalid, "missing ]")
		return nil
	}
	hi, alsoSingle := p.classAtom()
	if !single || !alsoSingle {
		return append(append(lo, Range{'-', '-'}), hi...)
	}
	if len(lo) == 0 || len(hi) == 0 {
		return nil
	}
	if lo[0].Lo > hi[0].Lo {
		p.fail(start, Invalid, "range out of order in class")
		return nil
	}
	return []Range{{lo[0].Lo, hi[0].Lo}}
}

// classAtom returns ranges that the caller may append to.
func (p *parser) classAtom() (set []Range, single bool) {
	if p.take(`\b`) {
		return []Range{{'\b', '\b'}}, true
	}
	if p.peek(`\`) {
		s, single := p.classEscape()
		return append([]Range(nil), s...), single
	}
	r := p.rune()
	return []Range{{r, r}}, true
}
