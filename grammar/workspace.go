package grammar

import (
	"slices"
	"sync"
	"sync/atomic"

	"tenon/grammar/machine"
)

// workspace is what all matchers of a grammar over one vocabulary share. What one
// of them makes it learn, the others find ready.
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
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.workspaces, func(e *workspace) bool { return e.vocab == v })
	var e *workspace
	if i >= 0 {
		e = g.workspaces[i]
		g.workspaces = slices.Delete(g.workspaces, i, i+1)
	}
	if e == nil || e.spent() {
		e = &workspace{vocab: v, m: machine.New(g.program, g.ready(), false)}
		if v != nil {
			e.masks = machine.NewMasks(e.m, v)
		}
	}
	e.weigh()
	g.workspaces = slices.Insert(g.workspaces, 0, e)
	g.workspaces = slices.Delete(g.workspaces, min(len(g.workspaces), maxWorkspaces), len(g.workspaces))
	return e
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

// grown weighs the workspace if some masks have been computed since that was done last; the caller holds the lock.
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
