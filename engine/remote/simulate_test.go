package remote

import (
	"container/heap"
	"container/list"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// A simulator of many upstreams: discrete events, the real policy (best, cost and prefixes of this
// package) beside simpler ones. Sessions are those of coding agents as TraceLab measured them
// (arXiv 2606.30560): 84 steps, of 154,000 tokens on average with an answer of 520, most of which
// the step before has read. Upstreams are modelled: how fast they read and write, how many turns
// they run, how much they keep. Times are of the model, not of a machine.

var simulateAll = flag.Bool("remote.simulate", false, "simulate up to 1,000 upstreams and 100,000 sessions, and write BALANCE.md's table")

// scale is how many real tokens one of the simulator's stands for. It makes a step ten times as
// fast, and a remembered chunk four times as long.
const scale = 4

// world is what is simulated.
type world struct {
	replicas, sessions int
	steps              int     // of a session
	shared             int     // tokens at the start that the sessions of one agent share
	agents             int     // kinds of them
	growth             int     // tokens that a step adds, the answer in them
	answer             int     // tokens
	pause              float64 // seconds between an answer and the next step, on average

	slots       int     // turns that an upstream runs at once
	read, write float64 // tokens a second: of all prompts, and of each answer
	memory      int     // tokens that an upstream keeps
	busy        float64 // share of the slots that is wanted on average
}

var agents = world{
	steps: 84, shared: 17_000, agents: 8, growth: 3_300, answer: 520, pause: 6, slots: 16, read: 8_000, write: 40, memory: 4_000_000, busy: 0.7,
}

// policy picks where a step goes.
type policy struct {
	name string
	pick func(s *simulation, session int, r request) *replica
}

var policies = []policy{
	{"tenon's", func(s *simulation, _ int, r request) *replica {
		return s.of[s.best(r, nil)]
	}},
	{"least outstanding tokens", func(s *simulation, _ int, r request) *replica {
		return s.of[s.best(request{load: r.load}, nil)]
	}},
	{"hash of the session", func(s *simulation, session int, _ request) *replica {
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, "session ", session) // it takes everything
		return s.of[s.upstreams[h.Sum64()%uint64(len(s.upstreams))]]
	}},
	{"round robin", func(s *simulation, _ int, _ request) *replica {
		s.turns++
		return s.of[s.upstreams[s.turns%len(s.upstreams)]]
	}},
}

// outcome is what a policy made of a world.
type outcome struct {
	cached    float64 // share of the prompts' tokens
	p50, p99  float64 // seconds until an answer begins
	imbalance float64 // work of the busiest upstream by the average
}

// simulation is one run.
type simulation struct {
	world
	policy policy
	r      *rand.Rand
	now    float64
	balance
	of     map[*upstream]*replica
	events agenda
	turns  int

	asked, found int
	waits        []float64
}

// replica is an upstream with what is true of it, whatever the policy knows.
type replica struct {
	*upstream
	cache   cache
	reading float64 // until when it reads prompts
	busy    int
	queue   []*step
	work    float64 // seconds of reading and writing
}

// cache are the beginnings of prompts that an upstream keeps, in chunks, by whose they are: an
// agent's or a session's. An agent's chunks count as used after its session's. Where there is
// no room, the owner that was used least lately loses its last chunks.
type cache struct {
	most, chunks int
	known        map[int]*list.Element
	order        list.List // of *beginning, what was used last first
}

type beginning struct{ owner, chunks int }

// add says that a beginning is used.
func (c *cache) add(owner, chunks int) {
	if c.known == nil {
		c.known = map[int]*list.Element{}
	}
	e := c.known[owner]
	if e == nil {
		e = c.order.PushFront(&beginning{owner: owner})
		c.known[owner] = e
	}
	c.order.MoveToFront(e)
	b := e.Value.(*beginning)
	if chunks > b.chunks {
		c.chunks, b.chunks = c.chunks+chunks-b.chunks, chunks
	}
}

// trim takes away what is too much.
func (c *cache) trim() {
	for c.chunks > c.most {
		b := c.order.Back().Value.(*beginning)
		n := min(c.chunks-c.most, b.chunks)
		c.chunks, b.chunks = c.chunks-n, b.chunks-n
		if b.chunks == 0 {
			c.order.Remove(c.order.Back())
			delete(c.known, b.owner)
		}
	}
}

// use is how many tokens of a prompt are there. All are, after it.
func (c *cache) use(agent, shared, session, own int) int {
	found := 0
	for _, part := range []beginning{{agent, shared}, {session, own}} {
		e := c.known[part.owner]
		if e == nil {
			break
		}
		n := min(part.chunks, e.Value.(*beginning).chunks)
		found += n
		if n < part.chunks {
			break
		}
	}
	c.add(session, own)
	c.add(agent, shared)
	c.trim()
	return chunk * found
}

// step is a turn of a session.
type step struct {
	session, number int
	arrived         float64
	tokens          int
	keys            []uint64
	at              *replica
	place           place
}

func simulate(w world, p policy) outcome {
	s := newSimulation(w, p)
	s.begin()
	for s.events.Len() > 0 {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		e.do()
	}
	return s.outcome()
}

func newSimulation(w world, p policy) *simulation {
	s := &simulation{world: w, policy: p, r: rand.New(rand.NewPCG(1, 2)), of: map[*upstream]*replica{}}
	for range w.replicas {
		u := &upstream{address: Address{Weight: 1}, up: true}
		s.upstreams = append(s.upstreams, u)
		s.of[u] = &replica{upstream: u, cache: cache{most: w.memory / scale / chunk}}
	}
	return s
}

// begin has the sessions come at random, so that as many slots are busy as the world says.
func (s *simulation) begin() {
	length := float64(s.steps) * float64(s.answer) / s.write // seconds in slots
	rate := s.busy * float64(s.slots*s.replicas) / length
	at := 0.0
	for id := range s.sessions {
		at += s.r.ExpFloat64() / rate
		s.at(at, func() { s.arrive(id, 0) })
	}
}

func (s *simulation) clock() time.Time {
	return time.Time{}.Add(time.Duration(s.now * float64(time.Second)))
}

func (s *simulation) at(when float64, do func()) {
	heap.Push(&s.events, event{when, s.events.next(), do})
}

func (s *simulation) arrive(session, number int) {
	t := &step{session: session, number: number, arrived: s.now, tokens: (s.shared + (number+1)*s.growth) / scale}
	t.keys = s.keysOf(session, t.tokens)
	r := request{t.tokens + answerWeight*s.answer/scale, t.keys}
	t.at = s.policy.pick(s, session, r)
	t.place = s.take(t.at.upstream, r, s.clock())
	if t.at.busy == s.slots {
		t.at.queue = append(t.at.queue, t)
		return
	}
	s.start(t)
}

// keysOf names the beginnings of a session's prompt. The first are those of its agent.
func (s *simulation) keysOf(session, tokens int) []uint64 {
	keys := make([]uint64, tokens/chunk)
	for i := range keys {
		owner := uint64(session + s.agents)
		if (i+1)*chunk <= s.shared/scale {
			owner = uint64(session % s.agents)
		}
		keys[i] = owner<<20 | uint64(i)
	}
	return keys
}

func (s *simulation) start(t *step) {
	u := t.at
	u.busy++
	shared := s.shared / scale / chunk
	cached := u.cache.use(t.session%s.agents, shared, t.session+s.agents, len(t.keys)-shared)
	reading := float64((t.tokens-cached)*scale) / s.read
	u.reading = max(u.reading, s.now) + reading
	writing := float64(s.answer) / s.write
	u.work += reading + writing/float64(s.slots)
	s.asked, s.found = s.asked+t.tokens, s.found+cached
	s.waits = append(s.waits, u.reading-t.arrived)
	s.at(u.reading+writing, func() { s.end(t) })
}

func (s *simulation) end(t *step) {
	u := t.at
	u.busy--
	t.place.leave()
	if len(u.queue) > 0 {
		next := u.queue[0]
		u.queue = u.queue[1:]
		s.start(next)
	}
	if t.number+1 < s.steps {
		s.at(s.now+s.pause*s.r.ExpFloat64(), func() { s.arrive(t.session, t.number+1) })
	}
}

func (s *simulation) outcome() outcome {
	slices.Sort(s.waits)
	most, sum := 0.0, 0.0
	for _, u := range s.of {
		most, sum = max(most, u.work), sum+u.work
	}
	return outcome{
		cached: float64(s.found) / float64(s.asked),
		p50:    s.waits[len(s.waits)/2], p99: s.waits[len(s.waits)*99/100],
		imbalance: most * float64(len(s.of)) / sum,
	}
}

// event is something that happens at a time; of two at once the earlier planned comes first.
type event struct {
	at    float64
	order int
	do    func()
}

// agenda is the events to come, a heap.
type agenda struct {
	list  []event
	count int
}

func (e *agenda) next() int     { e.count++; return e.count }
func (e *agenda) Len() int      { return len(e.list) }
func (e *agenda) Swap(i, j int) { e.list[i], e.list[j] = e.list[j], e.list[i] }
func (e *agenda) Push(x any)    { e.list = append(e.list, x.(event)) }
func (e *agenda) Less(i, j int) bool {
	a, b := e.list[i], e.list[j]
	return a.at < b.at || a.at == b.at && a.order < b.order
}

func (e *agenda) Pop() any {
	last := e.list[len(e.list)-1]
	e.list = e.list[:len(e.list)-1]
	return last
}

// On ten upstreams the policy finds as much in caches as sessions that never move, and far more
// than a policy that knows no caches.
func TestSimulate_thePolicyBeatsSimplerOnes(t *testing.T) {
	w := agents
	w.replicas, w.sessions, w.steps, w.memory = 10, 200, 30, 2_000_000
	got := map[string]outcome{}
	for _, p := range policies[:3] {
		got[p.name] = simulate(w, p)
		t.Logf("%s: %+v", p.name, got[p.name])
	}
	own, least, sticky := got["tenon's"], got["least outstanding tokens"], got["hash of the session"]
	if own.cached < sticky.cached-0.01 || own.cached < least.cached+0.2 {
		t.Errorf("cached: %.3f, where sticky sessions have %.3f and least outstanding %.3f", own.cached, sticky.cached, least.cached)
	}
	if own.p99 > 2*sticky.p99 || own.p99 > least.p99/4 {
		t.Errorf("%+v; sticky sessions: %+v; least outstanding: %+v", own, sticky, least)
	}
}

// Choosing costs what a turn can afford, under one lock, of a thousand upstreams, too.
func BenchmarkBest_ofAThousand(b *testing.B) {
	w := agents
	w.replicas = 1000
	s := newSimulation(w, policies[0])
	for id := range 16_000 {
		keys := s.keysOf(id, w.growth*20/scale)
		s.take(s.upstreams[id%1000], request{1000, keys}, s.clock())
	}
	i := 0
	for b.Loop() {
		i++
		s.best(request{w.growth * 21 / scale, s.keysOf(i%16_000, w.growth*21/scale)}, nil)
	}
}

func TestSimulate_page(t *testing.T) {
	if !*simulateAll {
		t.Skip("make simulate takes its time")
	}
	var rows strings.Builder
	for _, size := range []struct{ upstreams, sessions int }{{4, 400}, {32, 3_200}, {1_000, 100_000}} {
		w := agents
		w.replicas, w.sessions = size.upstreams, size.sessions
		for _, p := range policies {
			o := simulate(w, p)
			fmt.Fprintf(&rows, "| %d | %d | %s | %.1f %% | %.2f | %.1f | %.2f |\n", w.replicas, w.sessions, p.name, 100*o.cached, o.p50, o.p99, o.imbalance)
			t.Logf("%d upstreams, %s: %+v", w.replicas, p.name, o)
		}
	}
	const page, mark = "BALANCE.md", "|---|---|---|---|---|---|---|\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s has no table", page)
	}
	if _, rest, ok := strings.Cut(after, "\n\n"); ok {
		after = "\n" + rest
	} else {
		after = ""
	}
	if err := os.WriteFile(page, []byte(before+mark+rows.String()+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
