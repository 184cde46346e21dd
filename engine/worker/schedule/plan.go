package schedule

import (
	"slices"
	"time"
)

// Waiting is a turn in the queue.
type Waiting struct {
	Tokens int // that must be in the KV cache before its first token: the prompt
	Held   int // of those, what running turns hold and it can share
	Answer int // tokens it may generate
}

// Room is what the running turns leave.
type Room struct {
	Slots   int // free ones
	Running int // taken ones
	Cells   int // free, or held by kept sequences alone
	Owed    int // cells that the running turns' prompts are still going to need
}

// answerReserve is how many cells a turn finds free for its answer when it starts. Answers may be
// longer: then kept sequences go, and after them the youngest turn waits once more.
const answerReserve = 256

// Fits tells whether a turn gets a slot now. A turn that runs alone always fits: whether it fits
// the model's context at all has been seen before.
func Fits(w Waiting, r Room) bool {
	if r.Slots == 0 {
		return false
	}
	need := w.Tokens - w.Held + min(w.Answer, answerReserve)
	return r.Running == 0 || need <= r.Cells-r.Owed
}

// Slot is a running turn that has tokens to evaluate.
type Slot struct {
	Pending int           // tokens that can be evaluated in this step
	Stream  bool          // it generates
	Each    time.Duration // what one of a prompt's tokens takes, as far as is known
}

// Limits of one step.
type Limits struct {
	Batch int           // tokens in all
	Chunk int           // tokens of prompts
	Time  time.Duration // for these; 0: any
}

// Share says how many tokens of each slot go into the next step. Streams come first, in the order
// of the list. Of what is left, the first prompt, which is the oldest, has half; then come prompts
// by what they lack, the shortest first. So nobody waits for a long one to be read, and the long
// one goes on however many short ones come.
func Share(slots []Slot, l Limits) []int {
	shares := make([]int, len(slots))
	var prompts []int
	for i, s := range slots {
		if s.Stream {
			shares[i] = min(s.Pending, l.Batch)
			l.Batch -= shares[i]
		} else {
			prompts = append(prompts, i)
		}
	}
	if len(prompts) == 0 {
		return shares
	}
	l.Chunk = min(l.Chunk, l.Batch)
	give := func(i, tokens int, limit time.Duration) {
		if n := piece(slots[i], shares[i], tokens, limit); n > 0 {
			shares[i] += n
			l.Chunk -= n
			if l.Time > 0 {
				l.Time = max(l.Time-time.Duration(n)*slots[i].Each, 1)
			}
		}
	}
	oldest := prompts[0]
	if give(oldest, (l.Chunk+1)/2, l.Time/2); shares[oldest] == 0 {
		give(oldest, min(l.Chunk, 1), 0)
	}
	slices.SortStableFunc(prompts, func(a, b int) int { return slots[a].Pending - slots[b].Pending })
	for _, i := range prompts {
		give(i, l.Chunk, l.Time)
	}
	return shares
}

// wholePiece is what a piece of a prompt is a multiple of, if it is not smaller: attention is
// computed for so many tokens together.
const wholePiece = 32

// piece is how many of a prompt's tokens go into a step that has had so many of them: at most so
// many, in at most that time.
func piece(s Slot, had, most int, limit time.Duration) int {
	n := min(s.Pending-had, most)
	if limit == 0 || n <= int(limit/max(s.Each, 1)) {
		return n
	}
	n = int(limit / max(s.Each, 1))
	if had+n >= wholePiece {
		n -= (had + n) % wholePiece
	}
	return n
}

// leastShare: prompts get at least a third of the time of a step of streams alone.
const leastShare = 3

// PromptTime is how long a step may work on prompts that takes so long for its streams alone, and
// of which each is to come within pause. Where streams alone nearly take as long, or longer, they
// wait a third longer than by themselves: else prompts would never be read.
func PromptTime(pause, streams time.Duration) time.Duration {
	return max(pause-streams, streams/leastShare, 1)
}

// Pace is what a token of a prompt takes, measured with each step. The zero value has measured
// nothing.
type Pace struct {
	each  time.Duration
	depth int // of the tokens that were measured
}

// shallow is a depth up to which attention is a small part of a token's work, in any model.
const shallow = 1024

// At is what a token takes that so many others come before. Behind what was measured it is an
// upper bound, because attention grows with the depth and nothing else does.
func (p Pace) At(depth int) time.Duration {
	if depth <= p.depth {
		return p.each
	}
	return time.Duration(float64(p.each) * float64(depth+shallow) / float64(p.depth+shallow))
}

// Note learns from a step under limits. What takes longer than was known counts at once, because a
// stream waits for it; what takes less by half. A rest of a prompt that fills no step counts less:
// it tells more of the step than of its tokens.
func (p *Pace) Note(tokens, depth int, took time.Duration, l Limits) {
	each, known := took/time.Duration(max(tokens, 1)), p.At(depth)
	p.depth = depth
	if known == 0 {
		p.each = max(each, 1)
		return
	}
	full := l.Chunk
	if l.Time > 0 {
		full = min(full, int(l.Time/known))
	}
	more := float64(each-known) * min(1, float64(tokens)/float64(max(full, 1)))
	if more < 0 {
		more /= 2
	}
	p.each = max(known+time.Duration(more), 1)
}

// Prompt is a running turn whose prompt is not evaluated yet.
type Prompt struct {
	Key    string
	Tokens []int32
	Done   int // tokens of it that are in the cache
}

// worthFollowing is how many tokens a turn must save to wait for another.
const worthFollowing = 16

// Follow finds among other prompts the one that p had better wait for, because it is about to
// evaluate tokens that p begins with, and how many of them they have in common. It is -1 if there
// is none.
func Follow(others []Prompt, p Prompt) (leader, tokens int) {
	leader = -1
	for i, o := range others {
		if o.Key != p.Key {
			continue
		}
		// p evaluates one token at least, to go on from
		same := min(common(o.Tokens, p.Tokens), len(p.Tokens)-1)
		if o.Done < same && same-p.Done >= worthFollowing && same > tokens {
			leader, tokens = i, same
		}
	}
	return leader, tokens
}

// RetryAfter guesses when a full queue has room again: one turn ends in each slot in the time that
// a turn takes.
func RetryAfter(slots int, turn time.Duration) time.Duration {
	guess := turn / time.Duration(max(slots, 1))
	return min(max(guess.Round(time.Second), time.Second), time.Minute)
}
