package remote

import (
	"slices"

	"tenon/engine"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// newBytes is a vocabulary of bytes and of a model's markers: by it a grammar is followed here,
// whatever the upstream's tokens are.
func newBytes(markers []engine.Marker) (*grammar.Vocab, error) {
	var pieces [][]byte
	var kinds []grammar.TokenKind
	for b := range 256 {
		pieces, kinds = append(pieces, []byte{byte(b)}), append(kinds, vocab.Byte)
	}
	for _, m := range markers {
		pieces, kinds = append(pieces, []byte(m.Text)), append(kinds, vocab.Control)
	}
	return grammar.NewVocab(pieces, kinds, nil)
}

// conclusion follows what a turn says, so that one that is cut short ends as its grammar wants. An
// upstream would end it in the middle of a call. The rest is written here, with the fewest bytes,
// and the model has no part in it.
type conclusion struct {
	at    *grammar.Matcher // nil: there is no grammar, or the answer has left it
	bytes *grammar.Vocab
}

// newConclusion is that of a turn of so many tokens at most, 0 if of any number. Where not even the
// shortest answer seems to fit there is none.
func newConclusion(g *grammar.Grammar, bytes *grammar.Vocab, most int) conclusion {
	c := conclusion{g.Matcher(bytes), bytes}
	if most > 0 && !c.fits(most) {
		return conclusion{}
	}
	return c
}

// token takes what was said, unless less than the rest would then fit into the tokens that are
// left: it is false. A marker that the grammar does not want at its place is text.
func (c *conclusion) token(t engine.Token, left int) bool {
	switch {
	case c.at == nil:
		return true
	case t.Kind == engine.Symbol && c.at.AcceptSymbol(string(t.Bytes)) == nil:
	case c.at.AcceptBytes(t.Bytes) != nil:
		c.at = nil
		return true
	}
	if c.fits(left) {
		return true
	}
	c.at.Rollback(1)
	return false
}

func (c *conclusion) fits(left int) bool {
	return c.at.Distance() <= left || len(c.rest()) <= left
}

// bytesPerToken is what a token of JSON's syntax has, or more: by it the rest of an answer is
// counted that no tokenizer has seen.
const bytesPerToken = 3

// mostOfTheRest bounds the rest, in bytes and symbols.
const mostOfTheRest = 1 << 16

// rest is what the answer lacks: symbols, and the text between them. It is nil where that is
// nothing or not known.
func (c *conclusion) rest() (tokens []engine.Token) {
	if c.at == nil {
		return nil
	}
	m := c.at.Clone()
	var text []byte
	flush := func() {
		for piece := range slices.Chunk(text, bytesPerToken) {
			tokens = append(tokens, engine.Token{ID: engine.NoID, Kind: engine.Forced, Bytes: piece})
		}
		text = nil
	}
	for range mostOfTheRest {
		if m.Done() {
			flush()
			return tokens
		}
		id := c.nearest(m)
		if id < 0 || m.Accept(id) != nil {
			return nil
		}
		if piece := c.bytes.Piece(id); id < 256 {
			text = append(text, piece...)
		} else {
			flush()
			tokens = append(tokens, engine.Token{ID: engine.NoID, Kind: engine.Symbol, Bytes: piece})
		}
	}
	return nil
}

// nearest is a byte or symbol on the shortest way to an end: a digit, a letter or what comes behind
// them where one will do, since spaces are no value to see. It is -1 where there is none.
func (c *conclusion) nearest(m *grammar.Matcher) int32 {
	mask := m.MaskWithin(1)
	first := int32(-1)
	for id := range int32(c.bytes.Len()) {
		if !mask.Allows(id) {
			continue
		}
		if id >= '0' {
			return id
		}
		if first < 0 {
			first = id
		}
	}
	return first
}
