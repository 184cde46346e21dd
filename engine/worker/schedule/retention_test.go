package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The simulator plays agents that share host memory. Its sessions are those that TraceLab reports,
// with all lengths divided by a hundred: sessions of 84 steps, each with 154,000 tokens in and 520
// out, 95.8 % of the input read before (TraceLab, arXiv 2606.30560).
const (
	steps      = 84
	systemSize = 200 // what all agents of a client begin with
	newTokens  = 60  // of a step, beside its answer
	answerSize = 5
	compactAt  = 2400 // where a session is told in short and goes on from there
	compacted  = 600
)

// world makes tokens that nobody else has, and writes down what its sessions ask.
type world struct {
	rng   *rand.Rand
	next  int32
	base  []int32
	turns []turn
}

// turn is a prompt, and what is there when it is answered.
type turn struct {
	prompt, all []int32
	of          *session
	last        bool // of its session
}

// session is one agent's.
type session struct {
	tokens []int32
	left   int // steps
	back   int // it is away until so many turns have begun
}

func (w *world) fresh(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		w.next++
		out[i] = w.next
	}
	return out
}

// begin is a session that begins with a text that others have, too.
func (w *world) begin(steps int, shared []int32) *session {
	return &session{tokens: append(slices.Clone(shared), w.fresh(40)...), left: steps}
}

// ask has a session take a turn. Its prompt has so many new tokens.
func (w *world) ask(s *session, fresh int) {
	prompt := append(s.tokens, w.fresh(fresh)...)
	s.left--
	s.tokens = append(slices.Clone(prompt), w.fresh(answerSize)...)
	w.turns = append(w.turns, turn{prompt: prompt, all: slices.Clone(s.tokens), of: s, last: s.left <= 0})
}

// step is an agent's next turn.
func (w *world) step(s *session) {
	if len(s.tokens) > compactAt {
		s.tokens = append(slices.Clone(s.tokens[:systemSize]), w.fresh(compacted-systemSize)...)
	}
	w.ask(s, newTokens/2+w.rng.IntN(newTokens))
}

// scenario is who works at once.
type scenario struct {
	name   string
	agents int
	sub    bool // each seventh step has a helper's session of eight steps beside it
	once   bool // and each third a question that nobody comes back to, such as for a title
	uneven bool // the first half of the agents takes four times as many steps
	again  int  // sessions that each agent begins when one has ended
	fan    bool // each twentieth step has four helpers, who begin with what the agent has
	away   bool // now and then one stays away for a hundred steps
	served int  // each second step has a question on a system prompt of so many tokens
	short  bool // sessions have 2 to 21 steps
}

var scenarios = []scenario{
	{name: "six agents that share a beginning", agents: 6},
	{name: "six, with helpers and single questions", agents: 6, sub: true, once: true},
	{name: "six, of which three seldom come", agents: 6, uneven: true, once: true},
	{name: "six, each with two sessions", agents: 6, again: 1, once: true},
	{name: "three, whose helpers fan out", agents: 3, fan: true},
	{name: "six that stay away for an hour", agents: 6, away: true},
	{name: "the same, and single questions", agents: 6, away: true, once: true},
	{name: "four beside a service of documents", agents: 4, served: 400},
	{name: "twelve in short conversations", agents: 12, short: true, again: 5},
}

// play is what the agents of a scenario ask, in turn.
func (sc scenario) play(seed uint64) []turn {
	w := &world{rng: rand.New(rand.NewPCG(seed, 2))}
	w.base = w.fresh(systemSize)
	served := w.fresh(sc.served)
	begin := func() *session {
		if sc.short {
			return w.begin(2+w.rng.IntN(20), w.base)
		}
		return w.begin(steps, w.base)
	}
	again := sc.again * sc.agents
	agents := make([]*session, sc.agents)
	for i := range agents {
		agents[i] = begin()
	}
	for n := 0; len(agents) > 0; n++ {
		i := w.rng.IntN(len(agents))
		if sc.uneven && i >= (len(agents)+1)/2 && w.rng.IntN(4) > 0 {
			i -= len(agents) / 2
		}
		a := agents[i]
		if a.back > n {
			continue
		}
		if sc.away && w.rng.IntN(25) == 0 {
			a.back = n + 100
		}
		w.step(a)
		w.beside(sc, n, a, served)
		if a.left == 0 && again > 0 {
			again--
			agents[i] = begin()
		} else if a.left == 0 {
			agents = slices.Delete(agents, i, i+1)
		}
	}
	return w.turns
}

// beside is what others ask between an agent's step, the nth, and the next.
func (w *world) beside(sc scenario, n int, a *session, served []int32) {
	if sc.sub && n%7 == 6 {
		w.helpers(w.begin(8, w.base))
	}
	if sc.fan && n%20 == 19 {
		var all [4]*session
		for i := range all {
			all[i] = w.begin(8, a.tokens[:min(len(a.tokens), systemSize+100)])
		}
		w.helpers(all[:]...)
	}
	if sc.once && n%3 == 2 {
		w.ask(&session{}, 700)
	}
	if sc.served > 0 && n%2 == 1 {
		w.ask(&session{tokens: slices.Clone(served)}, 50+w.rng.IntN(250))
	}
}

// helpers work until all have ended.
func (w *world) helpers(all ...*session) {
	for len(all) > 0 {
		i := w.rng.IntN(len(all))
		if w.step(all[i]); all[i].left == 0 {
			all = slices.Delete(all, i, i+1)
		}
	}
}

// policy changes what a store knows of its copies, after each turn.
type policy func(s *Store, t turn)

func weighed(*Store, turn) {}

// recent has all copies age alike.
func recent(s *Store, _ turn) {
	for _, c := range s.copies {
		c.again = true
	}
}

// byKey knows which session each turn is of, by a key that its client sends, and with over set,
// which turn is a session's last, which no client tells. What a session has left behind (it was
// told in short, or is over) goes first.
func byKey(over bool) policy {
	left, own, owner := map[*Copy]bool{}, map[*session][]*Copy{}, map[*Copy]*session{}
	return func(s *Store, t turn) {
		leave := func(chain []*Copy) {
			for _, c := range chain {
				left[c] = owner[c] == t.of
			}
		}
		leave(own[t.of])
		chain, _ := s.Chain("", t.all, 0)
		for _, c := range chain {
			if first, known := owner[c]; !known {
				owner[c] = t.of
			} else if first != t.of {
				owner[c] = nil // several have it
			}
			left[c] = false
		}
		own[t.of] = chain
		if over && t.last {
			leave(chain)
		}
		for _, c := range s.copies {
			if left[c] {
				c.used, c.again = 0, false
			}
		}
	}
}

// hits is the share of all prompts that is found in a store of so many bytes, in percent.
func hits(turns []turn, limit int, after policy) float64 {
	s := NewStore(limit)
	in, hit := 0, 0
	for _, t := range turns { // what the runner does for a turn
		known := t.prompt[:len(t.prompt)-1]
		in += len(t.prompt)
		have := s.Use("", known, 0)
		hit += have
		start := s.Covered("", t.all, have)
		s.Add(&Copy{Tokens: t.all, Start: start, Data: bytes(len(t.all) - start)})
		after(s, t)
	}
	return 100 * float64(hit) / float64(in)
}

// mean is the hits with memory for so many of the longest conversations.
func mean(played [][]turn, conversations int, of func() policy) float64 {
	sum := 0.0
	for _, turns := range played {
		sum += hits(turns, conversations*compactAt, of())
	}
	return sum / float64(len(played))
}

// played is a scenario, several times.
func (sc scenario) played(times int) [][]turn {
	all := make([][]turn, times)
	for i := range all {
		all[i] = sc.play(uint64(i))
	}
	return all
}

// Hits in percent by memory, in longest conversations that it holds: where all copies age alike,
// of a chain its end first (least recently used), and what the store's ages add. Each is the mean
// of three games; eight others, and memory for five and eight, give no loss above 0.2 either.
//
//	                                             2           3           4           6
//	six agents that share a beginning        59.7  0.0   78.9  0.0   90.1  0.0   95.0  0.0
//	six, with helpers and single questions   53.8 -0.1   64.4 +0.5   72.0 +1.5   81.0 +1.0
//	six, of which three seldom come          66.6 +1.4   76.7 +1.9   79.9 +0.3   80.9 +0.5
//	six, each with two sessions              41.2 +0.5   56.5 +2.6   68.7 +3.4   79.9 +1.3
//	three, whose helpers fan out             85.7 -0.1   92.0  0.0   92.9  0.0   92.9  0.0
//	six that stay away for an hour           75.0 -0.2   89.5 -0.2   93.0  0.0   95.0  0.0
//	the same, and single questions           55.7 +1.2   70.8 +1.6   76.4 +1.5   79.5 +0.8
//	four beside a service of documents       66.1  0.0   85.0 +1.0   90.5  0.0   90.6  0.0
//	twelve in short conversations            70.9 -0.1   85.4 -0.2   90.4  0.0   91.2  0.0
//
// Tried and not kept, with the most that each lost and gained in such scenarios:
//
//	what was used once first, beyond a quarter of the memory (segmented)      -5.4  +3.0
//	what was used once ages four times as fast, whatever comes                -1.7  +5.3
//	the more often used, the slower it ages, by up to four                    -3.7  +3.9
//	cost of a byte times uses (GreedyDual-Size-Frequency)                     -2.6  +4.2
//	as it is, but what was given up too early does not count as used again    -0.6  +3.5
//	as it is, and what goes on from what was used again counts as that        -0.2  +4.8
//
// The last is a point better where there are helpers, for one more rule and one more number: from
// which share of a prompt on it is one that goes on.
func TestRetention_hitsByMemory(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			played, line, gain := sc.played(3), "", 0.0
			for _, n := range []int{2, 3, 4, 6} {
				before, now := mean(played, n, func() policy { return recent }), mean(played, n, func() policy { return weighed })
				line += fmt.Sprintf("  %d: %.1f %+.1f", n, before, now-before)
				if now < before-0.5 {
					t.Errorf("with memory for %d: %.1f %% are found, %.1f if all age alike", n, now, before)
				}
				if sc.name == scenarios[0].name && n == 4 && now < 90 {
					t.Errorf("six agents with memory for four find %.1f %% of their input", now)
				}
				gain = max(gain, now-before)
			}
			t.Log(line)
			if sc.once && gain < 1 {
				t.Errorf("single questions cost as much as if all aged alike: %s", line)
			}
		})
	}
}

// What a client says of its sessions (prompt_cache_key, session headers) gains little over what
// the tokens tell: with memory for four, 1.6 points where each agent has two sessions, 1.4 at most
// elsewhere. To be told of a session's end would gain up to 7.5 where there are helpers and
// single questions; but no client tells it.
func TestRetention_keysOfSessionsGainLittle(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			played := sc.played(3)
			none := mean(played, 4, func() policy { return weighed })
			keys := mean(played, 4, func() policy { return byKey(false) }) - none
			told := mean(played, 4, func() policy { return byKey(true) }) - none
			t.Logf("%.1f %%, with keys %+.1f, told of the end %+.1f", none, keys, told)
			if keys > 2 {
				t.Errorf("keys gain %.1f points", keys)
			}
		})
	}
}

// A look-up among as many copies as six sessions have, of the length that is reported.
func BenchmarkStore_lookUp(b *testing.B) {
	w := &world{}
	s := NewStore(1 << 40)
	base := w.fresh(100 * systemSize)
	var prompts [6][]int32
	for i := range prompts {
		prompts[i] = slices.Clone(base)
		for range steps {
			start := len(prompts[i])
			prompts[i] = append(prompts[i], w.fresh(2500)...)
			s.Add(&Copy{Tokens: slices.Clone(prompts[i]), Start: start * min(1, len(prompts[i])-2500-len(base)), Data: bytes(1)})
		}
	}
	for b.Loop() {
		if n := s.Covered("", prompts[3], 0); n != len(prompts[3]) {
			b.Fatalf("%d of %d tokens", n, len(prompts[3]))
		}
	}
}
