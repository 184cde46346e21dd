package remote

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tenon/engine"
)

func tokensFrom(first, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(first + i)
	}
	return ids
}

// deal gives turns to upstreams, none of which ends one, and counts.
func deal(all []*upstream, turns []turn) map[*upstream]int {
	count := map[*upstream]int{}
	for _, t := range turns {
		u := best(all, t, t.keys(), nil)
		u.outstanding += t.load()
		u.seen.add(t.keys())
		count[u]++
	}
	return count
}

func ups(weights ...float64) (all []*upstream) {
	for _, w := range weights {
		all = append(all, &upstream{address: Address{Weight: w}, up: true})
	}
	return all
}

func TestBalance_strangersAreSharedOutByWeight(t *testing.T) {
	all := ups(1, 1, 2)
	var turns []turn
	for i := range 400 {
		turns = append(turns, turn{ids: tokensFrom(10000*i, 1000)})
	}
	count := deal(all, turns)
	for i, want := range []int{100, 100, 200} {
		if n := count[all[i]]; n < want-3 || n > want+3 {
			t.Errorf("upstream %d has %d turns of 400, want about %d", i, n, want)
		}
	}
}

func TestBalance_anAgentStaysWithItsPrefixUntilOthersAreSooner(t *testing.T) {
	all := ups(1, 1, 1)
	first := turn{ids: tokensFrom(0, 8000)}
	home := best(all, first, first.keys(), nil)
	home.seen.add(first.keys())
	next := turn{ids: tokensFrom(0, 8200)}
	home.outstanding = 7000
	if got := best(all, next, next.keys(), nil); got != home {
		t.Error("it left, though it would wait for less than it would compute")
	}
	home.outstanding = 9000
	if got := best(all, next, next.keys(), nil); got == home {
		t.Error("it stayed, though others are done sooner without its prefix")
	}
	other := turn{Turn: engine.Turn{CacheKey: "somebody else"}, ids: next.ids}
	if home.seen.matched(other.keys()) != 0 {
		t.Error("callers share prefixes")
	}
}

func TestBalance_whatIsRememberedIsBounded(t *testing.T) {
	var p prefixes
	for range 3 * mostPrefixes {
		p.add([]uint64{rand.Uint64()})
	}
	if len(p.known) != mostPrefixes || len(p.order) != mostPrefixes {
		t.Errorf("%d and %d chunks", len(p.known), len(p.order))
	}
}

// Of three upstreams one is killed, one is busy and one lies; nothing is lost but what had begun,
// and each turn is sent twice at most.
func TestBalance_nothingIsLostButWhatHadBegun(t *testing.T) {
	whole, begun := transcript(t, "llama/whole.txt"), transcript(t, "llama/unfinished.txt")
	f := newFar("good", "busy", "lies")
	f.hosts["good"].body = says(whole)
	f.hosts["busy"].status = http.StatusTooManyRequests
	n := 0
	f.hosts["lies"].body = func(*http.Request) io.Reader { // by turns: breaks at once, breaks inside
		if n++; n%2 == 0 {
			return strings.NewReader(begun)
		}
		return strings.NewReader("nonsense\n\n")
	}
	e := connectTo(t, f, "http://good", "http://busy", "http://lies")
	const turns = 60
	var wait sync.WaitGroup
	var mu sync.Mutex
	whole1, inside, refused := 0, 0, 0
	for range turns {
		wait.Go(func() {
			got := ask(t, e, plain())
			mu.Lock()
			defer mu.Unlock()
			switch {
			case got.err == nil && got.text == "Grüß Gott":
				whole1++
			case got.text == "Grüß":
				inside++
			case got.text == "":
				refused++ // two in a row could not
			default:
				t.Errorf("%q, %v", got.text, got.err)
			}
		})
	}
	wait.Wait()
	if sent := len(f.turns()); whole1+inside+refused != turns || sent > 2*turns || whole1 == 0 {
		t.Errorf("%d whole, %d broken off, %d not served, %d sent", whole1, inside, refused, sent)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.upstreams {
		if u.outstanding != 0 || u.running != 0 {
			t.Errorf("%s has %d tokens and %d turns left", u.client.base.Host, u.outstanding, u.running)
		}
	}
}
