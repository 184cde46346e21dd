package responses

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"tenon/server/chat"
)

// StoreOptions bound a store. The zero value of a field is its default.
type StoreOptions struct {
	Dir string // where responses are kept; "": in memory, until the server ends
	// PostgreSQL's URL, for several servers that share responses; Dir is "" then
	Database string
	MaxAge   time.Duration // 0: DefaultMaxAge
	MaxBytes int64         // of all responses together; 0: DefaultMaxBytes
}

// What a store keeps where nothing else is said.
const (
	DefaultMaxAge   = 24 * time.Hour
	DefaultMaxBytes = 64 << 20
)

// maxStored bounds the index of a server's own store, which is in memory, and the table of a
// shared one.
const maxStored = 100_000

// stored is a response and what it takes to go on from it. Responses that go on from one another
// share what they have in common: each holds its own items and the response before.
type stored struct {
	ID string `json:"id"`
	// the API key it was made with; nobody else sees it
	Owner string    `json:"owner"`
	At    time.Time `json:"at"`
	// the response that it goes on from
	Previous string `json:"previous,omitempty"`
	// nobody is to see it; others go on from it
	Gone       bool              `json:"gone,omitempty"`
	Unfinished bool              `json:"unfinished,omitempty"`
	Body       json.RawMessage   `json:"body,omitempty"` // the response
	Input      []json.RawMessage `json:"input,omitempty"`
	// the items since Previous, this response's output included
	Conversation []item `json:"conversation"`

	// the body for other servers while this one makes the response
	Running json.RawMessage `json:"-"`
	// the conversation up to Previous; set by get, and for put in case that Previous has gone
	before []item
}

// itemOf returns an item of the response's own part of the conversation.
func (s *stored) itemOf(id string) (item, error) {
	i := slices.IndexFunc(s.Conversation, func(it item) bool { return it.ID == id })
	if i < 0 {
		return item{}, errNotThere
	}
	return s.Conversation[i], nil
}

// whole is the conversation up to and with the response's output.
func (s *stored) whole() []item { return slices.Concat(s.before, s.Conversation) }

// Store keeps responses: the oldest go when there are too many, they are too large together, or
// too old. Where the room is short, whoever has most of it loses his oldest. Clients that need
// more keep their own history. Its methods may be called from any goroutine.
type Store struct {
	keeper
	runs sync.WaitGroup  // responses in the background
	ctx  context.Context // of these
	end  context.CancelCauseFunc

	mu     sync.Mutex // guards drains
	drains bool
}

// keeper keeps responses for their owners. local and postgres implement it. An error other than
// errNotThere and errTooLarge means that it cannot tell or do what it was asked for.
type keeper interface {
	put(r *stored) error
	get(ctx context.Context, id, owner string) (*stored, error)
	item(ctx context.Context, id, owner string) (item, error) // of a kept conversation
	delete(ctx context.Context, id, owner string) error
	Close() error // what is in memory is lost
}

// sharer is a keeper that several servers use: one can ask what another makes. postgres is.
type sharer interface {
	hold(ctx context.Context, id string, now func() []byte, end func(error))
	cancel(ctx context.Context, id, owner string) error
}

var (
	errNotThere = errors.New("it is not there")
	// it would drive all others out, and then itself
	errTooLarge = errors.New("is more than the store may hold")
)

// OpenStore opens a store: on disk if the options name a folder, which is one server's alone, in
// PostgreSQL if they name a database.
// Close ends it.
func OpenStore(o StoreOptions) (*Store, error) {
	if o.MaxAge <= 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	var kept keeper
	var err error
	switch {
	case o.Database != "" && o.Dir != "":
		err = errors.New("responses are kept in a folder or in a database, not in both")
	case o.Database != "":
		kept, err = openPostgres(o)
	default:
		kept, err = openLocal(o)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{keeper: kept}
	s.ctx, s.end = context.WithCancelCause(context.Background())
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

// hold tells other servers how far a response is that this one makes, until ctx ends, and has it
// ended where they ask for that.
func (s *Store) hold(ctx context.Context, id string, now func() []byte, end func(error)) {
	if shared, ok := s.keeper.(sharer); ok {
		shared.hold(ctx, id, now, end)
	}
}

// cancel has another server end a response that it makes.
func (s *Store) cancel(ctx context.Context, id, owner string) error {
	if shared, ok := s.keeper.(sharer); ok {
		return shared.cancel(ctx, id, owner)
	}
	return nil
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

// unreadable is how a record that is damaged is told of: in the log. To its owner it is not there.
func unreadable(id string, err error) error {
	slog.Error("a stored response cannot be read", "response", id, "error", err)
	return errNotThere
}

func itemIDs(items []item) (ids []string) {
	for _, it := range items {
		if it.ID != "" {
			ids = append(ids, it.ID)
		}
	}
	return ids
}
