package ecma

import (
	"errors"
	"strings"
	"testing"
)

func TestParse_saysWhereAndWhy(t *testing.T) {
	for pattern, want := range map[string]Error{
		`a(b`:         {Offset: 1, Kind: Invalid},
		`ab)`:         {Offset: 2, Kind: Invalid},
		`[b-a]`:       {Offset: 1, Kind: Invalid},
		`x{2,1}`:      {Offset: 1, Kind: Invalid},
		`+a`:          {Offset: 0, Kind: Invalid},
		`a\q`:         {Offset: 1, Kind: Invalid},
		`(a)\1`:       {Offset: 3, Kind: Unsupported},
		`\p{Lu`:       {Offset: 0, Kind: Invalid},
		`\p{Nothing}`: {Offset: 0, Kind: Unsupported},
	} {
		_, err := Parse(pattern)
		var e *Error
		if !errors.As(err, &e) || e.Offset != want.Offset || e.Kind != want.Kind || e.Why == "" {
			t.Errorf("%s: %v, expected offset %d", pattern, err, want.Offset)
		}
	}
	if _, err := Parse(strings.Repeat("(", MaxDepth+1)); !errors.Is(err, ErrTooDeep) {
		t.Error(err)
	}
}

func TestParse_treesAndPurity(t *testing.T) {
	tree, err := Parse(`^(?:a{2,}|[^b])(?=c)$`)
	if err != nil {
		t.Fatal(err)
	}
	count := map[Op]int{}
	tree.Visit(func(n *Node) {
		count[n.Op]++
		if n.Op == Repeat && (n.Min != 2 || n.Max != Unbounded || !n.Pure) {
			t.Errorf("%+v", n)
		}
		if n.Op == Lookahead && n.Pure {
			t.Error("a lookahead is no part of a language by itself")
		}
	})
	if count[Begin] != 1 || count[End] != 1 || count[Alternate] != 1 || count[Class] != 3 || tree.Pure {
		t.Errorf("%v", count)
	}
}

// TestSet_algebra: what holds of sets holds of every code point.
func TestSet_algebra(t *testing.T) {
	a, b := NewSet(Range{'m', 'z'}, Range{'a', 'n'}), SetOf("aeiou")
	for r := rune(0); r < 0x300; r++ {
		if in(a.Complement(), r) == in(a, r) {
			t.Errorf("%c is in a set and its complement, or in neither", r)
		}
		if in(a.Union(b), r) != (in(a, r) || in(b, r)) {
			t.Errorf("%c", r)
		}
	}
	if len(a) != 1 {
		t.Error(a, b)
	}
}

func in(s Set, r rune) bool {
	for _, x := range s {
		if x.Lo <= r && r <= x.Hi {
			return true
		}
	}
	return false
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`^[\w-]+$`, `(?:a)|\p{L}{2,3}`, `(?<!x)\bfoo\b`, `\u{1F600}[^\d]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		tree, err := Parse(pattern)
		if tree == nil && err == nil {
			t.Fatal("neither a tree nor an error")
		}
	})
}
