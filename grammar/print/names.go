package print

import (
	"fmt"
	"slices"
	"strings"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
)

// others is the text of every key but the named ones.
func (w *valueWriter) others(names []string) *gbnf.Node {
	if w.Escapes != lex.EscapesCanonical {
		w.narrow("strings that a schema restricts are accepted without superfluous escapes only")
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	i := w.part("other-key", fmt.Sprint(w.Escapes, strings.Join(names, "\x00")))
	if w.out.Rules[i].Node == nil {
		w.out.Rules[i].Node = w.apartFrom(names)
	}
	return ref(i)
}

// apartFrom is every text but some, in order, as their tree: another text leaves it at some
// character, or ends inside of it.
func (w *valueWriter) apartFrom(texts []string) *gbnf.Node {
	end := literal("")
	if texts[0] == "" {
		texts, end = texts[1:], nil
	}
	if len(texts) == 0 {
		return repeat(w.char(), 1, gbnf.Unbounded)
	}
	var kids []*gbnf.Node
	var taken ecma.Set
	for len(texts) > 0 {
		first := []rune(texts[0])[0]
		var rest []string
		for len(texts) > 0 && strings.HasPrefix(texts[0], string(first)) {
			rest, texts = append(rest, texts[0][len(string(first)):]), texts[1:]
		}
		one := ecma.Set{{Lo: first, Hi: first}}
		taken = append(taken, one...)
		below := w.fresh("key")
		w.out.Rules[below].Node = w.apartFrom(rest)
		kids = append(kids, gbnf.Sequence(w.spellRanges(one), ref(below)))
	}
	kids = append(kids, gbnf.Sequence(w.spellRanges(ecma.NewSet(taken...).Complement()), star(w.char())))
	if end != nil {
		kids = append(kids, end)
	}
	return gbnf.Choice(kids...)
}
