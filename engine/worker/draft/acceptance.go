package draft

import "math/bits"

// A guess from a text is of the kind of its run's length: 3, 4 to 7, 8 to 15, and so on, one kind
// for each number of binary digits. The other kinds are guesses of a draft model, see sure.
const (
	runs  = 8
	kinds = runs + sures
)

func kind(run int) int { return min(bits.Len(uint(run)), runs-1) }

// memory is how many of the last guesses count.
const memory = 32

// expected is the acceptance rate that each kind is given before a guess was seen.
var expected = [kinds]float64{0, 0, 0.35, 0.5, 0.65, 0.8, 0.9, 0.92, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.97}

// Acceptance is the acceptance rate of guesses: how often the model takes a guessed token. It is
// counted by kind: by the length of the run, or by how sure a draft model was. The zero value has
// seen none.
type Acceptance struct {
	seen, right [kinds]float64 // older ones count less
}

// trust is how many seen guesses the expected rate weighs.
const trust = 4

// Of is the probability, for each token of a guess, that it is taken and all before it are.
func (c *Acceptance) Of(g Guess) []float64 {
	out := make([]float64, len(g.Tokens))
	all := 1.0
	for i := range out {
		all *= c.of(g.kind(i))
		out[i] = all
	}
	return out
}

func (c *Acceptance) of(kind int) float64 {
	if kind == certain {
		return 1
	}
	return (c.right[kind] + trust*expected[kind]) / (c.seen[kind] + trust)
}

// Note counts a guess: the first right of its tokens were taken, and with failed the next was not.
func (c *Acceptance) Note(g Guess, right int, failed bool) {
	for i := range right {
		c.note(g.kind(i), 1)
	}
	if failed {
		c.note(g.kind(right), 0)
	}
}

func (c *Acceptance) note(kind int, right float64) {
	if kind == certain {
		return
	}
	const keep = 1 - 1.0/memory
	c.seen[kind] = c.seen[kind]*keep + 1
	c.right[kind] = c.right[kind]*keep + right
}

// Begin is where another turn of the same model begins: what was seen counts a little.
func (c *Acceptance) Begin() Acceptance {
	var out Acceptance
	for k := range kinds {
		share := min(1, 2*trust/max(c.seen[k], 1))
		out.seen[k], out.right[k] = c.seen[k]*share, c.right[k]*share
	}
	return out
}
