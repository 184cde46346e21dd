package machine

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"tenon/grammar/lex"
)

// A thread in a named key knows the names that begin with what has been read: a range of the
// sorted names, its st, and how many bytes of them have been read, the low half of its aux. The
// high half is the index of an escape begun.

func nameRange(lo, hi int) int32 { return int32(lo | hi<<16) }

func rangeOf(st int32) (lo, hi int) { return int(st & 0xffff), int(uint32(st) >> 16) }

// maxNames is how many named keys fit into a range, and how long they may be.
const maxNames = 1<<16 - 1

// stepName reads a byte of a named key.
func (m *Machine) stepName(dst []thread, t thread, b byte) []thread {
	x := &m.nameLists[t.def.index()]
	lo, hi := rangeOf(t.st)
	depth, escape := int(t.aux&0xffff), t.aux>>16
	switch {
	case escape != 0 || b == '\\':
		return m.stepNameEscape(dst, t, x, b)
	case b == '"':
		if len(x.names[lo]) == depth {
			t.rec = m.texts.add(t.rec, b)
			dst = m.endName(dst, t, lo)
		}
		return dst
	case b < 0x20:
		return dst
	}
	lo, hi = x.narrow(lo, hi, depth, b)
	if lo < hi && m.anyAdmits(t, lo, hi) {
		t.st, t.aux, t.rec = nameRange(lo, hi), int32(depth+1), m.texts.add(t.rec, b)
		dst = append(dst, t)
	}
	return dst
}

// narrow finds the names of a range that go on with b.
func (x *nameList) narrow(lo, hi, depth int, b byte) (int, int) {
	at := func(i int) int {
		if len(x.names[i]) == depth {
			return -1
		}
		return int(x.names[i][depth])
	}
	first := lo
	for n := hi - lo; n > 0; { // the first name that goes on with b or more
		half := n / 2
		if at(first+half) < int(b) {
			first += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	end := first
	for n := hi - first; n > 0; {
		half := n / 2
		if at(end+half) <= int(b) {
			end += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return first, end
}

// anyAdmits says whether one of the objects that wait for a key admits a name of a range.
func (m *Machine) anyAdmits(t thread, lo, hi int) bool {
	for _, e := range m.stacks.of(t.stack) {
		if anyBit(m.rulesOf(m.objects[e.def.index()], e.st, e.aux).names, lo, hi) {
			return true
		}
	}
	return false
}

// endName appends the threads behind the name with an index.
func (m *Machine) endName(dst []thread, t thread, rank int) []thread {
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		if !hasBit(m.rulesOf(o, e.st, e.aux).names, rank) {
			continue
		}
		m.endKey(o, e, rank, keysOf(e.st), noText, t.rec, o.values[rank])
	}
	return m.awaitMembers(dst, t)
}

// stepNameEscape reads a byte of an escape in a named key: it goes on as long as it may become the
// next code point of an admitted name.
func (m *Machine) stepNameEscape(dst []thread, t thread, x *nameList, b byte) []thread {
	lo, hi := rangeOf(t.st)
	depth := int(t.aux & 0xffff)
	text := m.escapeTexts[t.aux>>16] + string(rune(b))
	t.rec = m.texts.add(t.rec, b)
	going := false
	for i := lo; i < hi; {
		r, n := utf8.DecodeRuneInString(x.names[i][depth:])
		end := i + 1
		// this name ends here, and those behind it go on; or no character begins here
		if n == 0 || !utf8.RuneStart(x.names[i][depth]) {
			i = end
			continue
		}
		end += sort.Search(hi-end, func(j int) bool { return !strings.HasPrefix(x.names[end+j][depth:], x.names[i][depth:depth+n]) })
		if m.anyAdmits(t, i, end) {
			begins, whole := m.spells(text, r, x.escapes)
			if whole {
				u := t
				u.st, u.aux = nameRange(i, end), int32(depth+n)
				dst = append(dst, u)
			}
			going = going || begins && !whole
		}
		i = end
	}
	if going && len(m.escapeTexts) < 1<<15 {
		t.aux = int32(depth) | m.escapeIndex(text)<<16
		dst = append(dst, t)
	}
	return dst
}

// spelling is a code point under a policy of escapes.
type spelling struct {
	r      rune
	policy lex.Escapes
}

// spells says whether text begins an escape that stands for r, and whether it is all of it.
func (m *Machine) spells(text string, r rune, policy lex.Escapes) (begins, whole bool) {
	if policy != lex.EscapesCanonical {
		text = lowerHex(text)
	}
	all, known := m.spelled[spelling{r, policy}]
	if !known {
		all = spellings(r, policy)
		m.spelled[spelling{r, policy}] = all
	}
	for _, one := range all {
		if strings.HasPrefix(one, text) {
			begins = true
			whole = whole || one == text
		}
	}
	return begins, whole
}

// spellings are the escapes that stand for r, their hexadecimal digits in lower case.
func spellings(r rune, policy lex.Escapes) []string {
	short := ""
	if i := strings.IndexRune("\"\\\b\f\n\r\t/", r); i >= 0 {
		short = `\` + `"\bfnrt/`[i:i+1]
	}
	if policy == lex.EscapesCanonical {
		switch {
		case short != "" && r != '/':
			return []string{short}
		case r < 0x20:
			return []string{hexEscape(uint16(r))}
		}
		return nil
	}
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		return []string{hexEscape(uint16(high)) + hexEscape(uint16(low))}
	}
	var all []string
	if short != "" {
		all = append(all, short)
	}
	if r >= 0x80 || policy.SpellHex(byte(r)) {
		all = append(all, hexEscape(uint16(r)))
	}
	return all
}

func hexEscape(x uint16) string {
	const digits = "0123456789abcdef"
	return `\u` + string([]byte{digits[x>>12], digits[x>>8&15], digits[x>>4&15], digits[x&15]})
}

// lowerHex lowers the hex digits of an escape, but not its letter: \U and \F are none.
func lowerHex(text string) string {
	if !strings.HasPrefix(text, `\u`) {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'F' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func (m *Machine) escapeIndex(text string) int32 {
	if i := slices.Index(m.escapeTexts, text); i >= 0 {
		return int32(i)
	}
	m.escapeTexts = append(m.escapeTexts, text)
	return int32(len(m.escapeTexts) - 1)
}

// of interns a whole text.
func (x *texts) of(s []byte) textID {
	id := noText
	for _, b := range s {
		id = x.add(id, b)
	}
	return id
}

// begins says whether a text begins with another: each comes after those that it begins with.
func (x *texts) begins(id, with textID) bool {
	for id > with {
		id = x.nodes.at(int32(id)).prev
	}
	return id == with
}

// decodedTexts are the texts of some ids.
func (m *Machine) decodedTexts(ids []textID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = string(m.texts.appendSince(nil, noText, id))
	}
	return list
}
