// Package gguf reads the header of a GGUF file: metadata, vocabulary and tensor descriptions,
// never the weights.
//
//	f, err := gguf.Open("model.gguf")
//	arch := f.String("general.architecture")
//	tokens := f.Strings("tokenizer.ggml.tokens")
//
// A downloaded file is untrusted. Every count and length is checked against the bytes that are
// left in the file before anything is allocated, so memory is bounded by the file's size, and a
// file whose tensors end beyond it is reported as cut off. llama.cpp sees a file only after this
// package has accepted it, since an assertion there ends the process.
//
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3,
// little-endian.
package gguf
