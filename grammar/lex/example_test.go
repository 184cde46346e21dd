package lex_test

import (
	"fmt"
	"math/big"

	"tenon/grammar/lex"
	"tenon/grammar/lex/number"
)

func ExampleArena_Regex() {
	a := lex.NewArena(lex.Limits{})
	name, err := a.Regex(`^[a-z]+(-[a-z]+)*$`)
	if err != nil {
		fmt.Println(err)
		return
	}
	short := a.Intersect(name, a.Repeat(a.AnyRune(), 0, 10), a.Complement(a.Literal("none")))
	start := a.Start(short)
	for _, text := range []string{"mortise", "mortise-", "none", "mortise-and-tenon"} {
		s := a.Walk(start, text)
		fmt.Println(text, a.Accepting(s), a.Live(s), a.MinBytes(s))
	}
	// Output:
	// mortise true true 0
	// mortise- false true 1
	// none false true 1
	// mortise-and-tenon false false 0
}

func ExampleArena_Number() {
	a := lex.NewArena(lex.Limits{})
	e, err := a.Number(number.Spec{Min: big.NewRat(1, 1), Max: big.NewRat(20, 1), Integer: number.IntegerValues})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"7", "7.0", "7.5", "21"} {
		fmt.Println(text, a.Accepting(a.Walk(a.Start(e), text)))
	}
	// Output:
	// 7 true
	// 7.0 true
	// 7.5 false
	// 21 false
}

func ExampleArena_StartString() {
	a := lex.NewArena(lex.Limits{})
	date, _ := a.Format("date")
	s := a.StartString(date, lex.EscapesAny)
	for _, b := range []byte(`2024-\u0030`) { // an escaped zero
		s = a.StepString(s, b)
	}
	fmt.Println(s != lex.StringDead, a.StringDistance(s))
	for _, b := range []byte(`2-29"`) {
		s = a.StepString(s, b)
	}
	fmt.Println(s == lex.StringClosed)
	// Output:
	// true 5
	// true
}
