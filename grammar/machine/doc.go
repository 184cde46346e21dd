// Package machine runs grammars. A grammar becomes a [Program], a network of automata that call
// each other; a [Machine] steps threads through it; [Masks] asks, for every token of a vocabulary
// at once, whether the threads could read it; a [Reader] tells what captures hold.
//
// # How it works
//
// A thread is an automaton, its state, and a set of stacks of frames that wait for it to end
// (core_thread.go, core_stack.go). There are automata of different kinds: rules of the grammar,
// lexical automata of package lex, text up to a marker, and the parts of a JSON text. All are
// stepped byte by byte, by one function per kind (core_step.go); what else is to be known of a
// kind is a row of a table (core_kinds.go). Everything is interned: sets of stacks, recorded
// texts, and configurations, which are sets of threads (core_config.go). So a configuration is one
// integer, by which masks are remembered.
//
// A value may be one of hundreds of objects. Those that name the same keys, or may have the same
// others, are read by one thread within a key, which knows all that wait for its end
// (kind_name.go, json_member.go); keys that an object does not name change nothing in it but a set
// that all share.
//
// # Masks
//
// A mask is one walk down the vocabulary's tree with threads in hand. Most tokens are not walked.
// Where a thread is inside of a lexical automaton that most tokens stay in, those that do are one
// bitset, a slice, computed once for that state. Only the others are walked. Most of JSON is
// strings and keys, which have slices of their own.
//
// All of it counts its work, and pauses when it has done a step's. What many masks share is whole
// then; what one mask is collected in is its own.
//
//	mask_compute.go, mask_walk.go            Masks, in steps; the walk
//	mask_expect.go, mask_forced.go           bytes that the walk tries; bytes that must come
//	mask_slice.go                            slices of lexical automata
//	mask_lexicon.go                          what tokens do inside of any JSON string; the next
//	                                         four are made from it
//	mask_string.go, mask_element.go          slices of strings; of those that must differ
//	mask_name.go, mask_unnamed_key.go        slices of keys that the schema names, and others
//	mask_key_ends.go                         tokens that end a key, found once for all objects
//	mask_counter.go                          states that differ in counters alone share a slice
//	mask_delta.go                            a slice made from that of a state much like it
//	mask_string_walk.go, mask_string_shapes.go
//	                                         how a string's slice is found: by the shapes of
//	                                         tokens, in which all letters are one
//	mask_string_lookahead.go                 states that any text may follow
//	mask_string_crowd.go                     shapes that lead to many states at once
//	mask_resume.go                           a mask in pieces, where the automata get full
//	mask_kept.go                             masks that are kept, equal ones once
//
// # The other files
//
// By prefix, in reading order: core_ (tree to program, threads, stacks, configurations, the step),
// kind_ (one automaton a file), json_ (what objects know of their keys), unique_ (elements that
// must differ), end_ (the shortest way to an end). Two terminals share kind_plain.go: %plain, the
// text of a schema's strings without quotes and escapes, and %quoted, with escapes. kind_value.go
// reads JSON strings, too. core_counts.go counts what lexical automata have done, and names those
// that a configuration is in. core_rare.go names the rules that few schemas need; make ablations
// tells what each of them defends.
//
// # Words
//
//	here                     the field (llguidance, XGrammar, regex-automata)
//	set of stacks            graph-structured stack (GSS)
//	thread                   thread of a Pike VM; item of an Earley row
//	configuration            state of the determinised automaton; llguidance's row and lexer
//	                         state
//	token slice              llguidance's slicer; XGrammar's context-independent tokens
//	tokens walked one by one XGrammar's context-dependent (uncertain) tokens
//	counter, close, element masks
//	                         what is added to a slice where the state alone does not decide
//	distance to an end       shortest completion
//	unique set               uniqueItems: the elements that one may still become equal to
//	PartialMask              a mask that is resumed on fresh automata
package machine
