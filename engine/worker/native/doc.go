// Package native is what a worker runs: a model loaded by llama.cpp (package engine/llama), as the
// backend of package runner. [Load] is the whole of it. In a binary built without cgo, Load says
// that there is no local engine. A second, smaller model may draft for the first.
//
// # Files
//
//	load.go, load_nocgo.go    Load: a worker's options in llama.cpp's terms
//	backend.go                a loaded model as the backend of package runner
//	vocab.go                  its vocabulary, for masks and for the server
//	saved.go                  copies of sequences, as they go to host memory and to disk
//	fingerprint.go            what copies on disk depend on
//	drafts.go                 loading the model that drafts, if its vocabulary is the same
//	count.go                  [CountPrompt] counts a prompt's tokens with the vocabulary alone
//	gpu.go                    [FreeVRAM] says what memory GPUs have free
package native
