// Package native is what a worker runs: a model loaded by llama.cpp (package engine/llama), as the
// backend of package runner. [Load] is the whole of it. In a binary built without cgo, Load says
// that there is no local engine. A second, smaller model may draft for the first (drafts.go).
//
// Beside it, [CountPrompt] counts a prompt's tokens with the vocabulary alone (count.go), and
// [FreeVRAM] says what memory GPUs have free (gpu.go).
package native
