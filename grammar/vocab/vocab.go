package vocab

import (
	"bytes"
	"fmt"
	"sync"
)

// Kind says what a token is, in the order of GGUF's token types.
type Kind uint8

// The kinds of tokens. Normal, Byte and UserDefined tokens stand for their bytes. UserDefined and
// Control tokens are also symbols that a grammar may name; Unknown and Unused ones never match
// anything.
const (
	Normal Kind = iota + 1
	Unknown
	Control
	UserDefined
	Unused
	Byte
)

// MaxPiece is the length in bytes of the longest token that can match text; longer ones (a few
// vocabularies hold runs of a thousand spaces) never match.
const MaxPiece = 255

// Vocab is the immutable vocabulary of one model.
type Vocab struct {
	text   []byte   // all pieces, one behind the other
	starts []uint32 // of each token's, and the end
	kinds  []Kind
	eog    []int32
	trie   Trie

	shapes func() *Shapes

	symbols map[string]int32

	// derived holds what other packages compute once per vocabulary, such as the masks of
	// states that all grammars share.
	derived sync.Map
}

// New builds the vocabulary of a model: pieces[i] is the text of token i as the model emits it
// (for control tokens the text of the marker), kinds[i] what it is, eog the tokens that end a
// generation.
func New(pieces [][]byte, kinds []Kind, eog []int32) (*Vocab, error) {
	if len(pieces) != len(kinds) {
		return nil, fmt.Errorf("vocabulary: %d pieces but %d kinds", len(pieces), len(kinds))
	}
	for _, id := range eog {
		if id < 0 || int(id) >= len(pieces) {
			return nil, fmt.Errorf("vocabulary: end token %d is outside 0..%d", id, len(pieces)-1)
		}
	}
	v := &Vocab{text: bytes.Join(pieces, nil), starts: make([]uint32, 1, len(pieces)+1), kinds: kinds, eog: eog}
	for _, p := range pieces {
		v.starts = append(v.starts, v.starts[len(v.starts)-1]+uint32(len(p)))
	}
	v.trie = buildTrie(v)
	v.index()
	return v, nil
}

// Len is the number of tokens.
func (v *Vocab) Len() int { return len(v.kinds) }

// Piece is the text of a token; callers must not change it.
func (v *Vocab) Piece(id int32) []byte {
	begin, end := v.starts[id], v.starts[id+1]
	return v.text[begin:end:end]
}

// Kind says what a token is.
func (v *Vocab) Kind(id int32) Kind { return v.kinds[id] }

// EOG lists the tokens that end a generation; callers must not change it.
func (v *Vocab) EOG() []int32 { return v.eog }

// IsEOG says whether a token ends a generation.
func (v *Vocab) IsEOG(id int32) bool {
	for _, e := range v.eog {
		if e == id {
			return true
		}
	}
	return false
}

// Symbol finds the control or user-defined token whose text is exactly this.
func (v *Vocab) Symbol(text string) (int32, bool) {
	id, ok := v.symbols[text]
	return id, ok
}

// Trie is the prefix tree over all tokens that match text.
func (v *Vocab) Trie() *Trie { return &v.trie }

// Derived returns what make computed for key the first time it was asked; make may run twice when
// two goroutines ask at once, and one result is kept.
func (v *Vocab) Derived(key any, make func() any) any {
	if d, ok := v.derived.Load(key); ok {
		return d
	}
	d, _ := v.derived.LoadOrStore(key, make())
	return d
}

// Text says whether a token can match text at all.
func (v *Vocab) Text(id int32) bool {
	n := len(v.Piece(id))
	if n == 0 || n > MaxPiece {
		return false
	}
	switch v.kinds[id] {
	case Normal, Byte, UserDefined:
		return !v.IsEOG(id)
	}
	return false
}

// index fills in the tables that follow from the rest. Of two symbols tokens with one text the
// lower id wins, as in llama.cpp.
func (v *Vocab) index() {
	v.shapes = sync.OnceValue(func() *Shapes { return newShapes(v) })
	v.symbols = map[string]int32{}
	for id, k := range v.kinds {
		if k != Control && k != UserDefined {
			continue
		}
		if s := string(v.Piece(int32(id))); s != "" {
			if _, taken := v.symbols[s]; !taken {
				v.symbols[s] = int32(id)
			}
		}
	}
}
