package grammar

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/vocab"
)

const (
	wholeEvery       = 997    // the step of the sample of schemas whose masks are compared
	wholeCompletions = 2      // tokens of a mask that are followed to an end
	wholeFar         = 20_000 // bytes within which there should be one
	wholeTold        = 5      // tokens of a mask that are told of
)

// TestMask_ofMaskBenchIsExactAsAWhole holds whole masks of real schemas against reading every
// token byte by byte: behind parts of instances and of random walks, in all that these are inside
// of. The tokens that an instance goes on with tell of few of a mask's bits.
func TestMask_ofMaskBenchIsExactAsAWhole(t *testing.T) {
	w := newWholeMasks(t)
	grammartest.Schemas(t, wholeEvery, w.schema)
	t.Logf("%s: %+v", w.v.name, w.count)
}

// wholeMasks compares masks.
type wholeMasks struct {
	*testing.T
	v     *sortedVocab
	bytes *Vocab         // to come to an end with
	met   map[uint64]int // masks by their hash
	count struct{ schemas, texts, masks, bytewise, completions, unjudged int }
}

func newWholeMasks(t *testing.T) *wholeMasks {
	t.Helper()
	return &wholeMasks{T: t, v: randomRealVocab(t), bytes: walkVocab(t), met: map[uint64]int{}}
}

func (w *wholeMasks) schema(s grammartest.Case) {
	c, ok := newMaskCase(w.T, s, w.v)
	if !ok {
		return
	}
	w.count.schemas++
	if c.judge == nil {
		w.count.unjudged++
	}
	m := c.grammar(w.T).Matcher(w.v.Vocab) // learns from text to text
	for _, text := range c.texts(m) {
		w.count.texts++
		m := m.Clone()
		at := 0
		for _, place := range c.places(m, text) {
			if err := m.AcceptBytes(text[at:place]); err != nil {
				c.fail(w.T, "%q is refused, and was accepted: %v", text[:place], err)
			} else {
				w.compare(c, m, text[:place])
			}
			if c.failed {
				return
			}
			at = place
		}
	}
}

// compare holds the mask of a matcher that has read a text against that of a grammar that has
// learned nothing else, and against what reading tokens byte by byte says, and follows some tokens
// to an end.
func (w *wholeMasks) compare(c *maskCase, m *Matcher, text []byte) {
	w.Helper()
	w.count.masks++
	mask := m.Mask()
	if mask.Len() == 0 {
		c.fail(w.T, "no token is allowed after %q", text)
		return
	}
	fresh := c.grammar(w.T).Matcher(c.v.Vocab)
	if err := fresh.AcceptBytes(text); err != nil {
		c.fail(w.T, "%q is accepted after other texts, and not by itself: %v", text, err)
		return
	}
	w.same(c, mask, fresh.Mask(), text, "a grammar that has learned nothing")
	// Most masks are of few kinds, such as that of a string of any text: at those it is looked
	// more and more rarely.
	h := hashOf(mask)
	if w.met[h]++; w.met[h]&(w.met[h]-1) != 0 {
		return
	}
	w.count.bytewise++
	w.same(c, mask, w.bytewise(c, text), text, "reading byte by byte")
	for range wholeCompletions {
		w.complete(c, m.g, text, anyToken(mask, c.v.Vocab, c.rng))
	}
}

// same reports the tokens about which a mask and another differ.
func (w *wholeMasks) same(c *maskCase, mask, other Mask, text []byte, by string) {
	w.Helper()
	if mask.Kind() == other.Kind() && slices.Equal(mask.IDs(), other.IDs()) && slices.Equal(mask.Bits(), other.Bits()) {
		return
	}
	differ := 0
	for id := range int32(c.v.Len()) {
		if got, want := mask.Allows(id), other.Allows(id); got != want {
			if differ++; differ <= wholeTold {
				c.fail(w.T, "after %q token %d %q: the mask says %v, %s says %v", text, id, c.v.Piece(id), got, by, want)
			}
		}
	}
	if differ > wholeTold {
		c.fail(w.T, "and so of %d tokens", differ)
	}
}

func hashOf(mask Mask) uint64 {
	h := fnv.New64()
	_ = binary.Write(h, binary.LittleEndian, mask.IDs()) // never fails
	_ = binary.Write(h, binary.LittleEndian, mask.Bits())
	return h.Sum64()
}

// bytewise is the mask of the tokens that a matcher without a vocabulary reads behind a text.
// Tokens that begin alike are read together.
func (w *wholeMasks) bytewise(c *maskCase, text []byte) Mask {
	w.Helper()
	m := c.plain.Matcher(nil)
	if err := m.AcceptBytes(text); err != nil {
		c.fail(w.T, "%q is refused without a vocabulary: %v", text, err)
	}
	var allowed []int32
	if m.Done() {
		allowed = slices.Clone(c.v.EOG())
	}
	var last []byte
	read := 0 // bytes of last
	for _, id := range c.v.order {
		piece := c.v.Piece(id)
		n := commonBytes(piece, last)
		if n > read {
			continue // begins with what was refused
		}
		m.Rollback(read - n)
		for read = n; read < len(piece) && m.AcceptBytes(piece[read:read+1]) == nil; {
			read++
		}
		if last = piece; read == len(piece) {
			allowed = append(allowed, id)
		}
	}
	return vocab.SparseMask(allowed, c.v.Len())
}

func commonBytes(x, y []byte) int {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// complete reads an allowed token and goes on to an end: there must be one, and an independent
// validator must find the whole valid.
func (w *wholeMasks) complete(c *maskCase, g *Grammar, text []byte, token int32) {
	w.Helper()
	w.count.completions++
	piece := c.v.Piece(token)
	if c.v.IsEOG(token) {
		piece = nil
	}
	whole, err := c.end(g.Matcher(w.bytes), slices.Concat(text, piece))
	if err != nil {
		c.fail(w.T, "after %q token %d %q is allowed: %v: %.2000q", text, token, c.v.Piece(token), err, whole)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(whole))
	if err == nil && c.judge != nil && !lineEnd.Match(whole) {
		err = c.judge.Validate(value)
	}
	if err != nil {
		c.fail(w.T, "after %q token %d %q is allowed, and %q is not valid: %v", text, token, c.v.Piece(token), whole, err)
	}
}

// lineEnd is what the dot of a pattern does not stand for, and that of the validator's patterns
// does.
var lineEnd = regexp.MustCompile(`\\r|[\x{2028}\x{2029}]|(?i:\\u000d|\\u202[89])`)

// anyToken picks one of the allowed tokens of a large vocabulary.
func anyToken(mask Mask, v *Vocab, rng *rand.Rand) int32 {
	if mask.Kind() == Sparse {
		return mask.IDs()[rng.IntN(mask.Len())]
	}
	for {
		if id := int32(rng.IntN(v.Len())); mask.Allows(id) {
			return id
		}
	}
}
