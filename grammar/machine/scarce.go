package machine

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"

	"tenon/grammar/lex"
)

// maxSpelled is how many numbers are taken out of a set with all their spellings. More
// would take too many states.
const maxSpelled = 32

// usedNumbers are what must be taken out of a set of numbers so that none is begun that
// can only end as one of some numbers, which are in canonical form. Of many numbers,
// those do not matter behind whose digits there is always room for another, and where
// there is none, what begins so is taken out at once. With exponents, almost anything
// can still come of any digits.
func (m *Machine) usedNumbers(u *Unit, words lex.State, numbers []string) lex.Expr {
	a := u.arena
	switch {
	case len(numbers) <= maxSpelled:
		spellings := make([]lex.Expr, len(numbers))
		for i, number := range numbers {
			spellings[i] = m.spellingsOf(u, number)
		}
		return a.Union(spellings...)
	case !u.plain || words == lex.Dead:
		return a.Empty()
	}
	used, root := usedUp{a: a, seen: map[string]bool{}}, digits{}
	for _, number := range numbers {
		if text, ok := plainNumber(number); ok {
			used.seen[text] = true
			root.add(text)
		}
	}
	if used.seen["0"] {
		root.add("-0")
	}
	used.visit(root, words)
	return a.Concat(a.Literals(used.begun...), a.Complement(a.Empty()))
}

// digits is a tree of plainly spelled numbers.
type digits map[byte]digits

func (d digits) add(text string) {
	for i := range len(text) {
		if d[text[i]] == nil {
			d[text[i]] = digits{}
		}
		d = d[text[i]]
	}
}

// usedUp collects the shortest beginnings behind which a set has no other number than
// those that are seen.
type usedUp struct {
	a     *lex.Arena
	seen  map[string]bool
	begun []string
	text  []byte // what has been read of a number
	point int    // where its fraction begins; 0: not yet
}

// visit says whether text is such a beginning; the numbers that begin so are in d.
func (l *usedUp) visit(d digits, s lex.State) bool {
	here := !l.a.Accepting(s) || l.again()
	row, n, from := l.a.Row(s), len(l.text), len(l.begun)
	for _, b := range []byte("-.0123456789") {
		if row[b] == lex.Dead {
			continue
		}
		if l.text = append(l.text, b); b == '.' {
			l.point = n
		}
		used := false
		switch again := l.point > 0 && l.again(); {
		case again && onlyZeros(l.a, row[b]):
			used = true
		case d[b] != nil || again && len(l.text)-l.point <= maxZeros:
			used = l.visit(d[b], row[b])
		}
		if here = here && used; used {
			l.begun = append(l.begun, string(l.text))
		}
		if l.text = l.text[:n]; b == '.' {
			l.point = 0
		}
	}
	if here = here && n > 0; here {
		l.begun = l.begun[:from]
	}
	return here
}

// again says whether the number read is seen, but for zeros at the end of its fraction.
func (l *usedUp) again() bool {
	text := l.text
	if l.point > 0 {
		text = bytes.TrimRight(text, "0")
		text = bytes.TrimSuffix(text, []byte("."))
	}
	return l.seen[string(text)] || string(text) == "-0" && l.seen["0"]
}

// maxZeros is how many digits of a fraction are looked at, which are zeros.
const maxZeros = 8

// onlyZeros says whether a fraction can go on with nothing but zeros.
func onlyZeros(a *lex.Arena, s lex.State) bool {
	for range maxZeros {
		row := a.Row(s)
		for b := byte('1'); b <= '9'; b++ {
			if row[b] != lex.Dead {
				return false
			}
		}
		if s = row['0']; s == lex.Dead {
			return true
		}
	}
	return true
}

// maxPlain is the greatest exponent with which numbers are spelled plainly.
const maxPlain = 400

// plainNumber spells a number in canonical form without an exponent.
func plainNumber(s string) (string, bool) {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	text, exponent, _ := strings.Cut(s, "e")
	e, err := strconv.Atoi("0" + strings.TrimPrefix(exponent, "-"))
	switch point := len(text) - e; {
	case err != nil || e > maxPlain:
		return "", false
	case !strings.HasPrefix(exponent, "-"):
		return sign + text + strings.Repeat("0", e), true
	case point > 0:
		return sign + text[:point] + "." + text[point:], true
	default:
		return sign + "0." + strings.Repeat("0", -point) + text, true
	}
}

// numberKey identifies the spellings of a number.
type numberKey struct {
	unit   *Unit
	number string
}

// spellingsOf is the language of all spellings of one number, in canonical form.
func (m *Machine) spellingsOf(u *Unit, s string) lex.Expr {
	key := numberKey{u, s}
	e, ok := m.numbers[key]
	if !ok {
		e = u.spellingsOf(s)
		m.numbers[key] = e
	}
	return e
}

func (u *Unit) spellingsOf(s string) lex.Expr {
	_, exponent, _ := strings.Cut(s, "e")
	if len(s) > 400 || len(exponent) > 4 {
		return u.arena.Empty() // no set of few numbers has such a member
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return u.arena.Empty()
	}
	e, err := u.arena.Number(lex.NumberSpec{Min: x, Max: x})
	if err != nil {
		return u.arena.Empty()
	}
	return e
}
