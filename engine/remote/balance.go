package remote

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"tenon/engine"
)

// How turns are dealt out: to the upstream that has the least to compute before it comes to them,
// what it has in its cache left out. So an agent stays where its prefix is, until another upstream
// would be done sooner without it.

const (
	chunk        = 256  // tokens of a prompt that are remembered together
	mostPrefixes = 4096 // chunks remembered of an upstream: a million tokens
	answerSize   = 512  // tokens that an answer without a limit is taken to have
)

// stale is how long an upstream counts as seen: one that was started again takes longer to load.
const stale = time.Second

// prefixes are the beginnings of prompts that an upstream has read, the latest ones.
type prefixes struct {
	known map[uint64]bool
	order []uint64
}

func (p *prefixes) add(keys []uint64) {
	if p.known == nil {
		p.known = map[uint64]bool{}
	}
	for _, k := range keys {
		if p.known[k] {
			continue
		}
		if p.known[k], p.order = true, append(p.order, k); len(p.order) > mostPrefixes {
			delete(p.known, p.order[0])
			p.order = p.order[1:]
		}
	}
}

// matched is how many tokens of a prompt an upstream has read before.
func (p *prefixes) matched(keys []uint64) int {
	for i := len(keys); i > 0; i-- {
		if p.known[keys[i-1]] {
			return i * chunk
		}
	}
	return 0
}

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

// load is what a turn adds to an upstream's work, in tokens, as far as is known before.
func (t turn) load() int {
	if t.Budget.Tokens > 0 {
		return t.size() + min(t.Budget.Tokens, answerSize)
	}
	return t.size() + answerSize
}

// cost of a turn on an upstream: how much is computed there until it is done, by weight.
func (u *upstream) cost(t turn, keys []uint64) float64 {
	return float64(u.outstanding+max(t.load()-u.seen.matched(keys), 1)) / u.address.Weight
}

// best is the upstream that is up and costs least; nil: none is up. not is passed over.
func best(all []*upstream, t turn, keys []uint64, not *upstream) (chosen *upstream) {
	for _, u := range all {
		if u.up && u != not && (chosen == nil || u.cost(t, keys) < chosen.cost(t, keys)) {
			chosen = u
		}
	}
	return chosen
}

// choose finds an upstream for a turn and counts the turn there. Where none is up those that are
// lost are asked once.
func (e *Engine) choose(ctx context.Context, t turn, not *upstream) (*upstream, error) {
	keys := t.keys()
	for asked := false; ; {
		e.mu.Lock()
		u := best(e.upstreams, t, keys, not)
		if u == nil {
			e.mu.Unlock()
			if asked {
				return nil, fmt.Errorf("%w: none that serves %s is there", errLost, e.options.Name)
			}
			asked = true
			e.rouse(not)
			continue
		}
		fresh := time.Since(u.verified) < stale
		if fresh {
			u.outstanding += t.load()
			u.running++
			e.stats.Running++
			u.seen.add(keys)
		}
		e.mu.Unlock()
		if fresh {
			return u, nil
		}
		if e.verify(ctx, u); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// another tells whether there is an upstream beside one.
func (e *Engine) another(u *upstream) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return best(e.upstreams, turn{}, nil, u) != nil
}

// done counts a turn off, and what became of it.
func (e *Engine) done(u *upstream, t turn, err error) {
	e.mu.Lock()
	u.outstanding -= t.load()
	u.running--
	e.stats.Running--
	if err == nil {
		u.verified = time.Now()
		u.failures.Worked()
	}
	e.mu.Unlock()
	if errors.Is(err, errLost) {
		e.lost(u, err)
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
