// Package plan prepares a turn: which tools it may call, and which markers count in it. Nothing
// here depends on the model's output.
package plan
