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
// A mask is one walk down the vocabulary's tree with threads in hand (mask_walk.go,
// mask_compute.go). Where a thread is inside of a lexical automaton that most tokens stay in, the
// tokens that do are a bitset computed once for that state, and only those that leave it are
// walked (mask_slice.go). Most of JSON is strings and keys: they have slices of their own
// (mask_string.go, mask_unnamed_key.go, mask_name.go, mask_element.go), made from what tokens do
// inside of any JSON string (mask_lexicon.go); tokens that end a key are found once for all
// objects (mask_key_ends.go); states that differ in counters alone share them (mask_counter.go),
// and a state takes over what is known of one that leads on as it does (mask_delta.go). Those are
// found in the tree of the tokens' shapes (mask_string_walk.go, mask_string_shapes.go), which
// holds letters as one; there a state may lead to a crowd of others (mask_string_crowd.go). All of
// it counts its work, and pauses when it has done a step's (mask_compute.go): what many masks
// share is whole then, and what one mask is collected in is its own. Masks that are equal are kept
// once; what was not used lately is forgotten (mask_kept.go).
//
// Files by prefix, in reading order: core_ (tree to program, threads, stacks, configurations, the
// step), kind_ (one automaton a file), json_ (what objects know of their keys), unique_ (objects
// that must differ), mask_ (the tokens that may come), end_ (the shortest way to an end).
// kind_plain.go is %plain, the text of a schema's strings as it is, without quotes; kind_value.go
// reads JSON strings, too. core_counts.go counts what lexical automata have done, and names the
// automata that a configuration is in. core_rare.go names the rules that few schemas need;
// make ablations tells what each of them defends.
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
