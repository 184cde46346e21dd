package llama

import "time"

// threadGovernor decides how many threads evaluate the next batch.
//
// ggml's threads meet at a barrier after every operation, some hundred times per token, and spin
// there. When another process takes a core from one of them, all wait for it: on two cores, beside
// one busy process, two threads decode at 28 to 37 tokens a second, where one decodes at 49 and
// two undisturbed ones at 72. So the governor compares the CPU time that the threads got with the
// time that passed. Spinning threads use all they can get; what is missing was taken by others,
// and is given up until a trial shows that it is free again.
//
// Gemma 3 270M on two cores shared with six to eight runnable processes, two threads asked for,
// medians of six runs in turn: 18 tokens a second, 32 with libllama, where llama-bench v0.5.0 gets
// 5.
type threadGovernor struct {
	most int // threads when nothing else runs
	now  int

	wall, cpu time.Duration // of the current measurement
	since     time.Duration // decoding time since the number was last changed
	patience  time.Duration // how long to wait before the next trial with more threads
	trial     bool          // the number was just raised
}

const (
	measureFor    = 60 * time.Millisecond  // a scheduler's time slice is a few milliseconds
	firstPatience = 500 * time.Millisecond // before trying more threads
	mostPatience  = 8 * time.Second        // a trial costs some 30 ms of half speed: 0.4 %
)

// bearable is how much of n threads' CPU time may be missing: less is noise, or costs less than to
// give up a thread. Two threads that get 1.6 cores are as fast as one that has a core to itself;
// of more threads, one is easier to spare.
func bearable(n int) float64 { return max(0.25, 0.85/float64(n)) }

func newThreadGovernor(most int) threadGovernor {
	return threadGovernor{most: most, now: most, patience: firstPatience}
}

// manyTokens in a batch keep threads busy for milliseconds between two barriers, and ggml hands
// such work out in pieces: who was interrupted takes fewer. There all threads are wanted, whoever
// else runs.
const manyTokens = 32

// threads is how many evaluate so many tokens.
func (g *threadGovernor) threads(tokens int) int {
	if tokens >= manyTokens {
		return g.most
	}
	return g.now
}

// record tells of a decode of few tokens: how long it took and how much CPU time the process used
// meanwhile.
func (g *threadGovernor) record(wall, cpu time.Duration) {
	g.wall += wall
	g.cpu += cpu
	g.since += wall
	if g.wall < measureFor {
		return
	}
	got := float64(g.cpu) / float64(g.wall)
	g.wall, g.cpu = 0, 0
	switch {
	case g.now > 1 && float64(g.now)-got > bearable(g.now):
		if g.trial {
			g.patience = min(2*g.patience, mostPatience)
		}
		g.change(max(min(int(got+bearable(g.now)), g.now-1), 1), false)
	case g.trial:
		g.trial = false
		g.patience = firstPatience
	case g.now < g.most && g.since >= g.patience:
		g.change(g.now+1, true)
	}
}

func (g *threadGovernor) change(n int, trial bool) {
	g.now, g.trial, g.since = n, trial, 0
}
