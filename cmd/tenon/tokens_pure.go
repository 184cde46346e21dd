//go:build !cgo

package main

import (
	"errors"

	"tenon/engine/llama"
)

// countTokens has no tokenizer: llama.cpp has them all, and is not linked.
func countTokens(tokenQuestion) ([]int, error) {
	return nil, errors.New("count tokens: the engine is " + llama.Source)
}
