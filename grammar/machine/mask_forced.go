package machine

import (
	"fmt"
	"strconv"
	"strings"

	"tenon/grammar/lex"
)

// NextBytes returns the bytes that may come next.
func (m *Machine) NextBytes(id ConfigID) lex.ByteSet {
	var c lex.ByteSet
	for b := range 256 {
		if m.accepts(id, b) {
			c.Add(byte(b))
		}
	}
	return c
}

// accepts is Step without keeping the result.
func (m *Machine) accepts(id ConfigID, in int) bool {
	from := len(m.work)
	for _, t := range m.configs.lists[id] {
		m.work = m.step(m.work, t, in)
		if len(m.work) > from {
			m.work = m.work[:from]
			return true
		}
	}
	return false
}

// only returns the one byte that may come next, if nothing else may.
func (m *Machine) only(id ConfigID) (byte, bool) {
	found := -1
	for b := range 256 {
		if m.accepts(id, b) {
			if found >= 0 {
				return 0, false
			}
			found = b
		}
	}
	if found < 0 || m.acceptsSymbol(id) || m.Done(id) {
		return 0, false
	}
	return byte(found), true
}

// Ended says whether nothing may come any more but the end.
func (m *Machine) Ended(id ConfigID) bool {
	for in := range symbolBase + len(m.prog.symbols) {
		if m.accepts(id, in) {
			return false
		}
	}
	return m.Done(id)
}

func (m *Machine) acceptsSymbol(id ConfigID) bool {
	for i := range m.prog.symbols {
		if m.accepts(id, symbolBase+i) {
			return true
		}
	}
	return false
}

// maxForced bounds how far Forced looks ahead, and maxForcedThreads how many threads it asks for
// their next bytes on the way: a text that can be read in more ways with every byte would
// otherwise cost as many at each.
const (
	maxForced        = 4096
	maxForcedThreads = 1 << 15
)

// Forced appends to dst the bytes that must come next: up to the first choice, or to where the
// text may end, or as far as the limits let it look.
func (m *Machine) Forced(dst []byte, id ConfigID) []byte {
	asked := 0
	for range maxForced {
		if asked += len(m.configs.lists[id]); asked > maxForcedThreads {
			break
		}
		b, ok := m.only(id)
		if !ok {
			break
		}
		dst = append(dst, b)
		id = m.Step(id, int(b))
	}
	return dst
}

// maxExpected is how many things Expected lists.
const maxExpected = 12

// Expected says for people what may come next.
func (m *Machine) Expected(id ConfigID) string {
	var list []string
	c := m.NextBytes(id)
	for b := 0; b < 256; b++ {
		if !c.Has(byte(b)) {
			continue
		}
		end := b
		for end+1 < 256 && c.Has(byte(end+1)) {
			end++
		}
		if end > b+1 {
			list = append(list, fmt.Sprintf("%s to %s", showByte(b), showByte(end)))
		} else {
			list = append(list, showByte(b))
			end = b
		}
		b = end
	}
	for i, s := range m.prog.symbols {
		if m.accepts(id, symbolBase+i) {
			list = append(list, "the token "+s.Text)
		}
	}
	if m.Done(id) {
		list = append(list, "the end")
	}
	if len(list) > maxExpected {
		list = append(list[:maxExpected], "…")
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

func showByte(b int) string {
	if b >= 0x80 {
		return fmt.Sprintf("\\x%02x", b)
	}
	return strconv.QuoteRune(rune(b))
}
