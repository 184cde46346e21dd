package lex

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync/atomic"
)

// Fingerprint is the same for expressions of different arenas that are built alike. Expressions
// with equal ones denote one language.
type Fingerprint [sha256.Size]byte

// Fingerprints computes the fingerprints of one arena's expressions, and remembers them. It is for
// one goroutine.
type Fingerprints struct {
	arena *Arena
	own   uint64 // of these alone: for what is known to this arena only, such as numbers
	exprs map[Expr]Fingerprint
	words map[wordSet]Fingerprint
}

// NewFingerprints returns what computes those of a.
func NewFingerprints(a *Arena) *Fingerprints {
	return &Fingerprints{a, fingerprinted.Add(1), map[Expr]Fingerprint{}, map[wordSet]Fingerprint{}}
}

var fingerprinted atomic.Uint64

// Are reports whether these are of arena a; nil ones are of none.
func (f *Fingerprints) Are(a *Arena) bool { return f != nil && f.arena == a }

// Of returns the fingerprint of an expression.
func (f *Fingerprints) Of(e Expr) Fingerprint {
	f.arena.mu.Lock()
	defer f.arena.mu.Unlock()
	return f.of(e)
}

func (f *Fingerprints) of(e Expr) Fingerprint {
	p, ok := f.exprs[e]
	if !ok {
		p = sha256.Sum256(f.describe(e))
		f.exprs[e] = p
	}
	return p
}

// describe writes what an expression is made of. Which alternatives come first depends on the
// arena.
func (f *Fingerprints) describe(e Expr) []byte {
	n := f.arena.at(e)
	var parts []Expr
	switch n.kind {
	case kindConcat:
		parts = []Expr{Expr(n.a), Expr(n.b)}
	case kindRepeat, kindNot:
		parts = []Expr{Expr(n.a)}
	case kindUnion, kindIntersect:
		parts = n.args
	}
	prints := make([]Fingerprint, len(parts))
	for i, p := range parts {
		prints[i] = f.of(p)
	}
	if n.kind == kindUnion || n.kind == kindIntersect {
		slices.SortFunc(prints, func(x, y Fingerprint) int { return slices.Compare(x[:], y[:]) })
	}
	out := []byte{byte(n.kind)}
	switch n.kind {
	case kindWords:
		p := f.ofWords(wordSet(n.a))
		return append(out, p[:]...)
	case kindShared: // the arenas of formats are the same for all
		return binary.LittleEndian.AppendUint64(out, uint64(uint32(n.a))|uint64(uint32(n.b))<<32)
	case kindNumber, kindDeferred:
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(out, f.own), uint32(e))
	}
	out = binary.LittleEndian.AppendUint64(out, uint64(uint32(n.min))|uint64(uint32(n.max))<<32)
	for _, p := range prints {
		out = append(out, p[:]...)
	}
	return out
}

func (f *Fingerprints) ofWords(s wordSet) Fingerprint {
	p, ok := f.words[s]
	if ok {
		return p
	}
	n := &f.arena.words.nodes[s]
	out := []byte{byte(boolInt(n.final))}
	for _, e := range n.edges {
		next := f.ofWords(e.next)
		out = append(append(out, e.lo, e.hi), next[:]...)
	}
	p = sha256.Sum256(out)
	f.words[s] = p
	return p
}
