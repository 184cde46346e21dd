package grammar

import "tenon/grammar/machine"

// What grammars and schemas may take that were used before, in bytes: agents send the same tools
// with every request, and a server sees many agents. The one used last is kept whatever it takes;
// its own limits bound that.
const (
	maxUnits    = 128 << 20
	maxGrammars = 384 << 20
)

// Limits of what a grammar learns while matchers follow it.
const (
	maxWorkspaces = 3        // vocabularies: a process has one model, or few
	grownBy       = 64 << 10 // bytes of growth of which the cache is not told
	unnoticed     = 16 << 10 // and of masks that is not summed up
	weighEvery    = 8        // masks computed: weighing takes longer than most of them
)

// maxMachine is what a machine may take, in bytes. Its tables only grow: a workspace beyond it is
// given up, and those who follow a text through it read the text on a fresh one. Masks forget by
// themselves what was not used lately. Tests lower it.
var maxMachine = 64 << 20

// Remembered is how many compiled schemas and grammars are kept, and how many bytes they take,
// roughly. The schemas of grammars count as parts of those, too.
type Remembered struct {
	Schemas, SchemaBytes, Grammars, GrammarBytes int

	// grammars that were asked for so far: those that were there, and the others
	Found, Compiled int64
}

// Kept tells what is kept now.
func Kept() Remembered {
	var k Remembered
	k.Schemas, k.SchemaBytes = units.total()
	k.Grammars, k.GrammarBytes = grammars.total()
	k.Found, k.Compiled = grammars.found.Load(), grammars.missed.Load()
	return k
}

// perTextByte is about what is made of a byte of a grammar's text, beside its program.
const perTextByte = 8

// own is what the grammar takes beside its schemas.
func (g *Grammar) own() int {
	n := g.fixed
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.workspaces {
		n += int(e.bytes.Load())
	}
	g.printed.Range(func(_, p any) bool { n += len(p.(Printed).Text); return true })
	return n
}

// sizeOfAll is what grammars take. Schemas that several have count once.
func sizeOfAll(all []*Grammar) int {
	n := 0
	known := map[*machine.Unit]bool{}
	for _, g := range all {
		n += g.own()
		for _, u := range g.schemas() {
			if !known[u] {
				known[u] = true
				n += u.Size()
			}
		}
	}
	return n
}

// sizeOfUnits is what schemas take.
func sizeOfUnits(all []*machine.Unit) int {
	n := 0
	for _, u := range all {
		n += u.Size()
	}
	return n
}
