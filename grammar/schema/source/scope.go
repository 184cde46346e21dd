package source

import "maps"

// Scope is a dynamic scope: for each dynamic anchor, the outermost resource that has it, where
// $dynamicRef leads. Scopes are interned; a schema without dynamic references has only the empty
// one.
type Scope struct {
	ID    int32
	first map[string]*Resource
}

// Enter returns the scope after entering r from sc.
func (s *Set) Enter(sc *Scope, r *Resource) *Scope {
	if len(r.dynamic) == 0 {
		return sc
	}
	key := scopeStep{sc, r}
	if next, ok := s.scopes[key]; ok {
		return next
	}
	next := sc
	for name := range r.dynamic {
		if _, known := sc.first[name]; known {
			continue
		}
		if next == sc {
			next = &Scope{first: make(map[string]*Resource)}
			maps.Copy(next.first, sc.first)
		}
		next.first[name] = r
	}
	if next != sc {
		next = s.internScope(next)
	}
	s.scopes[key] = next
	return next
}

type scopeStep struct {
	from *Scope
	into *Resource
}

func (s *Set) internScope(sc *Scope) *Scope {
	for _, known := range s.allScopes {
		if maps.Equal(known.first, sc.first) {
			return known
		}
	}
	sc.ID = int32(len(s.allScopes))
	s.allScopes = append(s.allScopes, sc)
	return sc
}

// Dynamic applies the dynamic scope if the target's anchor is a dynamic one (2020-12 core
// §8.2.3.2).
func (t Target) Dynamic(sc *Scope) Target {
	if !t.Resource.dynamic[t.fragment] || t.Resource.anchors[t.fragment] != t.Value {
		return t
	}
	if first, ok := sc.first[t.fragment]; ok {
		return Target{first.anchors[t.fragment], first, t.fragment}
	}
	return t
}

// Recursive applies the dynamic scope if the target says $recursiveAnchor (2019-09 core §8.2.4.2).
func (t Target) Recursive(sc *Scope) Target {
	if !t.Resource.dynamic[""] {
		return t
	}
	if first, ok := sc.first[""]; ok {
		return Target{first.root, first, ""}
	}
	return t
}
