// Package llama is a thin binding of llama.cpp: models, vocabularies, contexts, batches, the
// memory of sequences, and sampling among the tokens that a grammar allows. No other package of
// the program uses cgo (kerneltest does, for tests). It chooses how to compute: threads, layers on
// a GPU, flash attention. What to compute is its caller's choice: which sequence runs, what is
// cached and when to go back is up to package engine/worker.
//
//	m, err := llama.Load(ctx, "model.gguf", llama.ModelOptions{})
//	defer m.Close()
//	c, err := m.NewContext(llama.ContextOptions{Size: 4096, Sequences: 4})
//	defer c.Close()
//	ids, err := m.Vocab().Tokenize(ctx, "Once upon a time")
//	b := llama.NewBatch(c.BatchSize(), 1)
//	defer b.Close()
//	for i, id := range ids {
//		b.Add(id, i, i == len(ids)-1, 0) // logits are wanted of the last token only
//	}
//	err = c.Decode(ctx, b)
//	s, err := m.NewSampler(llama.DefaultSampling)
//	defer s.Close()
//	next, err := s.Sample(c.Logits(b.Len()-1), llama.Candidates{})
//
// # Two sources of llama.cpp
//
// By default the C++ is compiled in from the Go module github.com/ollama/ollama, pinned by go.sum.
// With -tags libllama a shared libllama is linked instead, which is how newer architectures and
// CUDA are had. The flags of both, and how to build such a library, are in cgo.mk; header
// differences end in shim.c. Without cgo the package is empty but for what needs no library, and
// [Available] is false.
//
// On Linux some of ggml's work is done here: attention (attention_linux.cpp), products with
// weights in blocks (products_linux.cpp), and what single activations go through between them
// (activations_linux.cpp). The linker puts ours in the place of ggml's, so that ggml's graphs,
// threads and formats stay as they are. In the default build it does so in this program; "make
// libllama" has it do so in each of ggml's libraries for CPUs (kernels.cmake).
// SPEED.md tells how near that comes to the memory's bound.
//
// # Files
//
//	model.go, options.go, loadmode.go        loading a model
//	calibrate_flash.go                       which setting of flash attention is faster
//	threads.go, threads_granted.go           how many threads run, and how many may
//	performance_cores_*.go                   the fast cores of Apple silicon
//	context.go, batch.go                     evaluating tokens
//	compute_thread.go                        the one thread that does it
//	rows.go, rows.h, rows_linux.h            which of a step's logits are wanted
//	logits.h, logits_linux.cpp               logits that are not copied
//	room.h, room_linux.cpp                   memory for weights, cleared while the vocabulary
//	                                         is read
//	memory.go, sequence_twins.go             the KV cache: cut, share, save; cells held by two
//	token_by_text.go                         the token that a text is, in a table of numbers
//	vocab.go, tokenize_*.go, spm.go          tokenizing: added tokens first, long texts in
//	                                         parts, SentencePiece's vocabularies by code of our
//	                                         own
//	sampler.go, sampling.go                  choosing a token; defaults and those of the file
//	sample.c, logsumexp.c                    the same in C; what logprobs are relative to
//	aligned_new_linux.cpp                    ggml's scratch memory begins at a cache line
//	llama_*.go, stub.go                      what differs between the builds
//	log.go                                   llama.cpp's log lines, one level lower
//
// # Rules
//
// A Context, its batches and its samplers belong to one goroutine. A Model and its Vocab may be
// used by several, and must outlive what was made from them. Contexts of a model take turns on its
// compute thread. llama.cpp aborts the process where an argument breaks its rules; every method
// here checks what it passes and returns an error instead. An abort that remains (damaged weights,
// out of memory) ends the process: that is why models live in worker processes.
//
// Log lines of llama.cpp go to the default slog logger with source=llama.cpp; errors of a failed
// call are part of the error that the call returns.
package llama
