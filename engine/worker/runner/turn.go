package runner

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"tenon/engine"
	"tenon/grammar"
)

// state of a turn. It goes queued → prompt ⇄ streaming ⇄ parked → ended, by way of fetching where
// its prompt is on disk, and of masked where a mask takes long; back to queued if its cells are
// needed by older turns, and from any state to ended.
type state uint8

const (
	queued    state = iota
	prompting       // tokens are evaluated until the last one's logits are there
	fetching        // waits for what is read from disk
	following       // waits until leader has evaluated what both begin with
	streaming       // each step chooses a token
	masked          // waits for its mask; all its tokens are evaluated
	parked          // waits for a verdict
	ended
)

// turn is everything about one generation. Only the loop touches it after enqueue, but for mail
// and cancel.
type turn struct {
	request engine.Turn
	mail    *mailbox
	// ends with the session; of use only to stop a call of the model that runs for this turn
	// alone
	ctx    context.Context
	cancel context.CancelFunc

	state  state
	tokens []int32 // prompt, then output
	prompt int     // how many of tokens are the prompt
	limit  int     // most tokens of output
	done   int     // how many of tokens are in the KV cache
	seq    int     // the sequence that holds them; -1 if none does

	// while prompting: more of its tokens come back from host memory before any is evaluated
	returning bool

	// how many were there when older turns needed their cells; 0 once it has a sequence again
	lost int

	// position of the kept copy that moves along with a long prompt; 0 if there is none
	moving int

	leader *turn // while following
	until  int   // tokens in common with it
	// positions, ascending, at which to keep a copy of a sequence that cannot be cut
	stops []int

	kinds    []engine.Kind    // of the output's tokens
	grammar  *grammar.Grammar // nil: any text
	matcher  *grammar.Matcher // nil with it
	checks   bool             // the grammar has %check marks
	mask     *grammar.Mask    // of the next token, computed ahead
	masking  bool             // mask is in the making
	logits   []float32        // of the last token, while masked
	thinking *captures        // follows the output where thinking has a budget; else nil
	// the first token of output that was chosen because the budget ruled another one out
	tight   int
	sampler Sampler

	guesser
	ahead bool // the KV cache holds tokens of a draft behind done

	concluding bool // it is to end as soon as its grammar lets it

	miss    *engine.Miss // set when it gets its slot
	usage   engine.Usage
	timing  engine.Timing
	repeat  uint32 // rewinds so far
	created time.Time
	slotted time.Time // when it got its slot
	first   time.Time // when its prompt was evaluated
}

func newTurn(r *Runner, request engine.Turn, ids []int32) *turn {
	if request.Sampling.Seed == nil {
		seed := rand.Uint32()
		request.Sampling.Seed = &seed
	}
	t := &turn{
		request: request, tokens: ids, prompt: len(ids), seq: -1, tight: neverTight, created: time.Now(),
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	// a call that does nothing wakes the loop
	t.mail = newMailbox(request.Whole, func() { r.post(func(*loop) {}) })
	t.limit = min(r.model.Context, r.backend.Cells()) - len(ids)
	if n := request.Budget.Tokens; n > 0 {
		t.limit = min(t.limit, n)
	}
	t.usage.Prompt = len(ids)
	return t
}

// neverTight is no token of any output.
const neverTight = math.MaxInt

// obey has the output match a grammar.
func (t *turn) obey(g *grammar.Grammar, v *grammar.Vocab) {
	t.heed(g, g.Matcher(v))
	if t.request.Budget.Thinking > 0 {
		t.thinking = newCaptures(g, v)
	}
}

// heed has m, a matcher of g that has read the output so far, follow what comes.
func (t *turn) heed(g *grammar.Grammar, m *grammar.Matcher) {
	t.grammar, t.matcher = g, m
	t.checks = strings.Contains(g.Text(), "%check")
}

// generated is how many tokens of output there are.
func (t *turn) generated() int { return len(t.tokens) - t.prompt }

// output is the tokens of output.
func (t *turn) output() []int32 { return t.tokens[t.prompt:] }

// runnable tells whether the turn has something to evaluate now.
func (t *turn) runnable() bool {
	return (t.state == prompting || t.state == streaming) && !t.mail.full()
}

// evaluates tells whether it has some of its tokens evaluated now.
func (t *turn) evaluates() bool { return t.runnable() && !t.returning }

// speaks tells whether somebody may be waiting for its next token.
func (t *turn) speaks() bool { return t.state == streaming || t.state == masked || t.state == parked }

// pending is how many tokens can be evaluated before something has to be decided.
func (t *turn) pending() int {
	for _, stop := range t.stops {
		if stop > t.done {
			return stop - t.done
		}
	}
	return len(t.tokens) - t.done
}
