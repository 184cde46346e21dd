package tokenjson

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tenon/grammar/vocab"
)

// mostTokens is four times what the largest vocabularies have.
const mostTokens = 1 << 20

// vocabulary is the tokens by id.
type vocabulary struct {
	ids    map[string]int32 // by the text that the file has
	pieces [][]byte
	kinds  []vocab.Kind
}

// vocabulary takes the model's tokens and the added ones. An id that is left out is a token that
// is not used.
func (f *file) vocabulary(byBytes bool) (*vocabulary, error) {
	if f.Model.Type != "BPE" && f.Model.Type != "" {
		return nil, fmt.Errorf("its model is %.40q, and only BPE is known here", f.Model.Type)
	}
	v := &vocabulary{}
	if err := json.Unmarshal(f.Model.Vocab, &v.ids); err != nil || len(v.ids) == 0 {
		return nil, fmt.Errorf("its vocabulary is not as expected: %w", err)
	}
	f.Model.Vocab = nil
	for text, id := range v.ids {
		piece, kind := pieceOf(text, byBytes)
		if err := v.put(id, piece, kind); err != nil {
			return nil, fmt.Errorf("the token %.40q: %w", text, err)
		}
	}
	for _, a := range f.Added {
		piece, kind := a.Content, vocab.Control
		if !a.Special {
			kind = vocab.UserDefined
			if !byBytes {
				piece = strings.ReplaceAll(piece, space, " ")
			}
		}
		if id, known := v.ids[a.Content]; known && id == a.ID {
			v.pieces[id] = nil // it is put anew
		}
		if err := v.put(a.ID, []byte(piece), kind); err != nil {
			return nil, fmt.Errorf("the token %.40q: %w", a.Content, err)
		}
		v.ids[a.Content] = a.ID
	}
	return v, nil
}

// named is the token of a text that a config names; -1: there is none.
func (v *vocabulary) named(text string) int32 {
	if id, ok := v.ids[text]; ok {
		return id
	}
	return -1
}

// put takes a token.
func (v *vocabulary) put(id int32, piece []byte, kind vocab.Kind) error {
	if id < 0 || id >= mostTokens || len(piece) == 0 {
		return fmt.Errorf("its id is %d, and its length %d", id, len(piece))
	}
	for int(id) >= len(v.pieces) {
		v.pieces, v.kinds = append(v.pieces, nil), append(v.kinds, vocab.Unused)
	}
	if v.pieces[id] != nil {
		return fmt.Errorf("its id %d is that of %.40q, too", id, v.pieces[id])
	}
	v.pieces[id], v.kinds[id] = piece, kind
	return nil
}

// pieceOf is what a token of the model stands for.
func pieceOf(text string, byBytes bool) ([]byte, vocab.Kind) {
	if !byBytes {
		if hex, ok := strings.CutPrefix(text, "<0x"); ok && len(text) == len("<0x0A>") {
			if b, err := strconv.ParseUint(hex[:2], 16, 8); err == nil {
				return []byte{byte(b)}, vocab.Byte
			}
		}
		return []byte(strings.ReplaceAll(text, space, " ")), vocab.Normal
	}
	var piece []byte
	for _, r := range text {
		b, ok := bytesOf[r]
		if !ok {
			// no word has it, unless it is an added token
			return []byte(text), vocab.Unused
		}
		piece = append(piece, b)
	}
	return piece, vocab.Normal
}

// letters are what GPT-2's vocabularies have in place of bytes: the byte itself where it is a
// letter that can be seen, else those from 256 on, in turn. bytesOf leads back.
var letters, bytesOf = func() (letters [256]rune, bytesOf map[rune]byte) {
	bytesOf = map[rune]byte{}
	next := rune(256)
	for b := range letters {
		if letters[b] = rune(b); b <= ' ' || b >= 0x7f && b <= 0xa0 || b == 0xad {
			letters[b] = next
			next++
		}
		bytesOf[letters[b]] = byte(b)
	}
	return letters, bytesOf
}()
