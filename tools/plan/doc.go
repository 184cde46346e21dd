// Package plan prepares a turn: which tools it may call, and which markers count in it. Nothing
// here depends on the model's output.
//
// names.go tells, while a word is written, whether it may become the name of such a tool.
package plan
