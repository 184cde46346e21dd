package worker

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"tenon/engine"
)

// loading is a model on its way.
type loading struct {
	done chan struct{} // closed when engine and err are set

	mu       sync.Mutex // guards what follows
	progress float64
	changed  chan struct{} // closed and replaced at each report
	measured map[string]string
	engine   engine.Engine
	err      error
}

func newLoading() *loading {
	return &loading{done: make(chan struct{}), changed: make(chan struct{})}
}

// report takes steps of at least a hundredth; smaller ones would only fill the line.
func (l *loading) report(progress float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if progress-l.progress < 0.01 {
		return
	}
	l.progress = progress
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *loading) state() (float64, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.progress, l.changed
}

// remember is for Options.Remember.
func (l *loading) remember(key, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.measured == nil {
		l.measured = map[string]string{}
	}
	l.measured[key] = value
}

func (l *loading) finish(e engine.Engine, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.engine, l.err = e, err
	close(l.done)
}

func (l *loading) wait(ctx context.Context) (engine.Engine, error) {
	select {
	case <-l.done:
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.engine, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// maxGrammarText bounds the grammars that a child remembers, in bytes of text.
const maxGrammarText = 64 << 20

// grammarTexts remembers grammars by hash, so that the parent need not send a long one with every
// turn.
type grammarTexts struct {
	max int // bytes

	mu     sync.Mutex // guards what follows
	size   int
	byHash map[string]*list.Element
	recent *list.List // of engine.Grammar; the front was used last
}

func newGrammarTexts(limit int) *grammarTexts {
	return &grammarTexts{max: limit, byHash: map[string]*list.Element{}, recent: list.New()}
}

// resolve finds the text of a hash sent alone, or remembers a text that came with it.
func (g *grammarTexts) resolve(w wireGrammar) (engine.Grammar, error) {
	if w.Hash == "" {
		return engine.Grammar{}, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.byHash[w.Hash]; ok {
		g.recent.MoveToFront(e)
		return e.Value.(engine.Grammar), nil
	}
	if w.Text == "" {
		return engine.Grammar{}, errUnknownGrammar
	}
	found := engine.Grammar{Text: w.Text, Hash: sha256.Sum256([]byte(w.Text))}
	if hex.EncodeToString(found.Hash[:]) != w.Hash {
		return engine.Grammar{}, fmt.Errorf("the grammar's hash is not that of its text")
	}
	g.byHash[w.Hash] = g.recent.PushFront(found)
	g.size += len(w.Text)
	g.forget()
	return found, nil
}

// forget drops what was used least recently; the latest stays whatever its size.
func (g *grammarTexts) forget() {
	for g.size > g.max && g.recent.Len() > 1 {
		last := g.recent.Remove(g.recent.Back()).(engine.Grammar)
		g.size -= len(last.Text)
		delete(g.byHash, hex.EncodeToString(last.Hash[:]))
	}
}
