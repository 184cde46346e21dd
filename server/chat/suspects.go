package chat

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"
)

// suspects remembers the turns that were running when a worker died, by what they ask for. One
// that was there twice may be why: it is refused for a while, so that a client which sends it
// again and again cannot take the model from all others. A turn that comes to its end is none. The
// zero value is ready; its methods may be called from any goroutine.
type suspects struct {
	mu   sync.Mutex // guards what follows
	seen map[[sha256.Size]byte]suspect
}

type suspect struct {
	deaths int
	last   time.Time
}

const (
	mostDeaths   = 2
	suspectFor   = 10 * time.Minute
	mostSuspects = 1024
)

// key tells turns apart by the model, the prompt and the grammar.
func (p planned) key(model string) [sha256.Size]byte {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q ", model, p.turn.Grammar) // a hash takes everything
	for _, piece := range p.turn.Prompt {
		_, _ = fmt.Fprintf(h, "%d %d %s %v ", piece.Origin, len(piece.Text), piece.Text, piece.Tokens)
	}
	var key [sha256.Size]byte
	h.Sum(key[:0])
	return key
}

// refuse is the error of a turn that is not to run now, or nil.
func (s *suspects) refuse(key [sha256.Size]byte, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := suspectFor - now.Sub(s.seen[key].last)
	if s.seen[key].deaths < mostDeaths || rest <= 0 {
		return nil
	}
	return &Error{Kind: Unavailable, RetryAfter: rest, Message: fmt.Sprintf(
		"the model's process has ended %d times while this request ran; it is not tried again for %s", mostDeaths, rest.Round(time.Second))}
}

// ended takes down how a turn ended.
func (s *suspects) ended(key [sha256.Size]byte, died bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !died {
		delete(s.seen, key)
		return
	}
	if s.seen == nil {
		s.seen = map[[sha256.Size]byte]suspect{}
	}
	for k, old := range s.seen {
		if now.Sub(old.last) > suspectFor || len(s.seen) >= mostSuspects {
			delete(s.seen, k)
		}
	}
	s.seen[key] = suspect{deaths: s.seen[key].deaths + 1, last: now}
}
