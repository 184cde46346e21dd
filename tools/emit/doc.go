// Package emit writes: the grammar of a turn's whole output in extended GBNF, and the text of
// calls.
//
// Files: output.go (the grammar of the whole output), output_forms.go (outputs with headers or
// labels, and the thought that names a tool first), syntaxes.go (calls, a writer for each syntax),
// arguments.go (what stands for an argument in any of them), dictionary.go (objects with bare
// keys), captures.go (the names of the grammar's captures), write.go (the text of calls;
// [Compile]).
package emit
