package fleet

import (
	"cmp"
	"slices"
	"time"

	"tenon/models/placement"
)

// How models take turns where they do not all fit.
const (
	// longestWait is how long a request waits before the instance in its way takes no more
	// requests, unless that instance's stay is longer. What already runs there is not cut off.
	longestWait  = 30 * time.Second
	shortestStay = 10 * time.Second
	longestStay  = 2 * time.Minute // that a long load can ask for
	stayLoads    = 5               // a stay is as long as so many loads
	shortIdle    = time.Second     // no pause shorter than this ends a stay
)

// stay is how long an instance stays though others wait. The share of time that goes into loads
// is bounded by it.
func stay(load time.Duration) time.Duration {
	return max(shortestStay, min(stayLoads*load, longestStay))
}

// linger is the pause after which an instance is taken to be done with. Waiting as long as a load
// takes costs at most twice what knowing the future would.
func linger(load time.Duration) time.Duration {
	return min(max(load, shortIdle), stay(load))
}

// resident is an instance as the schedule sees it.
type resident struct {
	id    string
	takes placement.Memory
	busy  bool
	stays bool // pinned, loading, or ending: it does not go for room
	load  time.Duration
	age   time.Duration // since it was loaded
	idle  time.Duration // since its last lease ended
}

// evictable tells in how long an idle instance may go.
func (r resident) evictable() time.Duration {
	return max(0, min(linger(r.load)-r.idle, stay(r.load)-r.age))
}

// decision is what is done for the request that waits for room.
type decision struct {
	load  bool
	evict []string // idle ones, now; when they have ended, the question is asked again
	yield []string // busy ones, to take no more requests
	// when to ask again, unless something happens before; 0: only when something happens
	again time.Duration
	never bool // there is no room even if all went that may
}

// later puts the busy ones behind the others.
var later = map[bool]int{true: 1}

// choose finds room for what waits: free is what is free now, count how many instances may be
// added, -1 for any number.
func choose(need, free placement.Memory, count int, all []resident, waited time.Duration) decision {
	if need.Within(free) && count != 0 {
		return decision{load: true}
	}
	going := slices.DeleteFunc(slices.Clone(all), func(r resident) bool { return r.stays })
	slices.SortFunc(going, func(a, b resident) int {
		// those that can go soonest first, then the longest idle
		return cmp.Or(cmp.Compare(later[a.busy], later[b.busy]), cmp.Compare(b.idle, a.idle), cmp.Compare(b.age, a.age))
	})
	chosen, enough := enoughOf(going, need, free, count)
	if !enough {
		return decision{never: true}
	}
	var d decision
	idle, soonest, overdue := true, time.Duration(0), longestWait-waited
	for _, r := range chosen {
		soonest = max(soonest, r.evictable())
		if r.busy {
			idle, overdue = false, max(overdue, stay(r.load)-r.age)
		}
	}
	switch {
	case idle && soonest == 0:
		d.evict = ids(chosen)
	case idle:
		d.again = soonest
	case overdue <= 0:
		d.yield = ids(slices.DeleteFunc(chosen, func(r resident) bool { return !r.busy }))
	default:
		d.again = overdue
	}
	return d
}

// enoughOf takes instances from the front until what is needed is free.
func enoughOf(going []resident, need, free placement.Memory, count int) ([]resident, bool) {
	for i, r := range going {
		free = free.Plus(r.takes)
		if count >= 0 {
			count++
		}
		if need.Within(free) && count != 0 {
			return needed(going[:i+1], need, free), true
		}
	}
	return nil, false
}

// needed leaves out the small ones whose room, in the end, is not needed: the last one may be
// large.
func needed(chosen []resident, need, free placement.Memory) []resident {
	out := slices.Clone(chosen)
	for i := 0; i < len(out)-1; {
		without := free.Minus(out[i].takes)
		if out[i].takes != (placement.Memory{}) && need.Within(without) {
			free, out = without, slices.Delete(out, i, i+1)
			continue
		}
		i++
	}
	return out
}

func ids(all []resident) []string {
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = r.id
	}
	return out
}
