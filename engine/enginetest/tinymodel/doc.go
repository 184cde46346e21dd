// Package tinymodel writes GGUF models with random weights, small enough for a test to write one
// and fast enough to run thousands of tokens a second, so that tests run the real llama.cpp
// without any download:
//
//	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.SlidingWindow})
//
// There is one kind for each way that a sequence's memory can behave (see engine.Rewind), and one
// that only embeds. The vocabularies are small but real: trained on a few sentences, they have
// merges, byte fallback, control tokens and markers that are ordinary added tokens, as the models
// have that people run. What the models say is noise, though the same noise for the same seed.
//
// With a Shape the same writer makes models of real size, for benchmarks.
//
// Files: tinymodel.go (the kinds and their metadata), tensors.go (their layers), quantized.go
// (weights in blocks), vocab.go and train.go (the vocabularies), file.go (how GGUF is written),
// adapter.go (LoRA adapters).
package tinymodel
