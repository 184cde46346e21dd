// Package native is what a worker runs: a model loaded by llama.cpp (package engine/llama), as the
// backend of package runner. [Load] is the whole of it. In a binary built without cgo, Load says
// that there is no local engine.
package native
