package draft

import "math/bits"

// shortest is how many tokens must have been said before, in this order, to guess what follows.
const shortest = 3

// Bounds on the work of one look-up: places that are compared, and tokens of each.
const (
	mostPlaces  = 32
	longestRun  = 64
	nowhere     = -1
	mixedWithin = 0x9E3779B97F4A7C15 // an odd constant that spreads the bits of a hash
)

// Text finds where in a text a run of tokens was said before. It takes eight bytes a token beside
// the four of the token.
type Text struct {
	tokens []int32
	last   []int32 // by the hash of a run of the shortest length: the place behind the latest
	before []int32 // of each place, the one before with the same hash
}

// NewText is an empty text, made for about so many tokens.
func NewText(size int) *Text {
	t := &Text{last: make([]int32, 1<<bits.Len(uint(max(size, 255))))}
	for i := range t.last {
		t.last[i] = nowhere
	}
	return t
}

// Len is how many tokens the text has.
func (t *Text) Len() int { return len(t.tokens) }

// Add appends tokens.
func (t *Text) Add(ids ...int32) {
	for _, id := range ids {
		t.tokens = append(t.tokens, id)
		place := nowhere
		if len(t.tokens) >= shortest {
			at := t.hash(t.tokens)
			place, t.last[at] = int(t.last[at]), int32(len(t.tokens))
		}
		t.before = append(t.before, int32(place))
	}
}

// Cut shortens the text to its first n tokens.
func (t *Text) Cut(n int) {
	for len(t.tokens) > n {
		end := len(t.tokens) - 1
		if len(t.tokens) >= shortest {
			t.last[t.hash(t.tokens)] = t.before[end]
		}
		t.tokens, t.before = t.tokens[:end], t.before[:end]
	}
}

// hash of the last tokens.
func (t *Text) hash(tokens []int32) uint64 {
	var h uint64
	for _, id := range tokens[len(tokens)-shortest:] {
		h = (h ^ uint64(uint32(id))) * mixedWithin
		h ^= h >> 29
	}
	return h * mixedWithin >> (64 - bits.Len(uint(len(t.last)-1)))
}

// Guess is what may come next.
type Guess struct {
	Tokens []int32
	Run    int // how many tokens before it were said before, too
	place  int // in the text, of the first of Tokens

	sure []int // a draft model's: the kind of each of Tokens; nil: the text's
}

func (g Guess) kind(i int) int {
	if g.sure != nil {
		return g.sure[i]
	}
	return kind(g.Run + i)
}

// Continue guesses how context goes on: as the text did behind the longest run that context ends
// with. Of several the latest is taken, but the one that a guess before came from goes first. The
// text may be the context's own.
func (t *Text) Continue(context []int32, earlier Guess, most int) Guess {
	best := Guess{}
	if len(context) < shortest {
		return best
	}
	try := func(place int) {
		if place <= 0 || place >= len(t.tokens) {
			return
		}
		if n := t.run(context, place); n >= shortest && n > best.Run {
			best = Guess{Run: n, place: place}
		}
	}
	if earlier.Run > 0 {
		try(earlier.place)
	}
	place := int(t.last[t.hash(context)])
	for range mostPlaces {
		if place <= 0 || best.Run == longestRun {
			break
		}
		try(place)
		place = int(t.before[place-1])
	}
	if best.Run > 0 {
		best.Tokens = t.tokens[best.place:min(best.place+most, len(t.tokens))]
	}
	return best
}

// After is the guess once its first n tokens have come true: where to look first next time.
func (g Guess) After(n int) Guess {
	if n > len(g.Tokens) {
		return Guess{}
	}
	return Guess{Tokens: g.Tokens[n:], Run: g.Run + n, place: g.place + n}
}

// run is how many tokens before a place are those that context ends with.
func (t *Text) run(context []int32, place int) int {
	n := 0
	for n < longestRun && n < place && n < len(context) && t.tokens[place-1-n] == context[len(context)-1-n] {
		n++
	}
	return n
}
