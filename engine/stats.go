package engine

import "context"

// Stats counts what an engine has done since it was loaded (a worker that was started again begins
// anew), and what it holds now.
type Stats struct {
	Evaluated int64 // tokens that went through the model
	Cached    int64 // prompt tokens taken from the KV cache in place of that
	Generated int64 // tokens of output
	Drafted   int64 // tokens that were guessed and evaluated along with those before them
	Accepted  int64 // of those, what the model chose as well
	// tokens evaluated once more: after a rewind, or because older turns needed the cells
	Repeated  int64
	Written   int64 // bytes of copies of the KV cache that were written to disk
	Fetched   int64 // tokens whose copies were read from there
	Preempted int64 // turns that lost their cells
	Steps     int64 // calls of the model
	// workers that were started because the one before had ended; never begins anew
	Restarts int64
	Running  int // turns in slots
	Waiting  int // turns in the queue
	Cells    int // of the KV cache in use, kept prefixes included
	Capacity int // cells of the KV cache in all
	// of those in use, what kept prefixes would give back to a turn that needs it
	Evictable int
	Kept      int // sequences kept for reuse

	Grammars     int // compiled ones that are remembered, of all engines in the process
	GrammarBytes int // that they take with all they have learned, roughly

	// of the process that runs the model; nil for one in this process
	Confinement *Confinement `json:",omitempty"`
}

// Confinement says what a process that reads strangers' files cannot do any more.
type Confinement struct {
	NoNewPrivs bool // it gains no rights by running other programs
	// the kernel's version of it that bars files and TCP; 0: nothing is barred
	Landlock int
	// system calls that make sockets or look into other processes are refused
	Seccomp bool
	Missing []string `json:",omitempty"` // what could not be had, and why
}

// Reporter is an Engine that counts.
type Reporter interface {
	// Stats tells what is known without waiting for a model to load.
	Stats(ctx context.Context) (Stats, error)
}
