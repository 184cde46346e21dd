package machine

import (
	"container/list"
	"hash/maphash"
	"slices"
	"unsafe"

	"tenon/grammar/vocab"
)

// maskEntry is the mask of a configuration.
type maskEntry struct {
	vocab.Mask
	config ConfigID
	shared *sharedMask // nil where it has few tokens
}

// sharedMask is a mask that several configurations may have: inside of strings most have one that
// is equal to that of others.
type sharedMask struct {
	vocab.Mask
	hash uint64 // of its tokens; 0 if it is not looked for
	uses int    // configurations that it is kept for
}

// entrySize is what a configuration takes whose mask is kept.
const entrySize = 112

var hashSeed = maphash.MakeSeed()

// equalTo is the mask of some tokens: one that is kept, if there is one.
func (k *Masks) equalTo(set []uint64) *sharedMask {
	h := maphash.Bytes(hashSeed, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(set))), 8*len(set)))
	x := k.equal[h]
	switch {
	case x == nil:
		return &sharedMask{Mask: vocab.DenseMask(set, k.v.Len()), hash: h}
	case !x.Equals(set):
		return &sharedMask{Mask: vocab.DenseMask(set, k.v.Len())}
	}
	return x
}

// remember keeps a mask, and forgets those used least recently.
func (k *Masks) remember(x *maskEntry) {
	// another was computed while this one paused, or was not whole
	if e, ok := k.memo[x.config]; ok {
		k.drop(e)
	}
	k.memo[x.config] = k.byUse.PushFront(x)
	k.size += entrySize
	switch s := x.shared; {
	case s == nil:
		k.size += x.Size()
	case s.uses == 0:
		k.size += s.Size()
		if s.hash != 0 {
			k.equal[s.hash] = s
		}
		fallthrough
	default:
		s.uses++
	}
	for k.size > k.limit && k.byUse.Len() > 1 {
		k.drop(k.byUse.Back())
	}
	k.Stats.Bytes = int64(k.size + k.kept)
}

func (k *Masks) drop(e *list.Element) {
	x := k.byUse.Remove(e).(*maskEntry)
	delete(k.memo, x.config)
	k.size -= entrySize
	s := x.shared
	if s != nil {
		s.uses--
	}
	if s == nil || s.uses == 0 {
		k.size -= x.Size()
	}
	if s != nil && s.uses == 0 && k.equal[s.hash] == s {
		delete(k.equal, s.hash)
	}
}

// forget drops what is known of states that no mask has asked for since half of what may be kept
// was found out: it can be found again.
func (k *Masks) forget() {
	k.strings.age()
	k.names.age()
	k.textSlices.age()
	for u, known := range k.models {
		k.models[u] = slices.DeleteFunc(slices.Clone(known), func(x *stringSlice) bool { return k.strings.old[stringState{u, x.state}] != x })
	}
	k.kept = k.stillKept()
	k.older = k.kept
}

// stillKept is what the slices take that were not forgotten. Those that were asked for again stood
// among the older ones before. Many have sets in common, with each other or with a lexicon.
func (k *Masks) stillKept() int {
	n, counted := 0, map[*uint64]bool{}
	add := func(set []uint64) {
		if p := unsafe.SliceData(set); p != nil && !counted[p] {
			counted[p] = true
			n += 8 * len(set)
		}
	}
	for _, x := range k.strings.old {
		if n += sliceSize; x == nil {
			continue
		}
		for _, theirs := range [][]uint64{x.lexicon.inside, x.lexicon.closing, x.lexicon.none} {
			counted[unsafe.SliceData(theirs)] = true
		}
		n += 4 * len(x.few)
		add(x.inside)
		add(x.closing)
		for _, need := range x.needs {
			add(need.set)
		}
	}
	for _, s := range k.names.old {
		n += s.size()
	}
	for _, s := range k.textSlices.old {
		add(s.inside)
	}
	return n
}
