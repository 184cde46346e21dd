package lex

import (
	"fmt"
	"strings"
	"testing"

	"tenon/grammar/lex/number"
)

// BenchmarkStep walks known states: the steady state of mask computation.
func BenchmarkStep(b *testing.B) {
	a := NewArena(Limits{})
	e, _ := a.Regex(`^[a-z]+(-[a-z]+)*$`)
	start, text := a.Start(e), strings.Repeat("lorem-ipsum", 100)
	a.Walk(start, text)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += len(text) {
		a.Walk(start, text)
	}
}

func BenchmarkStepString(b *testing.B) {
	a := NewArena(Limits{})
	start, text := a.StartString(a.AnyText(), EscapesAny), strings.Repeat(`lorem\n"\u00e9é`, 100)
	text = strings.ReplaceAll(text, `"`, `\"`)
	walkString(a, start, text)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += len(text) {
		walkString(a, start, text)
	}
}

func BenchmarkNewArena(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		NewArena(Limits{})
	}
}

// BenchmarkCold compiles and walks in a new arena, the price of a first mask.
func BenchmarkCold(b *testing.B) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("value-%d", i*7919%1000)
	}
	regex := func(pattern string) func(*Arena) Expr {
		return func(a *Arena) Expr {
			e, err := a.Regex(pattern)
			if err != nil {
				b.Fatal(err)
			}
			return e
		}
	}
	format := func(name string) func(*Arena) Expr {
		return func(a *Arena) Expr {
			e, _ := a.Format(name)
			return e
		}
	}
	numbers := func(spec number.Spec) func(*Arena) Expr {
		return func(a *Arena) Expr {
			e, _ := a.Number(spec)
			return e
		}
	}
	for _, c := range []struct {
		name  string
		build func(*Arena) Expr
		text  string
	}{
		{"text", func(a *Arena) Expr { return a.AnyText() }, "some text, é"},
		{"identifier", regex(`^[a-zA-Z_][a-zA-Z0-9_-]*$`), "some-identifier"},
		{"search", regex(`foo|bar`), "xxfooxx"},
		{"lookahead", regex(`^(?!.*--)(?=.*[0-9])[a-z0-9-]{3,60}$`), "abc-1-def"},
		{"length", regex(`^.{1,100}$`), "some text"},
		{"letters", regex(`^[\p{L}\p{N} ]+$`), "some text é"},
		{"date-time", format("date-time"), "2024-02-29T12:34:56.789+05:45"},
		{"uri", format("uri"), "https://example.org/path?query#fragment"},
		{"email", format("email"), "first.last@example.org"},
		{"uuid", format("uuid"), "123e4567-e89b-12d3-a456-426614174000"},
		{"literals", func(a *Arena) Expr { return a.Literals(many...) }, "value-791"},
		{"number", numbers(number.Spec{}), "-123.456"},
		{"integer", numbers(number.Spec{Integer: number.IntegerValues}), "123456"},
		{"percent", numbers(number.Spec{Min: rat("0"), Max: rat("100"), Integer: number.IntegerValues}), "77"},
		{"cents", numbers(number.Spec{Min: rat("0"), Max: rat("99999.99"), MultipleOf: rats("0.01")}), "12345.67"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				a := NewArena(Limits{})
				if !a.Accepting(a.Walk(a.Start(c.build(a)), c.text)) {
					b.Fatalf("%q is refused", c.text)
				}
			}
		})
	}
}

// BenchmarkColdString does the same inside a JSON string.
func BenchmarkColdString(b *testing.B) {
	for _, c := range []struct{ pattern, text string }{{`^[a-zA-Z_][a-zA-Z0-9_-]*$`, `some-identifier"`}, {``, `some text, é\n"`}, {`^[^@]+@[^@]+$`, `first@example"`}} {
		b.Run(c.pattern, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				a := NewArena(Limits{})
				e, _ := a.Regex(c.pattern)
				if walkString(a, a.StartString(e, EscapesAny), c.text) != StringClosed {
					b.Fatalf("%q is refused", c.text)
				}
			}
		})
	}
}

// BenchmarkLargeCount walks one state for each position, and reports their memory.
func BenchmarkLargeCount(b *testing.B) {
	for range b.N {
		a := NewArena(Limits{})
		e, _ := a.Regex(`^.{5000}$`)
		if !a.Accepting(a.Walk(a.Start(e), strings.Repeat("x", 5000))) {
			b.Fatal(a.Err())
		}
		b.ReportMetric(float64(a.States()), "states")
		b.ReportMetric(float64(len(a.nodes)), "expressions")
	}
}
