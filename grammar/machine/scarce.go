package machine

import (
	"math/big"
	"strconv"
	"strings"

	"tenon/grammar/lex"
)

// maxSpelled is how many numbers are taken out of a set one by one. More take too many
// states: then one that is there already can be begun, though not ended.
const maxSpelled = 32

// usedNumbers are what must be taken out of a set of numbers so that none is begun that can
// only end as one of some numbers, which are in canonical form. Of many numbers, those
// do not matter behind whose digits there is always room for another, and where there
// is none, what begins so is taken out at once. That is where exponents are not
// admitted: with them, almost anything can still come of any digits.
func (m *Machine) usedNumbers(u *Unit, words lex.State, numbers []string) []lex.Expr {
	var begun []string
	if len(numbers) > maxSpelled && words != lex.Dead {
		root := &digits{}
		for _, number := range numbers {
			if text, ok := plainNumber(number); ok {
				root.add(text, number)
			}
		}
		list := usedUp{a: u.arena}
		list.visit(root, words, "")
		if begun, numbers = list.begun, list.numbers; len(numbers) > maxSpelled {
			numbers = nil
		}
	}
	gone := []lex.Expr{u.arena.Concat(u.arena.Literals(begun...), u.arena.Complement(u.arena.Empty()))}
	for _, s := range numbers {
		gone = append(gone, m.spellingsOf(u, s))
	}
	return gone
}

// digits is a tree of plainly spelled numbers.
type digits struct {
	number string // in canonical form, of the one that ends here
	next   map[byte]*digits
}

func (d *digits) add(text, number string) {
	for i := range len(text) {
		if d.next == nil {
			d.next = map[byte]*digits{}
		}
		if d.next[text[i]] == nil {
			d.next[text[i]] = &digits{}
		}
		d = d.next[text[i]]
	}
	d.number = number
}

// usedUp collects the shortest beginnings that a set has no other number for: those of
// them that go on with digits alone, and of the rest the numbers.
type usedUp struct {
	a       *lex.Arena
	begun   []string
	numbers []string
}

// visit says whether a set has nothing behind text but what is in d.
func (l *usedUp) visit(d *digits, s lex.State, text string) bool {
	here := d.number != "" || !l.a.Accepting(s)
	row := l.a.Row(s)
	var full []byte
	for _, b := range []byte("-.0123456789") {
		child := d.next[b]
		switch {
		case row[b] == lex.Dead:
		case child == nil:
			here = here && (b == '.' || b == '0' && strings.Contains(text, ".")) && onlyZeros(l.a, row[b])
		case l.visit(child, row[b], text+string(rune(b))):
			full = append(full, b)
		default:
			here = false
		}
	}
	if here && text != "" {
		return true
	}
	for _, b := range full {
		next := l.a.Row(row[b])
		if next['e'] == lex.Dead && next['E'] == lex.Dead && (next['.'] == lex.Dead || onlyZeros(l.a, next['.'])) {
			l.begun = append(l.begun, text+string(rune(b)))
		} else {
			l.numbers = d.next[b].appendNumbers(l.numbers)
		}
	}
	return false
}

func (d *digits) appendNumbers(list []string) []string {
	if d.number != "" {
		list = append(list, d.number)
	}
	for _, child := range d.next {
		list = child.appendNumbers(list)
	}
	return list
}

// maxZeros is how far onlyZeros looks.
const maxZeros = 20

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
