package remote

import (
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenon/engine"
)

func tokensFrom(first, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(first + i)
	}
	return ids
}

func asked(ids []int32) request {
	t := turn{ids: ids}
	return request{t.load(), t.keys()}
}

func dealer(weights ...float64) *balance {
	b := &balance{}
	for _, w := range weights {
		b.upstreams = append(b.upstreams, &upstream{address: Address{Weight: w}, up: true})
	}
	return b
}

// Conversations that are new are dealt out by weight, whether their turns end or not.
func TestBalance_strangersAreSharedOutByWeight(t *testing.T) {
	for _, ends := range []bool{false, true} {
		b := dealer(1, 1, 2)
		count := map[*upstream]int{}
		for i := range 400 {
			r := asked(tokensFrom(10000*i, 1024))
			p := b.take(b.best(r, nil), r, time.Time{})
			if count[p.upstream]++; ends {
				p.leave()
			}
		}
		for i, want := range []int{100, 100, 200} {
			if n := count[b.upstreams[i]]; n < want-3 || n > want+3 {
				t.Errorf("upstream %d has %d turns of 400, want about %d (turns end: %v)", i, n, want, ends)
			}
		}
	}
}

func TestBalance_anAgentStaysWithItsPrefixUntilOthersAreMuchSooner(t *testing.T) {
	b := dealer(1, 1, 1)
	first, next := asked(tokensFrom(0, 8000)), asked(tokensFrom(0, 8200))
	home := b.best(first, nil)
	b.take(home, first, time.Time{}).leave()
	// of moving, beside the work at home
	price := moving*next.load - (next.load - 8000/chunk*chunk)
	home.outstanding = price - 1
	if b.best(next, nil) != home {
		t.Error("it left, though it would wait for less than the move costs")
	}
	home.outstanding = price + 1
	if b.best(next, nil) == home {
		t.Error("it stayed, though others are done much sooner without its prefix")
	}
	if home.up = false; b.best(next, nil) == home {
		t.Error("it stayed with an upstream that is lost")
	}
	other := turn{Turn: engine.Turn{CacheKey: "somebody else"}, ids: tokensFrom(0, 8200)}
	if e, _ := b.talks.find(other.keys()); e != nil {
		t.Error("callers share prefixes")
	}
}

// Agents with one system prompt are conversations of their own from the first turn on.
func TestBalance_oneSystemPromptIsNotOneConversation(t *testing.T) {
	b := dealer(1, 1)
	var homes [2]int
	for i := range 20 {
		r := asked(append(tokensFrom(0, 17_000), tokensFrom(100_000*(i+1), 1000)...))
		u := b.best(r, nil)
		b.take(u, r, time.Time{}).leave()
		homes[slices.Index(b.upstreams, u)]++
	}
	if homes != [2]int{10, 10} {
		t.Errorf("%v agents", homes)
	}
}

// So are those whose first questions are so short that their prompts end within one chunk.
func TestBalance_shortQuestionsToOneSystemPromptAreNotOneConversation(t *testing.T) {
	b := dealer(1, 1)
	var homes [2]int
	for i := range 20 {
		ids := append(tokensFrom(0, 17_000), tokensFrom(1_000_000*(i+1), 20)...)
		for range 5 { // steps of the agent
			r := asked(ids)
			u := b.best(r, nil)
			b.take(u, r, time.Time{}).leave()
			homes[slices.Index(b.upstreams, u)]++
			ids = append(ids, tokensFrom(int(ids[len(ids)-1])+1, 3000)...)
		}
	}
	if homes[0] < 45 || homes[0] > 55 {
		t.Errorf("%v steps of agents", homes)
	}
}

// What is remembered is bounded, in number and in time, and what is in use is the sum of it.
func TestBalance_whatIsRememberedIsBounded(t *testing.T) {
	b, r := dealer(1, 1), rand.New(rand.NewPCG(1, 2))
	now := time.Time{}
	var prompts [][]uint64
	for range mostEnds + 5000 {
		prompt := []uint64{r.Uint64(), r.Uint64()}
		if len(prompts) > 0 && r.IntN(2) == 0 {
			prompt = append(slices.Clone(prompts[r.IntN(len(prompts))]), r.Uint64())
		}
		if len(prompts) < 100 {
			prompts = append(prompts, prompt)
		} else {
			prompts[r.IntN(100)] = prompt
		}
		now = now.Add(time.Duration(r.IntN(20)) * time.Millisecond)
		b.take(b.upstreams[r.IntN(2)], request{1, prompt}, now)
	}
	sum := map[*upstream]int{}
	for e := b.talks.order.Front(); e != nil; e = e.Next() {
		sum[e.Value.(*ending).at] += e.Value.(*ending).tokens
	}
	for i, u := range b.upstreams {
		if u.inUse != sum[u] {
			t.Errorf("upstream %d: %d tokens in use, its conversations have %d", i, u.inUse, sum[u])
		}
	}
	if n := len(b.talks.known); n != mostEnds || b.talks.order.Len() != n {
		t.Errorf("%d ends, %d in order", n, b.talks.order.Len())
	}
	b.take(b.upstreams[0], request{1, []uint64{1}}, now.Add(2*idle))
	if len(b.talks.known) != 1 || b.upstreams[1].inUse != 0 || b.upstreams[0].inUse != chunk {
		t.Errorf("of yesterday %d ends are known, and %d and %d tokens in use", len(b.talks.known), b.upstreams[0].inUse, b.upstreams[1].inUse)
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
	f.hosts["lies"].body = func(*http.Request) io.Reader {
		// by turns: breaks at once, breaks inside
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
