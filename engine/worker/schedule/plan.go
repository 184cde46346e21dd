package schedule

import "time"

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
	Pending int  // tokens that can be evaluated in this step
	Stream  bool // it generates
}

// Limits of one step.
type Limits struct {
	Batch int // tokens in all
	Chunk int // tokens of prompts
}

// Share says how many tokens of each slot go into the next step. Streams come first, then prompts;
// among equals the earlier in the list, which is the older.
func Share(slots []Slot, l Limits) []int {
	shares := make([]int, len(slots))
	left, prompts := l.Batch, l.Chunk
	for i, s := range slots {
		if s.Stream {
			shares[i] = min(s.Pending, left)
			left -= shares[i]
		}
	}
	for i, s := range slots {
		if !s.Stream {
			shares[i] = min(s.Pending, left, prompts)
			left -= shares[i]
			prompts -= shares[i]
		}
	}
	return shares
}

// How long a step may make a stream wait for its next token, and the smallest part of a prompt
// that is worth a step.
const (
	streamPatience = 200 * time.Millisecond
	smallestChunk  = 32
)

// Chunk is how many prompt tokens go into a step, at most most: all that is computed at once where
// nobody watches a stream (an answer that is wanted whole only gains by it), else as many as fit
// streamPatience at the measured time for one token; 0 means not measured yet.
func Chunk(watched bool, perToken time.Duration, most int) int {
	if !watched {
		return most
	}
	if perToken <= 0 {
		return min(smallestChunk, most)
	}
	n := int(streamPatience/perToken) / smallestChunk * smallestChunk
	return min(max(n, smallestChunk), most)
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
		same := min(common(o.Tokens, p.Tokens), len(p.Tokens)-1) // p evaluates one token at least, to go on from
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
