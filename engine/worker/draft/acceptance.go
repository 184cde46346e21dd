package draft

import "math/bits"

// Guesses from a text are told apart by the number of binary digits of their run's length: 3, 4 to
// 7, 8 to 15, and so on. Behind them come the kinds of those that a draft model makes, see sure.
const (
	runs  = 8
	kinds = runs + sures
)

func kind(run int) int { return min(bits.Len(uint(run)), runs-1) }

// memory is how many of the latest guesses count.
const memory = 32

// first guesses about guesses: what each kind promises before anything was seen.
var expected = [kinds]float64{0, 0, 0.35, 0.5, 0.65, 0.8, 0.9, 0.92, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.97}

// Chances is how often guesses come true, by the length of the run behind them, or by how sure a
// draft model was. The zero value has seen none.
type Chances struct {
	seen, right [kinds]float64 // those of long ago count less
}

// trust is for how many guesses seen what is expected stands.
const trust = 4

// Of the tokens of a guess, each counted with all before it.
func (c *Chances) Of(g Guess) []float64 {
	out := make([]float64, len(g.Tokens))
	all := 1.0
	for i := range out {
		all *= c.of(g.kind(i))
		out[i] = all
	}
	return out
}

func (c *Chances) of(kind int) float64 {
	if kind == certain {
		return 1
	}
	return (c.right[kind] + trust*expected[kind]) / (c.seen[kind] + trust)
}

// Note learns from a guess: so many of its tokens came true, and if failed is set the next did
// not.
func (c *Chances) Note(g Guess, right int, failed bool) {
	for i := range right {
		c.note(g.kind(i), 1)
	}
	if failed {
		c.note(g.kind(right), 0)
	}
}

func (c *Chances) note(kind int, right float64) {
	if kind == certain {
		return
	}
	const keep = 1 - 1.0/memory
	c.seen[kind] = c.seen[kind]*keep + 1
	c.right[kind] = c.right[kind]*keep + right
}

// Begin is what another turn of the same model may expect: of what was seen a little counts.
func (c *Chances) Begin() Chances {
	var out Chances
	for k := range kinds {
		share := min(1, 2*trust/max(c.seen[k], 1))
		out.seen[k], out.right[k] = c.seen[k]*share, c.right[k]*share
	}
	return out
}
