package machine

import "fmt"

// until is the automaton of text in which no marker occurs (Aho and Corasick's, cut off where a
// marker is complete). State 0 is the start.
type until struct {
	next [][256]int32 // -1 where a marker is complete
	// pops says whether what follows may begin in a state: not where a marker that began there
	// would have another one before its end, because then the text would have ended earlier.
	pops []bool
}

// maxMarkers bounds the bytes of all markers of one terminal.
const maxMarkers = 4 << 10

func newUntil(markers []string) (*until, error) {
	total := 0
	for _, s := range markers {
		total += len(s)
	}
	if total > maxMarkers {
		return nil, fmt.Errorf("%%until: markers of %d bytes exceed the limit of %d", total, maxMarkers)
	}
	u := &until{next: make([][256]int32, 1)}
	complete := []bool{false}
	for _, s := range markers {
		at := int32(0)
		for i := range len(s) {
			if u.next[at][s[i]] == 0 {
				u.next = append(u.next, [256]int32{})
				complete = append(complete, false)
				u.next[at][s[i]] = int32(len(u.next) - 1)
			}
			at = u.next[at][s[i]]
		}
		complete[at] = true
	}
	u.link(complete)
	for s := range u.next {
		u.pops = append(u.pops, len(markers) == 0 || u.canEnd(int32(s), markers))
	}
	return u, nil
}

// link adds the transitions that fall back to the longest suffix which begins a marker, breadth
// first.
func (u *until) link(complete []bool) {
	fall := make([]int32, len(u.next))
	queue := []int32{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		complete[s] = complete[s] || complete[fall[s]] && s != 0
		for b := range 256 {
			t := u.next[s][b]
			back := int32(0)
			if s != 0 {
				back = u.next[fall[s]][b]
			}
			if t == 0 {
				u.next[s][b] = back
				continue
			}
			fall[t] = back
			queue = append(queue, t)
		}
	}
	for s := range u.next {
		for b, t := range u.next[s] {
			if complete[t] {
				u.next[s][b] = -1
			}
		}
	}
}

func (u *until) canEnd(s int32, markers []string) bool {
	for _, marker := range markers {
		at := s
		for i := 0; i < len(marker)-1 && at >= 0; i++ {
			at = u.next[at][marker[i]]
		}
		if at >= 0 {
			return true
		}
	}
	return false
}

func (m *Machine) untilEnds(t thread, last bool) bool {
	return last || m.untils[t.def.index()].pops[t.st]
}

func (m *Machine) untilDistance(d kindDef, st, _ int32) int32 {
	if m.untils[d.index()].pops[st] {
		return 0
	}
	return 1 // any byte leads to a state in which it may end, or the text ends here
}
