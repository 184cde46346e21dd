// Package grammartest is what the tests of several packages share: the labelled schemas of
// ../shared, JSON texts with a fault, and the engines that printed grammars are for.
//
// Files: corpus.go (the labelled schemas; Mutate), suite.go (the official test suite),
// oracle.go (an independent validator), random.go (schemas and values that are made up), rival.go
// (other engines).
//
//	grammartest.Schemas(t, 23, func(c grammartest.Case) { … })
//	r := grammartest.StartRival(t, grammartest.LlamaCPP) // skips where none is named
//	err := r.Compile(text)
//	yes := r.Accepts(instance)
//
// Rivals are the engines themselves, under their own names: there are no words to map.
//
// Schemas gives every 23rd one here, and all of them with TENON_MASKBENCH=all.
package grammartest
