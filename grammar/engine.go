package grammar

import (
	"slices"
	"sync"
	"sync/atomic"

	"tenon/grammar/machine"
)

// Limits of what a grammar learns while matchers follow it.
const (
	maxMasks   = 192 << 20 // bytes, of all beside the machine. An engine beyond it is given up: those who follow a text through it read the text on a fresh one
	maxEngines = 3         // vocabularies: a process has one model, or few
	grownBy    = 64 << 10  // bytes of growth that go unnoticed
	weighEvery = 8         // masks computed: weighing takes longer than most of them
)

// maxMachine is the same for the machine, whose tables only grow. Masks and what is known of states go when there are too many. Tests lower it.
var maxMachine = 64 << 20

// engine is what all matchers of a grammar over one vocabulary share. What one
// of them makes it learn, the others find ready.
type engine struct {
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

// engine returns what matchers over v share.
func (g *Grammar) engine(v *Vocab) *engine {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.engines, func(e *engine) bool { return e.vocab == v })
	var e *engine
	if i >= 0 {
		e = g.engines[i]
		g.engines = slices.Delete(g.engines, i, i+1)
	}
	if e == nil || e.spent() {
		e = &engine{vocab: v, m: machine.New(g.program, g.ready(), false)}
		if v != nil {
			e.masks = machine.NewMasks(e.m, v)
		}
	}
	e.weigh()
	g.engines = slices.Insert(g.engines, 0, e)
	g.engines = slices.Delete(g.engines, min(len(g.engines), maxEngines), len(g.engines))
	return e
}

// spent says whether those who follow a text are better off on another engine.
func (e *engine) spent() bool { return e.full.Load() || e.large.Load() }

// weigh finds out what the engine takes now.
func (e *engine) weigh() {
	if !e.mu.TryLock() {
		return // who has it computes a mask, and weighs it then
	}
	defer e.mu.Unlock()
	e.weighLocked()
}

// grown weighs the engine if some masks have been computed since that was done last; the caller holds the lock.
func (e *engine) grown() {
	if e.masks.Stats.Misses >= e.missed+weighEvery {
		e.missed = e.masks.Stats.Misses
		e.weighLocked()
	}
}

func (e *engine) weighLocked() {
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

// Size is roughly how many bytes the grammar takes, with its schemas and all that it has learned.
func (g *Grammar) Size() int {
	n := g.own()
	for _, u := range g.schemas() {
		n += u.Size()
	}
	return n
}

// perTextByte is about what is made of a byte of a grammar's text, beside its program.
const perTextByte = 8

// own is what the grammar takes beside its schemas.
func (g *Grammar) own() int {
	n := g.fixed
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.engines {
		n += int(e.bytes.Load())
	}
	return n
}

// share is what the grammar takes, with its part of schemas that others have as well.
func (g *Grammar) share() int {
	n := g.own()
	for _, u := range g.schemas() {
		n += u.Share()
	}
	return n
}

func (g *Grammar) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = true
	for _, u := range g.units {
		u.Hold()
	}
}

// letGo returns what it gives back that the grammar is not kept any more.
func (g *Grammar) letGo() int {
	n := g.own()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = false
	for _, u := range g.units {
		n += u.LetGo()
	}
	return n
}
