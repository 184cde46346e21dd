package draft

// mostShaped is the size of step up to which each has a cost of its own; what a larger one costs
// is not asked.
const mostShaped = 64

// Cost is what steps of so many tokens take, one as the unit. The zero value has measured none.
type Cost struct {
	unit  float64             // of time, for one token as of late
	shape [mostShaped]float64 // of n+1 tokens; 0: not measured
}

// Of a step of n tokens.
func (c *Cost) Of(n int) float64 {
	if n = min(n, mostShaped); n <= 1 {
		return 1
	}
	if v := c.shape[n-1]; v > 0 {
		return v
	}
	for d := 1; d < mostShaped; d++ { // as the nearest that was measured says
		for _, near := range []int{n - d, n + d} {
			if near > 1 && near <= mostShaped && c.shape[near-1] > 0 {
				return c.shape[near-1] * supposed(n) / supposed(near)
			}
		}
	}
	return supposed(n)
}

// Seconds is what a step of n tokens takes, 0 if nothing was measured.
func (c *Cost) Seconds(n int) float64 {
	if n == 0 {
		return 0
	}
	return c.unit * c.Of(n)
}

// supposed is the cost before anything was measured: two Zen 4 cores with a model of 270M.
func supposed(n int) float64 {
	if n == 1 {
		return 1
	}
	return 1.1 + 0.11*float64(n)
}

// Note learns from a step. What changes for all sizes (the depth, other processes) is seen best in
// steps of one token: the unit follows them, and larger ones only a little.
func (c *Cost) Note(n int, took float64) {
	if n < 1 || n > mostShaped || took <= 0 {
		return
	}
	shape := c.Of(n)
	if c.unit == 0 {
		c.unit = took / shape
	}
	// a step that others disturbed is no measure
	relative := min(max(took/c.unit, shape/2), shape*2)
	if n == 1 {
		c.unit *= 1 + (relative-1)/4
		return
	}
	c.unit *= 1 + (relative/shape-1)/64
	c.shape[n-1] = shape + (relative-shape)/8
}

// worthwhile is the gain from which on a draft is tried at all: chances and costs are not known
// exactly, and what is lost by one that fails is sure.
const worthwhile = 1.1

// Lengths is how many tokens of each guess to try in a step that has so many tokens without them
// and brings streams turns on by one token each. chances holds, for each guess, how likely it is
// right up to there. Tokens are added while they promise more than they cost; the step has at
// most so many.
func Lengths(streams, tokens int, chances [][]float64, c *Cost, most int) []int {
	all, _ := lengths(streams, tokens, chances, c, 0, most)
	return all
}

// lengths are those of a step that costs so much more, and how many tokens it brings for its cost.
func lengths(streams, tokens int, chances [][]float64, c *Cost, more float64, most int) (all []int, best float64) {
	all = make([]int, len(chances))
	sum := float64(streams)
	best = worthwhile * sum / c.Of(tokens)
	taken := make([]int, len(chances))
	for n := tokens + 1; n <= most; n++ {
		next, chance := -1, 0.0
		for i, p := range chances {
			if taken[i] < len(p) && p[taken[i]] > chance {
				next, chance = i, p[taken[i]]
			}
		}
		if next < 0 {
			break
		}
		taken[next]++
		sum += chance
		// a second token may pay where the first alone does not
		if rate := sum / (c.Of(n) + more); rate > best {
			best = rate
			copy(all, taken)
		}
	}
	return all, best
}
