package lex

import (
	"strings"

	"tenon/grammar/lex/ecma"
)

// stringMode says where in an escape a StringState is. The digits of \uABCD stand for these bytes
// of UTF-8, and lead through these modes:
//
//	\u00 AB       byte AB below 80, else as in the next     hexZeroZero, hexASCII or hexLast
//	\u0A BC       C0|A<<2|B>>2, 80|(B&3)<<4|C   (A < 8)   hexShort, hexLast
//	\uA BCD       E0|A, 80|B<<2|C>>2, 80|(C&3)<<4|D       hexWide, hexMiddle, hexLast
//	\uD(8+A) BC   F0|A', 80|B'<<2|C>>2; A'B' = AB+4      hexHigh, hexHighLast, afterHigh
//	\uD(C+A) BC   80|bits<<4|A<<2|B>>2, 80|(B&3)<<4|C     hexMiddle, hexLast
//
// bits are the two bits of the third byte that the first half of a surrogate pair determines.
type stringMode uint8

const (
	inText       stringMode = iota
	inEscape                // after \
	hexStart                // after \u
	hexWide                 // after \u and a digit, which is part of the lead byte
	hexZero                 // after \u0
	hexZeroZero             // after \u00
	hexASCII                // pending: the high digit of a byte below 80
	hexShort                // pending: four bits of a lead byte
	hexMiddle               // pending: four bits of a continuation byte
	hexLast                 // pending: two bits of the last byte
	hexD                    // after \uD
	hexHigh                 // after \uD8 to \uDB; pending: two bits
	hexHighLast             // pending: four bits of the second of four bytes
	afterHigh               // after \uD8xx; pending, here and below: bits of the third byte
	afterHighEsc            // after \uD8xx\
	lowStart                // after \uD8xx\u
	lowD                    // after \uD8xx\uD
)

const (
	anyHex       = "0123456789abcdefABCDEF"
	canonicalHex = "0123456789abcdef"
)

// bytes returns the bytes that may come next in the escape.
func (k stringKey) bytes() string {
	canonical := k.escapes == EscapesCanonical
	switch {
	case k.mode == inEscape && canonical:
		return `"\bfnrtu`
	case k.mode == inEscape:
		return `"\/bfnrtu`
	case k.mode == afterHigh:
		return `\`
	case k.mode == afterHighEsc:
		return `u`
	case canonical && (k.mode == hexStart || k.mode == hexZero):
		return "0"
	case canonical && k.mode == hexZeroZero:
		return "01"
	case canonical:
		return canonicalHex
	}
	return anyHex
}

// alive reports whether the escape can be completed. The search is short, because an impossible
// byte shows at once. It takes none where an escape may stand for any code point.
func (a *Arena) alive(k stringKey) bool {
	if k.inner == Dead || k.mode == inText {
		return k.inner != Dead
	}
	if k.escapes == EscapesAny && (k.mode == inEscape || k.mode == hexStart) {
		row := a.Row(k.inner)
		for b, next := range row { // bytes that begin a code point
			if next != Dead && b&0xC0 != 0x80 {
				return true
			}
		}
		return false
	}
	for _, b := range []byte(k.bytes()) {
		if a.alive(a.escapeMove(k, b)) {
			return true
		}
	}
	return false
}

// escapeMove returns the successor of a state inside an escape under one of k.bytes; its inner
// state is Dead if there is none.
func (a *Arena) escapeMove(k stringKey, b byte) stringKey {
	to := func(mode stringMode, pending int) stringKey {
		return stringKey{k.inner, mode, k.escapes, uint8(pending)}
	}
	feed := func(b int, mode stringMode, pending int) stringKey {
		return stringKey{a.Step(k.inner, byte(b)), mode, k.escapes, uint8(pending)}
	}
	d, p := ecma.HexValue(b), int(k.pending)
	switch k.mode {
	case inEscape:
		if b == 'u' {
			return to(hexStart, 0)
		}
		return feed(int(unescape(b)), inText, 0)
	case hexZeroZero:
		if d < 8 {
			return to(hexASCII, d)
		}
		return feed(0xC0|d>>2, hexLast, d&3)
	case hexASCII:
		if c := p<<4 | d; k.escapes.SpellHex(byte(c)) {
			return feed(c, inText, 0)
		}
		return stringKey{}
	case hexShort:
		return feed(0xC0|p<<2|d>>2, hexLast, d&3)
	case hexMiddle:
		return feed(0x80|p<<2|d>>2, hexLast, d&3)
	case hexLast:
		return feed(0x80|p<<4|d, inText, 0)
	case hexHigh:
		shifted := p<<4 + d + 4
		return feed(0xF0|shifted>>4, hexHighLast, shifted&15)
	case hexHighLast:
		return feed(0x80|p<<2|d>>2, afterHigh, d&3)
	case afterHigh:
		return to(afterHighEsc, p)
	case afterHighEsc:
		return to(lowStart, p)
	}
	return a.leadMove(k, d)
}

// leadMove is escapeMove for the digits that decide how many bytes the code point takes.
func (a *Arena) leadMove(k stringKey, d int) stringKey {
	next := stringKey{inner: k.inner, escapes: k.escapes, pending: uint8(d)}
	switch {
	case k.mode == hexStart && d == 0:
		next.mode, next.pending = hexZero, 0
	case k.mode == hexStart && d == 0xD:
		next.mode, next.pending = hexD, 0
	case k.mode == hexStart:
		return stringKey{a.Step(k.inner, byte(0xE0|d)), hexWide, k.escapes, 0}
	case k.mode == hexZero && d == 0:
		next.mode = hexZeroZero
	case k.mode == hexZero && d < 8:
		next.mode = hexShort
	case k.mode == hexZero:
		next.inner, next.mode = a.Step(k.inner, 0xE0), hexMiddle
	case k.mode == hexWide:
		next.mode = hexMiddle
	case k.mode == hexD && d < 8:
		next.inner, next.mode = a.Step(k.inner, 0xED), hexMiddle
	case k.mode == hexD && d < 0xC:
		next.mode, next.pending = hexHigh, uint8(d&3)
	case k.mode == lowStart && d == 0xD:
		next.mode, next.pending = lowD, k.pending
	case k.mode == lowD && d >= 0xC:
		next.mode, next.pending = hexMiddle, k.pending<<2|uint8(d&3)
	default: // unpaired surrogates
		return stringKey{}
	}
	return next
}

// SpellHex reports whether \u may stand for an ASCII character. Encoders for HTML escape & ' + < >
// and the backquote.
func (e Escapes) SpellHex(c byte) bool {
	switch e {
	case EscapesCanonical:
		return jsonCost(c) == 6
	case EscapesCommon:
		return c < ' ' || c >= 0x7F || strings.IndexByte("\"\\/&'+<>`", c) >= 0
	}
	return true
}

// unescape returns what the letter after \ stands for.
func unescape(b byte) byte {
	if i := strings.IndexByte("bfnrt", b); i >= 0 {
		return "\b\f\n\r\t"[i]
	}
	return b
}
