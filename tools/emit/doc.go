// Package emit writes: the grammar of a turn's whole output in extended GBNF, and the text of
// calls.
//
// Files: output.go (the grammar of the whole output), output_parts.go (the names of its captures;
// outputs with headers or labels; arguments, and the text of free-form tools), syntaxes.go (calls,
// a writer for each syntax), dictionary.go (objects with bare keys), write.go (the text of calls;
// [Compile]).
package emit
