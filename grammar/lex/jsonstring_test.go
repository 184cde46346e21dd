package lex

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenon/grammar/lex/ecma"
)

// encodings returns ways to write text inside a JSON string.
func encodings(r *rand.Rand, text string) string {
	var b strings.Builder
	short := map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	for _, c := range text {
		style := r.IntN(4)
		switch {
		case style == 0 && short[c] != "":
			b.WriteString(short[c])
		case style == 1 || c < 0x20 || c == '"' || c == '\\':
			if c > 0xFFFF {
				fmt.Fprintf(&b, `\u%04x\u%04X`, 0xD800+(c-0x10000)>>10, 0xDC00+(c-0x10000)&0x3FF)
			} else {
				fmt.Fprintf(&b, `\u%04x`, c)
			}
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func walkString(a *Arena, s StringState, text string) StringState {
	for i := 0; i < len(text); i++ {
		s = a.StepString(s, text[i])
	}
	return s
}

var stringPatterns = []string{`^[a-z"\\/]*$`, `^é+$`, `^[^\x00-\x1f]+$`, `^(.|\n){0,3}$`, `😀$`, `^[\ud7ff\ue000\uffff]$`, `^a\nb$`, `^[\u{1F600}-\u{1F64F}]{2}$`, `^\x1f$`, `^$`, `^(?!.*é).*$`}

func TestJSONString_agreesWithDecoding(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	letters := []rune("abz\"\\/é\u00eaœ\ud7ff\ue000\uffff😀😁🙏\n\t\x00\x1f\x7f")
	for _, pattern := range stringPatterns {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		plain, start := a.Start(e), a.StartString(e, EscapesAny)
		for range 600 {
			text := ""
			for range r.IntN(4) {
				text += string(letters[r.IntN(len(letters))])
			}
			raw := encodings(r, text)
			want := a.Accepting(a.Walk(plain, text))
			if got := walkString(a, start, raw+`"`) == StringClosed; got != want {
				t.Fatalf("%s: %q closed %v, want %v", pattern, raw, got, want)
			}
		}
	}
}

// TestJSONString_noDeadEnds walks at random. Every state must have a successor, the distance must
// be exact, and the string must decode to an accepted text.
func TestJSONString_noDeadEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, pattern := range stringPatterns {
		for _, escapes := range []Escapes{EscapesAny, EscapesCanonical, EscapesCommon} {
			a := NewArena(Limits{})
			e, _ := a.Regex(pattern)
			for range 60 {
				raw := randomString(t, a, r, a.StartString(e, escapes))
				var text string
				if err := json.Unmarshal([]byte(`"`+raw), &text); err != nil {
					t.Fatalf("%s: %q: %v", pattern, raw, err)
				}
				if !a.Accepting(a.Walk(a.Start(e), text)) {
					t.Fatalf("%s: %q is not accepted", pattern, text)
				}
				if canonical, _ := json.Marshal(text); escapes == EscapesCanonical && len(raw)+1 > len(canonical) {
					t.Fatalf("%s: %q is longer than %q", pattern, raw, canonical)
				}
			}
		}
	}
}

func randomString(t *testing.T, a *Arena, r *rand.Rand, s StringState) string {
	t.Helper()
	raw := ""
	for s != StringClosed {
		row := a.StringRow(s)
		var ways []byte
		nearest := -1
		for b, next := range row {
			if next == StringDead {
				continue
			}
			ways = append(ways, byte(b))
			if d := a.StringDistance(next); nearest < 0 || d < nearest {
				nearest = d
			}
		}
		if len(ways) == 0 {
			t.Fatalf("dead end after %q", raw)
		}
		if got := a.StringDistance(s); len(raw) < 100 && got != nearest+1 {
			t.Fatalf("after %q: distance %d, but a successor has %d", raw, got, nearest)
		}
		b := ways[r.IntN(len(ways))]
		if r.IntN(3) == 0 || len(raw) > 30 {
			for _, w := range ways {
				if a.StringDistance(row[w]) == nearest {
					b = w
					break
				}
			}
		} else if r.IntN(2) == 0 && row['\\'] != StringDead {
			b = '\\'
		}
		raw += string([]byte{b})
		s = row[b]
	}
	return raw
}

func TestJSONString_refusesWhatIsNoText(t *testing.T) {
	a := NewArena(Limits{})
	start := a.StartString(a.AnyText(), EscapesAny)
	for _, raw := range []string{"\n", "\x1f", `\x`, `\ud800"`, `\ud800x`, `\ud800\n`, `\udc00`, `\ud83d\u0041`, "\xff", "\xc0", "\xed\xa0", `\u12g`, `\U`} {
		if s := walkString(a, start, raw); s != StringDead {
			t.Errorf("%q is not refused", raw)
		}
	}
	canonical := a.StartString(a.AnyText(), EscapesCanonical)
	for _, raw := range []string{`\/`, `\u0041`, `\u000a`, `\u001F`, `\ud83d`} {
		if s := walkString(a, canonical, raw); s != StringDead {
			t.Errorf("canonical %q is not refused", raw)
		}
	}
	if walkString(a, canonical, `é\u001f\n"`) != StringClosed {
		t.Error("canonical escapes are refused")
	}
}

// TestJSONString_everyCodePoint escapes code points in and out of a random set.
func TestJSONString_everyCodePoint(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	var ranges []ecma.Range
	member := map[rune]bool{}
	for range 400 {
		lo := rune(r.IntN(1 << (4 + r.IntN(17))))
		for c := lo; c <= lo+rune(r.IntN(40)); c++ {
			member[c] = true
			ranges = append(ranges, ecma.Range{Lo: c, Hi: c})
		}
	}
	a := NewArena(Limits{})
	start := a.StartString(a.Runes(ranges...), EscapesAny)
	for c := rune(0); c <= 0x10FFFF; c += 1 + rune(r.IntN(1+int(c>>12))) {
		raw := fmt.Sprintf(`\u%04x"`, c)
		if c > 0xFFFF {
			raw = fmt.Sprintf(`\u%04X\u%04x"`, 0xD800+(c-0x10000)>>10, 0xDC00+(c-0x10000)&0x3FF)
		}
		want := member[c] && (c < 0xD800 || c > 0xDFFF)
		if got := walkString(a, start, raw) == StringClosed; got != want {
			t.Fatalf("%q: %v, want %v", raw, got, want)
		}
	}
	all := a.StartString(a.AnyText(), EscapesAny)
	for c := range 0x10000 {
		if got := walkString(a, all, fmt.Sprintf(`\u%04x"`, c)) == StringClosed; got != (c < 0xD800 || c > 0xDFFF) {
			t.Fatalf("U+%04X: %v", c, got)
		}
	}
	if a.strings.count > 20_000 {
		t.Errorf("%d states for escapes", a.strings.count)
	}
}

// TestStepStringOnce_agreesWithRows: the same bytes may follow, whether rows are made or not.
func TestStepStringOnce_agreesWithRows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, name := range slices.Concat(formatNames, stringPatterns) {
		rows, once := NewArena(Limits{}), NewArena(Limits{})
		start := func(a *Arena) StringState {
			e, ok := a.Format(name)
			if !ok {
				e, _ = a.Regex(name)
			}
			return a.StartString(a.Intersect(e, a.Repeat(a.AnyRune(), 0, 40)), EscapesAny)
		}
		for range 20 {
			s, u, text := start(rows), start(once), ""
			for s > StringClosed && len(text) < 50 {
				var next []byte
				for b := range 256 {
					to := rows.StepString(s, byte(b))
					if got := once.StepStringOnce(u, byte(b)); min(got, 2) != min(to, 2) {
						t.Fatalf("%s: behind %q the byte %#x leads to %d, in rows to %d", name, text, b, got, to)
					} else if to != StringDead {
						next = append(next, byte(b))
					}
				}
				b := next[r.IntN(len(next))]
				s, u, text = rows.StepString(s, b), once.StepStringOnce(u, b), text+string(b)
			}
		}
	}
}
