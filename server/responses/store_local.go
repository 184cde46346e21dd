package responses

import (
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// local keeps the responses of this server alone: an index in memory, and an archive.
type local struct {
	limits StoreOptions
	now    func() time.Time

	mu     sync.Mutex // guards what follows
	kept   archive
	byID   map[string]*node
	items  map[itemKey]string // the latest response that holds an item
	owners map[string]*share
	live   int // responses that can be seen
	bytes  int64
}

// itemKey is an item by its id, which clients may choose.
type itemKey struct{ owner, id string }

// share is what belongs to an owner.
type share struct {
	order *list.List // of *node that can be seen, oldest first
	bytes int64
}

// archive holds encoded responses by id. memory and diskArchive implement it.
type archive interface {
	put(id string, encoded []byte) error
	get(id string) ([]byte, error)
	delete(id string) error
	close() error
}

// indexed is what is known of a response without reading it.
type indexed struct {
	id, owner, previous string
	at                  time.Time
	size                int64
	items               []string // the ids of those that it holds
	gone                bool
}

// node is a response in the index. One that is gone stays while others go on from it.
type node struct {
	indexed
	parent   *node
	children int
	place    *list.Element // in its owner's order; nil: it is gone
}

func openLocal(o StoreOptions) (*local, error) {
	s := &local{limits: o, now: time.Now, kept: memory{}, byID: map[string]*node{}, items: map[itemKey]string{}, owners: map[string]*share{}}
	if o.Dir == "" {
		return s, nil
	}
	disk, there, err := openDisk(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the store of responses in %s: %w", o.Dir, err)
	}
	s.kept = disk
	for _, i := range there {
		s.index(i)
	}
	for _, n := range slices.Collect(maps.Values(s.byID)) {
		s.release(n)
	}
	s.evict()
	return s, nil
}

func (s *local) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.close()
}

func (s *local) put(r *stored) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// it went while this one was made
	if n := s.byID[r.Previous]; r.Previous != "" && (n == nil || n.owner != r.Owner) {
		r.Previous, r.Conversation = "", r.whole()
	}
	r.At = s.now()
	encoded, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode response %s: %w", r.ID, err)
	}
	if int64(len(encoded)) > s.limits.MaxBytes {
		return fmt.Errorf("keep response %s: its %d bytes: %w", r.ID, len(encoded), errTooLarge)
	}
	if err := s.kept.put(r.ID, encoded); err != nil {
		return fmt.Errorf("keep response %s: %w", r.ID, err)
	}
	now := indexed{id: r.ID, owner: r.Owner, previous: r.Previous, at: r.At, size: int64(len(encoded)), items: itemIDs(r.Conversation)}
	if n := s.byID[r.ID]; n != nil { // it was kept before it was complete
		s.grow(n, now.size-n.size)
		n.items = now.items
		s.name(now)
	} else {
		s.index(now)
	}
	s.evict()
	return nil
}

// index takes a response in, behind the one that it goes on from.
func (s *local) index(i indexed) {
	n := &node{indexed: i, parent: s.byID[i.previous]}
	if n.parent != nil {
		n.parent.children++
	}
	s.byID[i.id] = n
	s.bytes += i.size
	of := s.owners[i.owner]
	if of == nil {
		of = &share{order: list.New()}
		s.owners[i.owner] = of
	}
	of.bytes += i.size
	if i.gone {
		return
	}
	n.place = of.order.PushBack(n)
	s.live++
	s.name(i)
}

// name has a response's items found by their ids.
func (s *local) name(i indexed) {
	for _, id := range i.items {
		s.items[itemKey{i.owner, id}] = i.id
	}
}

func (s *local) item(_ context.Context, id, owner string) (item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.read(s.items[itemKey{owner, id}])
	if err != nil {
		return item{}, err
	}
	return r.itemOf(id)
}

func (s *local) get(_ context.Context, id, owner string) (*stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evict()
	n := s.byID[id]
	if n == nil || n.place == nil || n.owner != owner {
		return nil, errNotThere
	}
	r, err := s.read(id)
	var parts [][]item
	for at := n.parent; at != nil && err == nil; at = at.parent {
		var before *stored
		if before, err = s.read(at.id); err == nil {
			parts = append(parts, before.Conversation)
		}
	}
	if err != nil {
		return nil, unreadable(id, err)
	}
	slices.Reverse(parts)
	r.before = slices.Concat(parts...)
	return r, nil
}

func (s *local) read(id string) (*stored, error) {
	encoded, err := s.kept.get(id)
	if err != nil {
		return nil, err
	}
	var r stored
	if err := json.Unmarshal(encoded, &r); err != nil {
		return nil, fmt.Errorf("decode response %s: %w", id, err)
	}
	return &r, nil
}

func (s *local) delete(_ context.Context, id, owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.byID[id]
	if n == nil || n.place == nil || n.owner != owner {
		return errNotThere
	}
	s.remove(n)
	return nil
}

// evict removes what is too old, and the oldest of whoever has most while there is too much.
func (s *local) evict() {
	for _, of := range s.owners {
		for e := of.order.Front(); e != nil && s.now().Sub(e.Value.(*node).at) > s.limits.MaxAge; e = of.order.Front() {
			s.remove(e.Value.(*node))
		}
	}
	for s.live > maxStored || s.bytes > s.limits.MaxBytes {
		var most *share
		for _, of := range s.owners {
			if of.order.Len() > 0 && (most == nil || of.bytes > most.bytes) {
				most = of
			}
		}
		if most == nil {
			return
		}
		s.remove(most.order.Front().Value.(*node))
	}
}

// remove takes a response from sight, and from the archive once nothing goes on from it.
func (s *local) remove(n *node) {
	s.owners[n.owner].order.Remove(n.place)
	n.place, n.gone = nil, true
	s.live--
	for _, id := range n.items {
		if key := (itemKey{n.owner, id}); s.items[key] == n.id {
			delete(s.items, key)
		}
	}
	if n.children > 0 {
		s.strip(n)
	}
	s.release(n)
}

// strip leaves of a response what others go on from.
func (s *local) strip(n *node) {
	r, err := s.read(n.id)
	if err == nil {
		r.Gone, r.Body, r.Input = true, nil, nil
		var encoded []byte
		if encoded, err = json.Marshal(r); err == nil {
			err = s.kept.put(n.id, encoded)
		}
		if err == nil {
			s.grow(n, int64(len(encoded))-n.size)
		}
	}
	if err != nil {
		slog.Error("a stored response cannot be made smaller", "response", n.id, "error", err)
	}
}

func (s *local) grow(n *node, by int64) {
	n.size += by
	s.bytes += by
	s.owners[n.owner].bytes += by
}

// release ends what is gone and has nothing behind it, and then perhaps what it went on from.
func (s *local) release(n *node) {
	for ; n != nil && n.gone && n.children == 0 && s.byID[n.id] == n; n = n.parent {
		delete(s.byID, n.id)
		s.grow(n, -n.size)
		if of := s.owners[n.owner]; of.bytes == 0 && of.order.Len() == 0 {
			delete(s.owners, n.owner)
		}
		if n.parent != nil {
			n.parent.children--
		}
		if err := s.kept.delete(n.id); err != nil {
			slog.Error("a stored response cannot be deleted", "response", n.id, "error", err)
		}
	}
}

// memory is an archive that ends with the process.
type memory map[string][]byte

func (m memory) put(id string, encoded []byte) error { m[id] = encoded; return nil }
func (m memory) delete(id string) error              { delete(m, id); return nil }
func (m memory) close() error                        { return nil }

func (m memory) get(id string) ([]byte, error) {
	if encoded, ok := m[id]; ok {
		return encoded, nil
	}
	return nil, errNotThere
}
