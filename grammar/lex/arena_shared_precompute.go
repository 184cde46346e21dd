package lex

import (
	"maps"
	"slices"
	"sync"
)

// The automata of formats are precomputed once per process, as far as texts usually go: breadth
// first from the start of each format, and from the counter abstractions of the states. An arena
// that goes further does so by itself (arena_shared_import.go), so that no schema depends on those
// before it.

// precomputed is how many states of a format are precomputed: all of most formats, and of the
// others those within a few bytes.
const precomputed = 700

// precomputedMore has the formats whose masks need more states.
var precomputedMore = map[string]int{"regex": 2000, "email": 4000, "hostname": 2500}

// lookaheadRunes is the number of code points for which masks call AbstractCounters.
const lookaheadRunes = 25

var formatNames = slices.Sorted(maps.Keys(formats))

// formatArenas are the arenas of formats, in the order of formatNames, each made when a schema
// first names it: email takes 90 ms, hostname 50, regex 30, all others 35 together.
var formatArenas = func() []func() *Arena {
	makers := make([]func() *Arena, len(formatNames))
	for i, name := range formatNames {
		makers[i] = sync.OnceValue(func() *Arena { return newFormatArena(name, max(precomputedMore[name], precomputed)) })
	}
	return makers
}()

// newFormatArena returns a frozen arena with up to so many states of a format.
func newFormatArena(name string, most int) *Arena {
	a := NewArena(Limits{})
	a.precompute(a.formatStart(name), most)
	a.frozen, a.derived = true, deriveMemo{}
	return a
}

// formatStart returns the start state of a format, in its own arena.
func (a *Arena) formatStart(name string) State {
	return a.Start(a.build(func() Expr { return a.format(name, formats[name]) }))
}

// precompute makes the rows of up to so many states, breadth first from start. States that are
// their own counter abstraction come first: they are few, and masks use them.
func (a *Arena) precompute(start State, most int) {
	seen := map[State]bool{Dead: true}
	var first, later []State
	visit := func(s State) {
		if seen[s] {
			return
		}
		seen[s] = true
		if simple := a.abstractState(s, lookaheadRunes); simple == s {
			first = append(first, s)
			return
		} else if later = append(later, s); !seen[simple] {
			seen[simple] = true
			first = append(first, simple)
		}
	}
	visit(start)
	for range most {
		var s State
		switch {
		case len(first) > 0:
			s, first = first[0], first[1:]
		case len(later) > 0:
			s, later = later[0], later[1:]
		default:
			return
		}
		last := Dead
		for _, next := range a.Row(s) {
			if next != last {
				visit(next)
			}
			last = next
		}
	}
}
