// Package machine runs grammars. A grammar becomes a [Program], a network of
// automata that call each other; a [Machine] steps threads through it; [Masks]
// asks, for every token of a vocabulary at once, whether the threads could read
// it; a [Reader] tells what captures hold.
//
// # How it works
//
// A thread is an automaton, its state, and a set of stacks of frames that wait
// for it to end (thread.go, stack.go). There are automata of different kinds:
// rules of the grammar, lexical automata of package lex, text up to a marker,
// and the parts of a JSON text. All are stepped byte by byte, by one function per
// kind (step.go). Everything is interned: sets of stacks, recorded texts, and
// configurations, which are sets of threads (config.go). So a configuration is
// one integer, by which masks are remembered.
//
// A value may be one of hundreds of objects. Those that name the same keys, or may
// have the same others, are read by one thread within a key, which knows all that
// wait for its end (key.go, member.go); keys that an object does not name change
// nothing in it but a set that all share.
//
// A mask is one walk down the vocabulary's tree with threads in hand (walk.go,
// mask.go). Where a thread is inside of a lexical automaton that most tokens stay
// in, the tokens that do are a bitset computed once for that state, and only
// those that leave it are walked (split.go). Strings and keys are most of what is
// written, and have splits of their own (split_string.go, split_key.go,
// split_name.go, split_element.go); states that differ in counters alone share them
// (split_near.go, split_apart.go). Those are found in the tree of the tokens' shapes (split_walk.go,
// split_shape.go, split_free.go), which holds letters as one.
//
// Files, in reading order: program.go, build.go, choice.go (from tree to
// program), closure.go (what can come next in a rule), thread.go, stack.go,
// step.go, config.go, array.go, object.go, key.go, member.go, rivals.go and rivals_array.go
// (objects and arrays that must differ), intern.go, mask.go, walk.go, piece.go, split.go,
// forced.go, distance.go, reader.go.
package machine
