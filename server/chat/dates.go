package chat

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"tenon/server/chat/owned"
	"tenon/templates"
)

// dates freezes the date of each conversation, so that a prompt that names the day does not change
// at midnight while the conversation grows. A caller who begins many conversations drives out none
// of another's. The zero value is ready; its methods may be called from any goroutine.
type dates struct {
	mu    sync.Mutex // guards what follows
	known *owned.Table[[sha256.Size]byte, *frozen]
}

// frozen is a conversation's date and when it was last asked for.
type frozen struct{ date, used time.Time }

const (
	frozenConversations = 4096
	// A conversation keeps its date until it has been idle, or has lasted, for so long. One
	// that begins like it then counts as new.
	frozenIdle = 2 * time.Hour
	frozenAge  = 24 * time.Hour
)

// of returns the time at which the conversation was first seen, as the value for Conversation.Now.
// A conversation is known by its caller and its messages up to the user's first one: nobody learns
// from the date when somebody else began.
func (d *dates) of(caller string, c templates.Conversation, now time.Time) time.Time {
	id := beginning(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = owned.New[[sha256.Size]byte, *frozen](owned.Size{Entries: frozenConversations})
	}
	if f, ok := d.known.Get(caller, id); ok && now.Sub(f.used) < frozenIdle && now.Sub(f.date) < frozenAge {
		f.used = now
		return f.date
	}
	d.known.Put(caller, id, &frozen{now, now}, 0)
	return now
}

// beginning identifies a conversation by what does not change while it grows.
func beginning(c templates.Conversation) (id [sha256.Size]byte) {
	h := sha256.New()
	for _, m := range c.Messages {
		text := m.Content()
		// a hash takes everything
		_, _ = fmt.Fprintf(h, "%q %d %s ", m.Role, len(text), text)
		if m.Role == templates.User {
			break
		}
	}
	h.Sum(id[:0])
	return id
}
