//go:build !cgo

package llama

// Available tells whether this binary can run models itself. It was built without cgo: it cannot.
const Available = false

// Source says where the linked llama.cpp comes from.
const Source = "none: built without cgo, so there is no local engine; make build, with a C++ compiler, links one"

// SeparateGPU tells whether layers may go to a GPU with memory of its own. Metal shares the
// machine's.
const SeparateGPU = false

// FreeGPU is what is free of the memory of devices that layers can be offloaded to: there are
// none.
func FreeGPU() int64 { return 0 }
