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
	mu     sync.Mutex // protects the next five
	vocab  *Vocab
	m      *machine.Machine
	masks  *machine.Masks // nil without a vocabulary
	missed int64          // masks that had been computed when bytes was
	reread int            // bytes that the machine took when a text had been read again on it: less will not do

	bytes atomic.Int64 // that it takes, roughly
	full  atomic.Bool  // it accepts too little: see Machine.Full
	large atomic.Bool  // it takes more than it may
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
	e.weighLocked()
}

// grown weighs the workspace if some masks have been computed since that was done last; the caller
// holds the lock.
func (e *workspace) grown() {
	if e.masks.Stats.Misses >= e.missed+weighEvery {
		e.missed = e.masks.Stats.Misses
		e.weighLocked()
	}
}

func (e *workspace) weighLocked() {
	lasting := e.m.Size()
	n := lasting
	if e.masks != nil {
		n += e.masks.Size()
	}
	if int64(n) < e.bytes.Load()+grownBy {
		return
	}
	e.bytes.Store(int64(n))
	if lasting > max(maxMachine, 2*e.reread) || n-lasting > maxMasks {
		e.large.Store(true)
	}
	grammars.grew.Store(true)
}
