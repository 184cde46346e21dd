package grammar_test

import (
	"fmt"
	"log"

	"tenon/grammar"
	"tenon/grammar/vocab"
)

// A schema becomes a grammar that accepts the JSON texts of its instances.
func ExampleFromSchema() {
	g, err := grammar.FromSchema([]byte(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":14}},"required":["city"]}`),
		grammar.SchemaOptions{Space: grammar.BoundedSpace})
	if err != nil {
		log.Fatal(err)
	}
	m := g.Matcher(nil) // without a vocabulary it takes text
	fmt.Println(m.AcceptBytes([]byte(`{"days": 3, "city": "Oslo"}`)), m.Done())
	m = g.Matcher(nil)
	fmt.Println(m.AcceptBytes([]byte(`{"days": 15`)))
	// Output:
	// <nil> true
	// byte 10 of "{\"days\": 15": the grammar does not accept this
}

// A sampler takes the mask before every token and tells the matcher what it took.
func ExampleMatcher_Mask() {
	pieces := [][]byte{[]byte("yes"), []byte("no"), []byte("ye"), []byte("s"), []byte(" "), []byte("<end>")}
	kinds := []grammar.TokenKind{vocab.Normal, vocab.Normal, vocab.Normal, vocab.Normal, vocab.Normal, vocab.Control}
	v, err := grammar.NewVocab(pieces, kinds, []int32{5})
	if err != nil {
		log.Fatal(err)
	}
	g, err := grammar.Parse(`root ::= "yes" | "no"`, grammar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m := g.Matcher(v)
	for _, token := range []int32{2, 3, 5} { // ye, s, the end
		mask := m.Mask()
		var allowed []string
		for id := range int32(v.Len()) {
			if mask.Allows(id) {
				allowed = append(allowed, string(v.Piece(id)))
			}
		}
		fmt.Println(allowed)
		if err := m.Accept(token); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// [yes no ye]
	// [s]
	// [<end>]
}

// Captures come as events, in whatever pieces the text arrives.
func ExampleGrammar_Parser() {
	g, err := grammar.Parse(`root ::= text:( %until("<call>") ) ("<call>" name:( [a-z]+ ) args:( %json{"type":"object"} ))*`, grammar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p := g.Parser()
	show := func() {
		for _, e := range p.Events() {
			switch e.Kind {
			case grammar.Begin:
				fmt.Println("begin", e.Name)
			case grammar.End:
				fmt.Println("end", e.Name)
			case grammar.Bytes:
				fmt.Printf("%q\n", e.Bytes)
			}
		}
	}
	for _, piece := range []string{"Let me ", "see.<ca", `ll>look{"at`, `":1}`} {
		if err := p.Feed([]byte(piece)); err != nil {
			log.Fatal(err)
		}
		show()
	}
	if err := p.Close(); err != nil {
		log.Fatal(err)
	}
	show() // what was undecided until the end
	// Output:
	// begin text
	// "Let me "
	// "see."
	// end text
	// begin name
	// "look"
	// end name
	// begin args
	// "{\"at"
	// "\":1}"
	// end args
}

// Other engines get the grammar in their own dialect, with a word on what it
// cannot say.
func ExampleGrammar_Print() {
	g, err := grammar.Parse(`root ::= "n = " %json{"type":"integer","minimum":8,"maximum":11}`, grammar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.Print(grammar.GBNF)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Exact, p.Loosened, p.Narrowed)
	// Output:
	// false [] [numbers that a schema restricts are accepted without exponent only]
}

// Where a schema cannot be enforced as it stands, a lenient grammar says what it
// does about it.
func ExampleGrammar_Issues() {
	g, err := grammar.FromSchema([]byte(`{"properties":{"when":{"type":"datetime"},"who":{"$ref":"https://example.com/person"}}}`),
		grammar.SchemaOptions{Tool: "meet", Lenient: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range g.Issues() {
		fmt.Printf("%s: %s %s at %s: %s\n", i.Tool, i.Action, i.Keyword, i.Pointer, i.Why)
	}
	// Output:
	// meet: dropped type at /properties/when: unknown type name "datetime": any value
	// meet: dropped $ref at /properties/who: remote reference: nothing is fetched
}
