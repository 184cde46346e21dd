package machine

// numbered is the index of a key's value in a list, to which the value is added if it is not
// there.
func numbered[K comparable, V any](ids map[K]int32, list *[]V, key K, v V) int32 {
	id, ok := ids[key]
	if !ok {
		id = int32(len(*list))
		ids[key], *list = id, append(*list, v)
	}
	return id
}

// What is interned may be a hundred thousand texts, and there may be as many of them anew in the
// middle of a mask. So nothing here grows by being copied as a whole: that would take as long as a
// slow mask.

// idTable finds interned things by their hashes; open addressing. It is in parts, of which each
// grows by itself, when it is half full or a little more: no two at once.
type idTable struct {
	parts [1 << partBits]idPart
}

type idPart struct {
	slots []idSlot
	count int
	fill  int // how full it may be, in slots of firstSize<<partBits
}

type idSlot struct {
	hash uint32
	id   int32 // 0: free
}

const (
	partBits  = 5
	firstSize = 8 // of a part
)

func newIDTable() idTable {
	var t idTable
	all := make([]idSlot, len(t.parts)*firstSize)
	for i := range t.parts {
		t.parts[i].slots = all[i*firstSize : (i+1)*firstSize : (i+1)*firstSize]
		t.parts[i].fill = len(all)/2 + i*firstSize/4
	}
	return t
}

// part is where the ids of a hash are: from the slot of its low bits on, up to a free one.
func (t *idTable) part(hash uint32) *idPart { return &t.parts[hash>>(32-partBits)] }

// put adds something new.
func (p *idPart) put(hash uint32, id int32) {
	if p.count++; p.count*firstSize<<partBits > p.fill*len(p.slots) {
		old := p.slots
		p.slots = make([]idSlot, 2*len(old))
		for _, x := range old {
			if x.id != 0 {
				p.place(x)
			}
		}
	}
	p.place(idSlot{hash, id})
}

func (p *idPart) place(x idSlot) {
	mask := uint32(len(p.slots) - 1)
	i := x.hash & mask
	for p.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	p.slots[i] = x
}

func (t *idTable) clear() {
	for i := range t.parts {
		clear(t.parts[i].slots)
		t.parts[i].count = 0
	}
}

// pile holds lists of items, which stay where they are.
type pile[T any] struct {
	chunks [][]T
	items  int
}

// A chunk holds at most so many items, but for one list that is longer. The first ones are
// smaller.
const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
	smallOnes = 6
)

// listID says where a list lies: in which chunk and where in that, and how long it is.
type listID struct{ at, n int32 }

func (p *pile[T]) add(list ...T) listID {
	last := len(p.chunks) - 1
	if last < 0 || len(p.chunks[last])+len(list) > cap(p.chunks[last]) {
		p.chunks = append(p.chunks, make([]T, 0, max(len(list), chunkSize>>max(0, smallOnes-len(p.chunks)))))
		last++
	}
	from := len(p.chunks[last])
	p.chunks[last] = append(p.chunks[last], list...)
	p.items += len(list)
	return listID{int32(last<<chunkBits | from), int32(len(list))}
}

func (p *pile[T]) list(id listID) []T {
	if id.n == 0 {
		return nil
	}
	from := id.at & (chunkSize - 1)
	return p.chunks[id.at>>chunkBits][from : from+id.n : from+id.n]
}

func (p *pile[T]) at(i int32) *T { return &p.chunks[i>>chunkBits][i&(chunkSize-1)] }

// recent is a map that forgets what was not asked for lately. It has two halves. What is read or
// added goes into the young one. age, which its owner calls when there is too much, drops the old
// one and puts the young one in its place.
type recent[K comparable, V any] struct{ young, old map[K]V }

func (r *recent[K, V]) get(key K) (V, bool) {
	v, ok := r.young[key]
	if !ok {
		if v, ok = r.old[key]; ok {
			delete(r.old, key)
			r.put(key, v)
		}
	}
	return v, ok
}

func (r *recent[K, V]) put(key K, v V) {
	if r.young == nil {
		r.young = map[K]V{}
	}
	r.young[key] = v
}

func (r *recent[K, V]) age() { r.young, r.old = nil, r.young }
