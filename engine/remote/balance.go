package remote

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"slices"
	"time"

	"tenon/engine"
)

// How turns are dealt out: an agent stays where its prefix is cached, until another upstream would
// be done much sooner without it. Agents that are new go where the least is going on.

const (
	answerSize = 512 // tokens that an answer without a limit is taken to have
	// a token of an answer takes as long as so many of a prompt, which is read in batches
	answerWeight = 8
)

// stale is how long an upstream counts as seen: one that was started again takes longer to load.
const stale = time.Second

var seed = maphash.MakeSeed()

// keys name the beginnings of a prompt, each longer by a chunk. Callers that share nothing have
// keys of their own.
func (t turn) keys() (all []uint64) {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(t.CacheKey + "\x00") // it takes everything
	if t.ids == nil {
		text := t.Prompt.String()
		for at := 0; at+4*chunk <= len(text); at += 4 * chunk {
			_, _ = h.WriteString(text[at : at+4*chunk])
			all = append(all, h.Sum64())
		}
		return all
	}
	for i, id := range t.ids {
		_, _ = h.Write([]byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)})
		if (i+1)%chunk == 0 {
			all = append(all, h.Sum64())
		}
	}
	return all
}

// load is what a turn adds to an upstream's work, in tokens of a prompt, as far as is known
// before.
func (t turn) load() int {
	answer := answerSize
	if t.Budget.Tokens > 0 {
		answer = min(t.Budget.Tokens, answerSize)
	}
	return t.size() + answerWeight*answer
}

// moving is the weight of tokens that a conversation would have another upstream read again. They
// count more than once: they hold up the turns there, and push other prompts out of its cache.
// BALANCE.md has its figures.
const moving = 2

// request is what a turn asks of an upstream, as far as that is known before.
type request struct {
	load int      // tokens to compute where nothing of it is cached
	keys []uint64 // of the prompt's beginnings
}

// balance deals turns out to upstreams.
type balance struct {
	upstreams []*upstream
	talks     conversations
}

// best is the upstream where a turn costs least, of those that are up; nil: none is. not is passed
// over. A conversation stays where it is, unless another upstream is done with it sooner by more
// than the move costs. A new conversation goes where the least is running and the fewest tokens
// are in use: other conversations will come back to those.
func (b *balance) best(r request, not *upstream) (chosen *upstream) {
	before, read := b.talks.find(r.keys)
	able := func(u *upstream) bool { return u.up && u != not }
	settled := before != nil && able(before.at) && slices.Contains(b.upstreams, before.at)
	least := math.Inf(1)
	for _, u := range b.upstreams {
		if !able(u) {
			continue
		}
		cost := u.outstanding
		switch {
		case !settled:
			cost += r.load + u.inUse
		case u == before.at:
			cost += max(r.load-read, 1)
		default:
			cost += moving * r.load
		}
		if by := float64(cost) / u.address.Weight; by < least {
			chosen, least = u, by
		}
	}
	return chosen
}

// place is where a turn runs, and how many tokens it computes there: what the upstream has read
// before costs nothing.
type place struct {
	*upstream
	load int
}

// take counts a turn on an upstream.
func (b *balance) take(u *upstream, r request, now time.Time) place {
	if before, read := b.talks.find(r.keys); before != nil && before.at == u {
		r.load = max(r.load-read, 1)
	}
	b.talks.add(r.keys, u, now)
	u.outstanding += r.load
	u.running++
	return place{u, r.load}
}

// leave counts it off.
func (p place) leave() {
	p.outstanding -= p.load
	p.running--
}

// choose finds an upstream for a turn and counts the turn there.
func (e *Engine) choose(ctx context.Context, t turn, not *upstream) (p place, err error) {
	r := request{t.load(), t.keys()}
	err = e.find(ctx, not, func() *upstream { return e.best(r, not) }, func(u *upstream) {
		e.stats.Running++
		p = e.take(u, r, time.Now())
	})
	return p, err
}

// another tells whether there is an upstream beside one.
func (e *Engine) another(u *upstream) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.best(request{}, u) != nil
}

// done counts a turn off, and what became of it.
func (e *Engine) done(p place, err error) {
	e.mu.Lock()
	p.leave()
	e.stats.Running--
	if err == nil {
		p.verified = time.Now()
		p.failures.Worked()
	}
	e.mu.Unlock()
	if errors.Is(err, errLost) {
		e.lost(p.upstream, err)
	}
}

// count adds a turn to the engine's figures.
func (e *Engine) count(u engine.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stats.Evaluated += int64(u.Prompt - u.Cached + u.Generated)
	e.stats.Cached += int64(u.Cached)
	e.stats.Generated += int64(u.Generated)
}
