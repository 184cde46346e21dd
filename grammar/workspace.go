package grammar

import (
	"slices"
	"sync"
	"sync/atomic"

	"tenon/grammar/machine"
)

// workspace is what all matchers of a grammar over one vocabulary share. What one of them makes it
// learn, the others find ready.
type workspace struct {
	mu      sync.Mutex // protects the next eight
	vocab   *Vocab
	m       *machine.Machine
	masks   *machine.Masks // nil without a vocabulary
	lasting int            // bytes that the machine took when it was weighed last
	weighed int64          // masks that had been computed then
	summed  int64          // bytes that masks took when they were weighed last
	told    int64          // bytes that the cache was told of
	// bytes that the machine took when a text had been read again on it: less will not do
	reread int

	bytes atomic.Int64 // that it takes, roughly
	full  atomic.Bool  // it accepts too little: see Machine.Full
	large atomic.Bool  // its machine takes more than it may
}

// workspace returns what matchers over v share.
func (g *Grammar) workspace(v *Vocab) *workspace {
	w := g.known(v)
	if w == nil {
		w = g.newWorkspace(v)
	}
	w.weigh()
	return w
}

// known returns the workspace over v, as the one used last, or nil if none can be used any more.
func (g *Grammar) known(v *Vocab) *workspace {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.use(v, nil)
}

// newWorkspace compiles what is full anew, which takes its time: the grammar's lock is free
// meanwhile.
func (g *Grammar) newWorkspace(v *Vocab) *workspace {
	w := &workspace{vocab: v, m: machine.New(g.program, g.renewed(), false)}
	if v != nil {
		w.masks = machine.NewMasks(w.m, v)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.use(v, w)
}

// use moves the workspace over v to the front: the one there is, unless it is spent, else the new
// one. The caller holds the lock.
func (g *Grammar) use(v *Vocab, fresh *workspace) *workspace {
	w := fresh
	if i := slices.IndexFunc(g.workspaces, func(w *workspace) bool { return w.vocab == v }); i >= 0 {
		if !g.workspaces[i].spent() {
			w = g.workspaces[i]
		}
		g.workspaces = slices.Delete(g.workspaces, i, i+1)
	}
	if w != nil {
		g.workspaces = slices.Insert(g.workspaces, 0, w)
		g.workspaces = slices.Delete(g.workspaces, min(len(g.workspaces), maxWorkspaces), len(g.workspaces))
	}
	return w
}

// spent says whether those who follow a text are better off on another workspace.
func (e *workspace) spent() bool { return e.full.Load() || e.large.Load() }

// weigh finds out what the workspace takes now.
func (e *workspace) weigh() {
	if !e.mu.TryLock() {
		return // who has it computes a mask, and weighs it then
	}
	defer e.mu.Unlock()
	e.lasting = e.m.Size()
	e.sum()
}

// grown is called after each mask, with the lock held: what masks take is known. The machine is
// weighed now and then.
func (e *workspace) grown() {
	known := &e.masks.Stats
	weigh := known.Misses >= e.weighed+weighEvery
	if !weigh && known.Bytes < e.summed+unnoticed {
		return
	}
	if e.summed = known.Bytes; weigh {
		e.weighed, e.lasting = known.Misses, e.m.Size()
	}
	e.sum()
}

// sum says what the workspace takes.
func (e *workspace) sum() {
	masks := 0
	if e.masks != nil {
		masks = e.masks.Size()
	}
	n := int64(e.lasting + masks)
	e.bytes.Store(n)
	if e.lasting > max(maxMachine, 2*e.reread) {
		e.large.Store(true)
	}
	if n >= e.told+grownBy {
		e.told = n
		grammars.grew.Store(true)
	}
}
