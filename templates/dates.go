package templates

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
	"time"
)

// Dates freezes the date of each conversation, so that a prompt that names the day does not change
// at midnight while the conversation grows. The zero value is ready; its methods may be called
// from any goroutine.
type Dates struct {
	mu    sync.Mutex // protects known
	known map[[sha256.Size]byte]*frozen
}

// frozen is a conversation's date and when it was last asked for.
type frozen struct{ date, used time.Time }

const (
	frozenConversations = 4096
	// A conversation that begins like one that was left, or that began long ago, is another one.
	frozenIdle = 2 * time.Hour
	frozenAge  = 24 * time.Hour
)

// Of returns the time at which the conversation was first seen, as the value for Conversation.Now.
// A conversation is known by its messages up to the user's first one and by key, which says who
// asks (an API key): nobody learns from the date when somebody else began.
func (d *Dates) Of(key string, c Conversation, now time.Time) time.Time {
	id := beginning(key, c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.known[id]; f != nil && now.Sub(f.used) < frozenIdle && now.Sub(f.date) < frozenAge {
		f.used = now
		return f.date
	}
	if d.known == nil {
		d.known = map[[sha256.Size]byte]*frozen{}
	}
	if len(d.known) >= frozenConversations {
		d.evict(now)
	}
	d.known[id] = &frozen{now, now}
	return now
}

// evict drops what is idle, and where nothing is, everything: that costs a prompt's beginning,
// nothing more.
func (d *Dates) evict(now time.Time) {
	for id, f := range d.known {
		if now.Sub(f.used) >= frozenIdle {
			delete(d.known, id)
		}
	}
	if len(d.known) >= frozenConversations {
		clear(d.known)
	}
}

// beginning identifies a conversation by what does not change while it grows.
func beginning(key string, c Conversation) (id [sha256.Size]byte) {
	h := sha256.New()
	writeText(h, key)
	for _, m := range c.Messages {
		writeText(h, string(m.Role))
		writeText(h, m.Content())
		if m.Role == User {
			break
		}
	}
	h.Sum(id[:0])
	return id
}

// writeText hashes a text behind its length, so that no two lists of texts hash alike.
func writeText(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	_, _ = h.Write(n[:])
	_, _ = h.Write([]byte(s))
}
