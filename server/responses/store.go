package responses

import (
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// StoreOptions bound a store. The zero value of a field is its default.
type StoreOptions struct {
	Dir      string        // where responses are kept; "": in memory, until the server ends
	MaxAge   time.Duration // default 24 h
	MaxBytes int64         // of all responses together; default 64 MiB
}

// maxStored bounds the index, which is in memory.
const maxStored = 100_000

// stored is a response and what it takes to go on from it.
type stored struct {
	ID           string            `json:"id"`
	Owner        string            `json:"owner"` // the API key it was made with; nobody else sees it
	At           time.Time         `json:"at"`
	Body         json.RawMessage   `json:"body"` // the response
	Input        []json.RawMessage `json:"input"`
	Conversation []item            `json:"conversation"` // all items up to and with this response's output
}

// Store keeps responses: the oldest go when there are too many, they are too large together, or too old. Clients that need
// more keep their own history. Its methods may be called from any goroutine.
type Store struct {
	limits StoreOptions
	now    func() time.Time

	mu    sync.Mutex // guards what follows
	kept  archive
	byID  map[string]*list.Element
	items map[itemKey]string // the latest response that holds an item
	order *list.List         // of indexed, oldest first
	bytes int64
}

// itemKey is an item by its id, which clients may choose.
type itemKey struct{ owner, id string }

// archive holds encoded responses by id. memory and diskArchive implement it.
type archive interface {
	put(id string, encoded []byte) error
	get(id string) ([]byte, error)
	delete(id string) error
	close() error
}

// indexed is what is known of a response without reading it.
type indexed struct {
	id, owner string
	at        time.Time
	size      int64
	items     []string // the ids of what its conversation holds
}

// OpenStore opens a store, on disk if the options name a folder. A folder is one server's alone. Close ends it.
func OpenStore(o StoreOptions) (*Store, error) {
	if o.MaxAge <= 0 {
		o.MaxAge = 24 * time.Hour
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	s := &Store{limits: o, now: time.Now, kept: memory{}, byID: map[string]*list.Element{}, items: map[itemKey]string{}, order: list.New()}
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
	s.evict()
	return s, nil
}

// Close ends the store. What is in memory is lost.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.close()
}

func (s *Store) put(r *stored) error {
	r.At = s.now()
	encoded, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode response %s: %w", r.ID, err)
	}
	if int64(len(encoded)) > s.limits.MaxBytes { // it would drive all others out, and then itself
		return fmt.Errorf("keep response %s: its %d bytes are more than the store may hold", r.ID, len(encoded))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kept.put(r.ID, encoded); err != nil {
		return fmt.Errorf("keep response %s: %w", r.ID, err)
	}
	s.index(indexed{r.ID, r.Owner, r.At, int64(len(encoded)), itemIDs(r.Conversation)})
	s.evict()
	return nil
}

func (s *Store) index(i indexed) {
	s.byID[i.id] = s.order.PushBack(i)
	s.bytes += i.size
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
	response, ok := s.items[itemKey{owner, id}]
	s.mu.Unlock()
	if !ok {
		return item{}, false
	}
	r, ok := s.get(response, owner)
	if !ok {
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
	e, ok := s.byID[id]
	if !ok || e.Value.(indexed).owner != owner {
		return nil, false
	}
	encoded, err := s.kept.get(id)
	var r stored
	if err = errors.Join(err, json.Unmarshal(encoded, &r)); err != nil {
		slog.Error("a stored response cannot be read", "response", id, "error", err)
		return nil, false
	}
	return &r, true
}

func (s *Store) delete(id, owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byID[id]
	if !ok || e.Value.(indexed).owner != owner {
		return false
	}
	s.remove(e)
	return true
}

func (s *Store) evict() {
	for e := s.order.Front(); e != nil; e = s.order.Front() {
		old := s.now().Sub(e.Value.(indexed).at) > s.limits.MaxAge
		if !old && s.order.Len() <= maxStored && s.bytes <= s.limits.MaxBytes {
			return
		}
		s.remove(e)
	}
}

func (s *Store) remove(e *list.Element) {
	i := s.order.Remove(e).(indexed)
	delete(s.byID, i.id)
	s.bytes -= i.size
	for _, id := range i.items {
		if key := (itemKey{i.owner, id}); s.items[key] == i.id {
			delete(s.items, key)
		}
	}
	if err := s.kept.delete(i.id); err != nil {
		slog.Error("a stored response cannot be deleted", "response", i.id, "error", err)
	}
}

// memory is an archive that ends with the process.
type memory map[string][]byte

func (m memory) put(id string, encoded []byte) error { m[id] = encoded; return nil }
func (m memory) get(id string) ([]byte, error)       { return m[id], nil }
func (m memory) delete(id string) error              { delete(m, id); return nil }
func (m memory) close() error                        { return nil }
