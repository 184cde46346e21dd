// Package jinja renders chat templates as Python's Jinja2 3.1.6 does under Hugging Face's
// settings, byte for byte, and remembers for each byte of the output whether the template wrote it
// or whether it came from content.
//
// A template is parsed once and rendered often, from any number of goroutines:
//
//	t, err := jinja.Parse(source)                        // *SyntaxError with line and column
//	vars := jinja.NewDict()
//	vars.Set("messages", messages)                       // jinja.FromJSON(data, jinja.Content)
//	vars.Set("bos_token", jinja.NewString("<s>", jinja.Trusted))
//	out, err := t.Render(vars, jinja.Options{Now: now})  // *RaisedError, *RenderError
//	for _, s := range out.Spans { ... out.Text[s.Start:s.End], s.Origin ... }
//
// # Flow
//
//	source --lexer--> tokens --parser--> tree --resolver--> tree with slots
//	tree with slots --Render--> text and spans
//
// The lexer applies trim_blocks and lstrip_blocks. The resolver decides at parse time where every
// name lives, by the rules by which Jinja2 turns a template into Python functions: one frame of
// slots per function (template, macro), so that rendering looks up no names in maps. Rendering
// walks the tree.
//
// What a template makes of values that stay the same from rendering to rendering, such as declared
// tools, a [Memo] keeps: the results of tojson, and of macros that can be seen to depend on
// nothing but their arguments.
//
// # Values
//
// A [Value] is a Python value: none, bool, int of any size, float, string, list, tuple,
// insertion-ordered dict, and the objects that only templates make (macros, loops, namespaces,
// generators). Templates cannot change lists and dicts that they were given: the sandbox of
// transformers is immutable, and so are the values here.
//
// # Origin
//
// A [Str] knows the [Origin] of each of its bytes; every operation on strings carries it along.
// Literal text of the template is trusted; strings that the caller marks as [Content] stay content
// through slicing, stripping, splitting, joining, formatting and JSON, and so do the quotes and
// escapes that JSON and repr put around and into them. What an operation adds of its own is
// trusted if the template gave it (separators, fill characters) and otherwise belongs to whatever
// stands before it: braces and commas of tojson say nothing on their own, and hundreds of spans of
// one comma would help nobody.
//
// # Limits
//
// A template from a downloaded file is untrusted code. [Limits] counts work, not time: steps of
// evaluation and bytes made, bytes of output, depth of calls. What would exceed them fails before
// it allocates.
//
// # Errors
//
// Evaluation reports errors by panicking with a value that only this package makes, recovered in
// Render, as text/template does; nothing else panics out of it.
//
// # Files
//
//	template.go, runtime.go, errors.go    a template and a rendering of it; its frames, limits
//	                                      and errors
//	lexer.go, token.go                    text to tokens
//	parser*.go, ast.go, walk.go           tokens to a tree; what is below a node
//	resolver.go, scope.go, symbols.go     where each name lives
//	exec.go, loop.go, idle.go             statements; for, also where most rounds do nothing
//	eval.go, call.go, attr.go, compare.go expressions: calls, attributes and items, comparison
//	emit.go                               printing an expression without making a value of it
//	                                      first
//	value.go, number.go, text.go, sequence.go, dict.go, iterate.go, objects.go
//	                                      values: numbers, strings with their origin, lists,
//	                                      dicts, iterators, what only templates make
//	methods.go, strings.go, strftime.go   methods of values
//	filters.go, filters_sequence.go, tests.go, globals.go
//	                                      filters, tests, functions
//	repr.go, tojson.go, decode.go         values as Python or JSON, and from JSON
//	memo.go                               what stays the same from rendering to rendering
//
// REFERENCE.md lists the language as it is here and the few things left out on purpose.
package jinja
