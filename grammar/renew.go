package grammar

import (
	"maps"

	"tenon/grammar/gbnf"
	"tenon/grammar/machine"
)

// The automata of a schema grow while they are walked, and have limits (lex.Limits). Where one is
// met they refuse what they should accept. The schema is compiled anew then, and those who follow
// a text through it read the text again, on automata that hold little else: most of what had
// filled the old ones are ways that other texts, or the masks, have gone.

// schemas returns the grammar's compiled schemas.
func (g *Grammar) schemas() map[*gbnf.Node]*machine.Unit {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.units
}

// renewed is schemas, of which none is full. They are compiled anew outside of the grammar's lock:
// only those wait who need the new ones.
func (g *Grammar) renewed() map[*gbnf.Node]*machine.Unit {
	known := g.schemas()
	fresh := map[*gbnf.Node]*machine.Unit{}
	for n, old := range known {
		if !old.Full() {
			continue
		}
		// it was compiled before: the old one is no worse
		if u, err := unitOf(n, Options{Lenient: g.lenient}); err == nil {
			fresh[n] = u
		}
	}
	if len(fresh) == 0 {
		return known
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	all := maps.Clone(g.units)
	for n, u := range fresh {
		if all[n].Full() { // else another goroutine was first
			all[n] = u
		}
	}
	g.units = all
	return all
}

// history is what a parser has read: bytes, and symbols between them.
type history struct {
	bytes   []byte
	symbols []readSymbol
}

type readSymbol struct {
	name string
	at   int // bytes before it
}

// len counts bytes and symbols.
func (h *history) len() int { return len(h.bytes) + len(h.symbols) }

// replay gives the history to a reader, and asks it for the events that were told when so much of
// it had been read.
func (h *history) replay(r *machine.Reader, told int) error {
	symbols := h.symbols
	for i := 0; ; i++ {
		for ; len(symbols) > 0 && symbols[0].at == i; symbols = symbols[1:] {
			if i+len(h.symbols)-len(symbols) == told {
				r.Events()
			}
			if err := r.FeedSymbol(symbols[0].name); err != nil {
				return err
			}
		}
		if i+len(h.symbols)-len(symbols) == told {
			r.Events()
		}
		if i == len(h.bytes) {
			return nil
		}
		if _, err := r.Feed(h.bytes[i : i+1]); err != nil {
			return err
		}
	}
}

// ask asks the reader, and once more where its automata were full.
func (p *Parser) ask(f func() error) error {
	err := f()
	if p.renew() {
		err = f()
	}
	return err
}

// renew lets the parser read what it has read once more, on new automata, where the old ones are
// full. It says whether it did.
func (p *Parser) renew() bool {
	if p.lost || !p.r.Full() {
		return false
	}
	r := p.g.reader()
	if p.read.replay(r, p.told) != nil || r.Full() {
		p.lost = true
		return false
	}
	p.r = r
	return true
}

// accepted is one thing that a matcher has accepted.
type accepted struct {
	before machine.ConfigID
	token  int32 // or one of those below
	text   int32 // where in the matcher's texts that of it begins, if it is no token
}

const (
	noToken = -1 - iota // text
	noText              // the name of a symbol
)

// A matcher is renewed so often at first, and once more for so many things accepted: questions
// that fill automata by themselves, again and again, are not worth everyone's time.
const (
	freeRenewals = 16
	renewEvery   = 8
)

// with runs f, which asks the workspace about the place where the matcher stands, on a workspace
// that is not full afterwards if that can be had.
func (m *Matcher) with(f func()) {
	fresh := m.e.spent() && m.renew()
	m.on(f)
	if !fresh && m.e.full.Load() && m.renew() {
		m.on(f)
	}
}

// maxPieces bounds the workspaces that one mask may take. A piece takes as long as reading the
// whole text again. After freePieces of one matcher its masks end with the first piece that has a
// token: else a text that fills a workspace with every token held a core while it is written.
const (
	maxPieces  = 24
	freePieces = maxPieces
)

// masking is with for f that takes the mask of where the matcher stands. A mask that fills a
// workspace by itself lacks tokens: it is computed again in pieces, on as many workspaces as it
// takes.
func (m *Matcher) masking(f func()) {
	m.with(f)
	if !m.e.full.Load() {
		return
	}
	var p machine.PartialMask
	for range maxPieces {
		if m.pieces >= freePieces && !p.Empty() {
			break
		}
		if !m.restart() {
			return
		}
		m.pieces++
		whole := false
		m.on(func() { whole = m.e.masks.Resume(m.state, &p, m.unlocked()) })
		if whole {
			break
		}
	}
	m.on(func() {
		if !p.Empty() {
			m.e.masks.Assemble(m.state, &p)
		}
		f()
	})
}

func (m *Matcher) on(f func()) {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	f()
	if m.e.m.Full() {
		m.e.full.Store(true)
	}
}

// renew leads the matcher to where it stands on another workspace, and says whether it could. What
// a workspace has learned of a text is little: nearly all is of those that masks have looked at.
func (m *Matcher) renew() bool {
	if m.renewed >= freeRenewals+len(m.past)/renewEvery {
		return false
	}
	m.renewed++
	return m.restart()
}

// restart is renew as often as need be.
func (m *Matcher) restart() bool {
	e := m.g.workspace(m.v)
	e.mu.Lock()
	defer e.mu.Unlock()
	past := make([]accepted, len(m.past), cap(m.past))
	state := e.m.Start()
	for i, x := range m.past {
		if m.pause != nil && i%rereadStep == rereadStep-1 {
			e.mu.Unlock()
			m.pause()
			e.mu.Lock()
		}
		past[i], past[i].before = x, state
		if state = m.again(e, state, i); state == machine.Stuck {
			return false
		}
	}
	m.e, m.past, m.state = e, past, state
	e.reread = max(e.reread, e.m.Size())
	return true
}

// rereadStep is how many things accepted are read again in one step of a mask.
const rereadStep = 64

// again accepts on a workspace what was accepted before.
func (m *Matcher) again(e *workspace, state machine.ConfigID, i int) machine.ConfigID {
	x := m.past[i]
	if x.token >= 0 {
		if m.v.IsEOG(x.token) {
			return state
		}
		return e.masks.Step(state, x.token)
	}
	end := len(m.texts)
	if i+1 < len(m.past) {
		end = int(m.past[i+1].text)
	}
	text := m.texts[x.text:end]
	if x.token == noText {
		return e.m.StepSymbol(state, string(text))
	}
	next, _ := e.m.Walk(state, text)
	return next
}
