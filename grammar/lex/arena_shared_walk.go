package lex

import (
	"maps"
	"slices"
	"sync"
)

// The automata of formats are walked ahead, once per process: breadth first from the start of
// each format, and from what AbstractCounters makes of the states met, as far as texts usually go.
// What is beyond, arenas find out by themselves (arena_shared_copy.go), so that no schema depends
// on those before it.

// walkedAhead is how many states of a format are walked: all of most, and of the others those
// within a few bytes.
const walkedAhead = 700

// moreAhead is that for formats whose masks meet more.
var moreAhead = map[string]int{"regex": 2000, "email": 4000, "hostname": 2500}

// runesAhead is how many code points ahead masks ask AbstractCounters for.
const runesAhead = 25

var formatNames = slices.Sorted(maps.Keys(formats))

// formatArenas are the arenas of formats, in the order of formatNames, each made when it is first
// asked for.
var formatArenas = func() []func() *Arena {
	makers := make([]func() *Arena, len(formatNames))
	for i, name := range formatNames {
		makers[i] = sync.OnceValue(func() *Arena { return newFormatArena(name, max(moreAhead[name], walkedAhead)) })
	}
	return makers
}()

// WalkFormats makes the automata of all formats, for who measures. They are made one by one
// otherwise, where a schema first names them: email takes 90 ms, hostname 50, regex 30, all others
// 35 together.
func WalkFormats() {
	for _, arena := range formatArenas {
		arena()
	}
}

// newFormatArena returns an arena that knows so many states of a format, and is to take up no
// more.
func newFormatArena(name string, most int) *Arena {
	a := NewArena(Limits{})
	a.walkAhead(a.formatStart(name), most)
	a.frozen, a.derived = true, deriveMemo{} // walking was what it was for
	return a
}

// formatStart is the state before a format, in its own arena.
func (a *Arena) formatStart(name string) State {
	return a.Start(a.build(func() Expr { return a.format(name, formats[name]) }))
}

// walkAhead makes the rows of so many states, start and those nearest to it. States that are their
// own abstraction come first: they are few, and what masks are found with.
func (a *Arena) walkAhead(start State, most int) {
	met := map[State]bool{Dead: true}
	var near, far []State
	meet := func(s State) {
		if met[s] {
			return
		}
		met[s] = true
		if simple := a.abstractState(s, runesAhead); simple == s {
			near = append(near, s)
			return
		} else if far = append(far, s); !met[simple] {
			met[simple] = true
			near = append(near, simple)
		}
	}
	meet(start)
	for range most {
		var s State
		switch {
		case len(near) > 0:
			s, near = near[0], near[1:]
		case len(far) > 0:
			s, far = far[0], far[1:]
		default:
			return
		}
		last := Dead
		for _, next := range a.Row(s) {
			if next != last {
				meet(next)
			}
			last = next
		}
	}
}
