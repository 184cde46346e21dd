package responses

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"tenon/server/chat"
)

// StoreOptions bound a store. The zero value of a field is its default.
type StoreOptions struct {
	Dir      string        // where responses are kept; "": in memory, until the server ends
	MaxAge   time.Duration // default 24 h
	MaxBytes int64         // of all responses together; default 64 MiB
}

// maxStored bounds the index, which is in memory.
const maxStored = 100_000

// stored is a response and what it takes to go on from it. Responses that go on from one another
// share what they have in common: each holds its own items and the response before.
type stored struct {
	ID           string            `json:"id"`
	Owner        string            `json:"owner"` // the API key it was made with; nobody else sees it
	At           time.Time         `json:"at"`
	Previous     string            `json:"previous,omitempty"` // the response that it goes on from
	Gone         bool              `json:"gone,omitempty"`     // nobody is to see it; others go on from it
	Unfinished   bool              `json:"unfinished,omitempty"`
	Body         json.RawMessage   `json:"body,omitempty"` // the response
	Input        []json.RawMessage `json:"input,omitempty"`
	Conversation []item            `json:"conversation"` // the items since Previous, this response's output included

	before []item // the conversation up to Previous; set by get, and for put in case that Previous has gone
}

// whole is the conversation up to and with the response's output.
func (s *stored) whole() []item { return slices.Concat(s.before, s.Conversation) }

// Store keeps responses: the oldest go when there are too many, they are too large together, or
// too old. Where the room is short, whoever has most of it loses his oldest. Clients that need
// more keep their own history. Its methods may be called from any goroutine.
type Store struct {
	limits StoreOptions
	now    func() time.Time
	runs   sync.WaitGroup  // responses in the background
	ctx    context.Context // of these
	end    context.CancelCauseFunc

	mu     sync.Mutex // guards what follows
	drains bool
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

// OpenStore opens a store, on disk if the options name a folder. A folder is one server's alone.
// Close ends it.
func OpenStore(o StoreOptions) (*Store, error) {
	if o.MaxAge <= 0 {
		o.MaxAge = 24 * time.Hour
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	s := &Store{limits: o, now: time.Now, kept: memory{}, byID: map[string]*node{}, items: map[itemKey]string{}, owners: map[string]*share{}}
	s.ctx, s.end = context.WithCancelCause(context.Background())
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

// enter counts a response in the background until done is called. Its context ends with the store.
func (s *Store) enter() (ctx context.Context, done func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drains {
		return nil, nil, false
	}
	s.runs.Add(1)
	return s.ctx, s.runs.Done, true
}

// Drain waits for responses in the background; no other begins. Those that are left when ctx ends
// are ended, and kept as failed. nil has none.
func (s *Store) Drain(ctx context.Context) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.drains = true
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { s.end(chat.Stopped()) })
	defer stop()
	s.runs.Wait()
}

// Close ends the store. What is in memory is lost.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.close()
}

// errTooLarge is a response that would drive all others out, and then itself.
var errTooLarge = errors.New("is more than the store may hold")

func (s *Store) put(r *stored) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.byID[r.Previous]; r.Previous != "" && (n == nil || n.owner != r.Owner) { // it went while this one was made
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
func (s *Store) index(i indexed) {
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
func (s *Store) name(i indexed) {
	for _, id := range i.items {
		s.items[itemKey{i.owner, id}] = i.id
	}
}

func itemIDs(items []item) (ids []string) {
	for _, it := range items {
		if it.ID != "" {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// item returns an item of a kept conversation of the same owner.
func (s *Store) item(id, owner string) (item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.read(s.items[itemKey{owner, id}])
	if err != nil {
		return item{}, false
	}
	i := slices.IndexFunc(r.Conversation, func(it item) bool { return it.ID == id })
	if i < 0 {
		return item{}, false
	}
	return r.Conversation[i], true
}

// get returns a response of the same owner.
func (s *Store) get(id, owner string) (*stored, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evict()
	n := s.byID[id]
	if n == nil || n.place == nil || n.owner != owner {
		return nil, false
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
		slog.Error("a stored response cannot be read", "response", id, "error", err)
		return nil, false
	}
	slices.Reverse(parts)
	r.before = slices.Concat(parts...)
	return r, true
}

func (s *Store) read(id string) (*stored, error) {
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

func (s *Store) delete(id, owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.byID[id]
	if n == nil || n.place == nil || n.owner != owner {
		return false
	}
	s.remove(n)
	return true
}

// evict removes what is too old, and the oldest of whoever has most while there is too much.
func (s *Store) evict() {
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
func (s *Store) remove(n *node) {
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
func (s *Store) strip(n *node) {
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

func (s *Store) grow(n *node, by int64) {
	n.size += by
	s.bytes += by
	s.owners[n.owner].bytes += by
}

// release ends what is gone and has nothing behind it, and then perhaps what it went on from.
func (s *Store) release(n *node) {
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

var errNotThere = errors.New("it is not there")
