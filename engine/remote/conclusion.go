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

// newConclusion is that of a turn of so many tokens at most; 0: any number. It does nothing where
// not even the shortest answer seems to fit, or where that is very long.
func newConclusion(g *grammar.Grammar, bytes *grammar.Vocab, most int) conclusion {
	c := conclusion{g.Matcher(bytes), bytes}
	if most > 0 && !c.fits(most) || c.at.Distance() > mostOfTheRest {
		return conclusion{}
	}
	return c
}

// token takes a token of the answer. It is false, and the token not taken, if the rest would not
// fit any more into the tokens that are left. A marker where the grammar has none is text.
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

// fits tells whether the rest takes no more tokens than are left. It goes by the rest's length in
// bytes: to find the rest itself takes a step for each byte, which is too much after each token.
func (c *conclusion) fits(left int) bool {
	d := c.at.Distance()
	// a symbol ends the text before it, and is one by itself
	return d <= left || d/bytesPerToken+3 <= left
}

// bytesPerToken is a low estimate of a token's bytes in JSON syntax. It counts the rest of an
// answer where there is no tokenizer.
const bytesPerToken = 3

// mostOfTheRest bounds the rest, in bytes and symbols.
const mostOfTheRest = 1 << 14

// rest is what the answer lacks, in no more tokens than are left, if it has not too many symbols.
// It is nil where nothing is missing, or where that is not known.
func (c *conclusion) rest(left int) []engine.Token {
	if c.at == nil {
		return nil
	}
	m := c.at.Clone()
	var parts []engine.Token // symbols, and the texts between them
	var text []byte
	for range mostOfTheRest {
		id, done := int32(-1), m.Done()
		if !done {
			if id = c.nearest(m); id < 0 || m.Accept(id) != nil {
				return nil
			}
			if id < 256 {
				text = append(text, byte(id))
				continue
			}
		}
		if len(text) > 0 {
			parts, text = append(parts, engine.Token{ID: engine.NoID, Kind: engine.Forced, Bytes: text}), nil
		}
		if done {
			return spread(parts, left)
		}
		parts = append(parts, engine.Token{ID: engine.NoID, Kind: engine.Symbol, Bytes: c.bytes.Piece(id)})
	}
	return nil
}

// spread cuts texts into tokens, longer ones than usual where there are too many.
func spread(parts []engine.Token, most int) []engine.Token {
	for size := bytesPerToken; ; size *= 2 {
		var tokens []engine.Token
		for _, t := range parts {
			if t.Kind == engine.Symbol {
				tokens = append(tokens, t)
				continue
			}
			for piece := range slices.Chunk(t.Bytes, size) {
				tokens = append(tokens, engine.Token{ID: engine.NoID, Kind: engine.Forced, Bytes: piece})
			}
		}
		if len(tokens) <= most || len(tokens) == len(parts) {
			return tokens
		}
	}
}

// nearest is a byte or symbol on the shortest way to an end; -1: there is none. Of several it
// prefers one from '0' on, such as a digit or a letter: people cannot see a space.
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
