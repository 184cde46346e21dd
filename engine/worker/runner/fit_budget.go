package runner

import (
	"container/heap"

	"tenon/grammar"
	"tenon/grammar/vocab"
)

// likelyTokens is how many of a large mask's tokens are looked at for one that leaves room to end.
const likelyTokens = 256

// fitting are tokens of mask after which the shortest legal end still fits what remains of the
// budget; where there is none, those that come closest to an end. Of a large mask only the
// candidates are tried: each token of a vocabulary of 250,000 has its own state where keys must
// differ, and all other turns would wait for more than a second.
func (t *turn) fitting(logits []float32, mask *grammar.Mask, v *grammar.Vocab) grammar.Mask {
	if mask.Len() > 4*likelyTokens {
		var fit []int32
		for _, id := range candidates(logits, mask, v) {
			if t.fits(id, v) {
				fit = append(fit, id)
			}
		}
		if len(fit) > 0 {
			return vocab.SparseMask(fit, v.Len())
		}
	}
	return t.matcher.MaskWithin(t.limit - t.generated())
}

// fits tells whether the shortest legal end after a token still fits what remains of the budget,
// one token a byte.
func (t *turn) fits(id int32, v *grammar.Vocab) bool {
	if v.IsEOG(id) {
		return true
	}
	if t.matcher.Accept(id) != nil {
		return true // append will say what is wrong
	}
	distance := t.matcher.Distance()
	t.matcher.Rollback(1)
	return distance < t.limit-t.generated()
}

// candidates are the likeliest tokens of a mask, and those of one byte: wherever an end can be
// reached at all, one of these is the next step on the shortest way to it.
func candidates(logits []float32, mask *grammar.Mask, v *grammar.Vocab) []int32 {
	best := byLogit{logits: logits}
	var all []int32
	for id := range int32(min(v.Len(), len(logits))) {
		switch {
		case !mask.Allows(id):
		case len(v.Piece(id)) == 1:
			all = append(all, id)
		case len(best.ids) < likelyTokens:
			heap.Push(&best, id)
		case logits[id] > logits[best.ids[0]]:
			best.ids[0] = id
			heap.Fix(&best, 0)
		}
	}
	return append(all, best.ids...)
}

// byLogit is a heap of tokens, the least likely first.
type byLogit struct {
	ids    []int32
	logits []float32
}

func (b *byLogit) Len() int           { return len(b.ids) }
func (b *byLogit) Less(i, j int) bool { return b.logits[b.ids[i]] < b.logits[b.ids[j]] }
func (b *byLogit) Swap(i, j int)      { b.ids[i], b.ids[j] = b.ids[j], b.ids[i] }
func (b *byLogit) Push(id any)        { b.ids = append(b.ids, id.(int32)) }
func (b *byLogit) Pop() any           { return nil } // nothing is taken out
