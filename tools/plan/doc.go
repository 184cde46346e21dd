// Package plan prepares a turn: which tools it may call, and which markers count in it. Nothing
// here depends on the model's output.
//
// # Files
//
//	plan.go                                  the plan: tools, choice, markers, what calls fit
//	names.go                                 while a word is written, whether it may become the
//	                                         name of a tool that can be called
package plan
