//go:build cgo

package llama

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"unsafe"
)

// NoToken is what a vocabulary has in the place of a special token that it lacks.
const NoToken int32 = -1

// Attr is a set of a token's attributes.
type Attr uint32

// The attributes of tokens.
const (
	Unknown     Attr = C.LLAMA_TOKEN_ATTR_UNKNOWN
	Unused      Attr = C.LLAMA_TOKEN_ATTR_UNUSED
	Normal      Attr = C.LLAMA_TOKEN_ATTR_NORMAL
	Control     Attr = C.LLAMA_TOKEN_ATTR_CONTROL
	UserDefined Attr = C.LLAMA_TOKEN_ATTR_USER_DEFINED
	Byte        Attr = C.LLAMA_TOKEN_ATTR_BYTE

	lstrip Attr = C.LLAMA_TOKEN_ATTR_LSTRIP
	rstrip Attr = C.LLAMA_TOKEN_ATTR_RSTRIP
)

// Vocab is a model's vocabulary. Its methods may be called from any goroutine. After Model.Close,
// Tokenize returns an error; all else is known from the load and stays.
type Vocab struct {
	size     int
	bos, eos int32
	addBOS   bool
	packed   []byte       // all pieces, one behind the other
	starts   []C.uint32_t // of each, and the end
	attrs    []C.uint32_t
	specials *specials
	spm      *spm // of such a vocabulary

	mu  sync.RWMutex // guards ptr: Close waits for who tokenizes
	ptr *C.struct_llama_vocab
}

func newVocab(ptr *C.struct_llama_vocab) *Vocab {
	v := &Vocab{
		ptr: ptr, size: int(C.llama_vocab_n_tokens(ptr)),
		bos: int32(C.llama_vocab_bos(ptr)), eos: int32(C.llama_vocab_eos(ptr)),
		addBOS: bool(C.llama_vocab_get_add_bos(ptr)),
	}
	if v.size > 0 {
		v.readPieces()
		v.attrs = make([]C.uint32_t, v.size)
		C.tn_attrs(ptr, &v.attrs[0])
	}
	v.specials = newSpecials(v)
	if C.llama_vocab_type(ptr) == C.LLAMA_VOCAB_TYPE_SPM {
		v.spm = newSPM(v)
	}
	return v
}

func (v *Vocab) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ptr = nil
}

// Size is the number of tokens.
func (v *Vocab) Size() int { return v.size }

// Pieces is the bytes of every token; control tokens are spelled. The bytes are shared: do not
// change them. The vocabulary itself keeps no slice for each: those of 262,144 tokens take 6 MB.
func (v *Vocab) Pieces() [][]byte {
	pieces := make([][]byte, v.size)
	for id := range pieces {
		pieces[id] = v.Piece(int32(id))
	}
	return pieces
}

// Piece is the bytes of one token, which may be part of a UTF-8 sequence; nil for an id outside
// the vocabulary.
func (v *Vocab) Piece(id int32) []byte {
	if id < 0 || int(id) >= v.size {
		return nil
	}
	begin, end := v.starts[id], v.starts[id+1]
	return v.packed[begin:end:end]
}

func (v *Vocab) readPieces() {
	v.starts = make([]C.uint32_t, v.size+1)
	buf := make([]byte, 16*v.size)
	read := func() int {
		return int(C.tn_pieces(v.ptr, (*C.char)(unsafe.Pointer(&buf[0])), C.size_t(len(buf)), &v.starts[1]))
	}
	n := read()
	if n > len(buf) {
		buf = make([]byte, n)
		read()
	}
	v.packed = bytes.Clone(buf[:n])
}

// Tokenize turns plain text into tokens: those of llama.cpp's, without BOS or EOS, and without
// control tokens. It takes time by the length of the text, whatever the text. Runs of thousands of
// bytes without a break, and texts of over a megabyte, may be cut where llama.cpp cuts no token.
func (v *Vocab) Tokenize(ctx context.Context, text string) ([]int32, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if err := v.tokenizes(); err != nil {
		return nil, err
	}
	ids := []int32{}
	for begun := false; text != ""; begun = true {
		cut, steps := cutText(text), 0
		for i, f := range v.specials.part(text[:cut], &steps) {
			if f.id != NoToken {
				ids = append(ids, f.id)
				continue
			}
			more, err := v.plainText(ctx, f.text, begun && i == 0)
			if err != nil {
				return nil, fmt.Errorf("tokenize: %w", err)
			}
			ids = append(ids, more...)
		}
		text = text[cut:]
	}
	return ids, nil
}

// plainText tokenizes text without special tokens, which may go on where another was cut.
func (v *Vocab) plainText(ctx context.Context, text string, goesOn bool) ([]int32, error) {
	if v.spm != nil {
		if v.spm.prefix && !goesOn {
			text = " " + text
		}
		return v.spm.append(nil, text), ctx.Err()
	}
	ids, err := []int32{}, ctx.Err()
	for more := []int32(nil); text != "" && err == nil; ids = append(ids, more...) {
		cut := len(text)
		if C.llama_vocab_type(v.ptr) == C.LLAMA_VOCAB_TYPE_BPE {
			cut = cutRun(text)
		}
		more, err = v.tokenize(text[:cut], TokenizeOptions{})
		text = text[cut:]
	}
	return ids, err
}

// TokenizeAtOnce has llama.cpp tokenize a whole text. It may take the square of the text's length,
// and more stack than there is: it is for texts that nobody sent.
func (v *Vocab) TokenizeAtOnce(text string, o TokenizeOptions) ([]int32, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if err := v.tokenizes(); err != nil {
		return nil, err
	}
	return v.tokenize(text, o)
}

func (v *Vocab) tokenizes() error {
	if v.ptr == nil {
		return errors.New("tokenize: the model is closed")
	}
	if C.llama_vocab_type(v.ptr) == C.LLAMA_VOCAB_TYPE_NONE {
		return errors.New("tokenize: the model has no vocabulary")
	}
	return nil
}

func (v *Vocab) tokenize(text string, o TokenizeOptions) ([]int32, error) {
	if len(text) > math.MaxInt32-16 {
		return nil, fmt.Errorf("a text of %d bytes is too long", len(text))
	}
	ids := make([]int32, len(text)/3+16)
	src := (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
	if text == "" {
		src = (*C.char)(unsafe.Pointer(&[]byte{0}[0]))
	}
	for {
		n := int(C.llama_tokenize(v.ptr, src, C.int32_t(len(text)), (*C.llama_token)(unsafe.Pointer(&ids[0])),
			C.int32_t(len(ids)), C.bool(o.AddSpecial), C.bool(o.ParseSpecial)))
		if n >= 0 {
			return ids[:n], nil
		}
		if -n <= len(ids) {
			return nil, errors.New("the text has too many tokens")
		}
		ids = make([]int32, -n)
	}
}

// text is a token as the vocabulary has it: before spaces, bytes and control tokens are unescaped.
func (v *Vocab) text(id int32) string {
	text := C.GoString(C.llama_vocab_get_text(v.ptr, C.llama_token(id)))
	if piece := string(v.Piece(id)); len(piece) > len(text) && strings.HasPrefix(piece, text) {
		return piece // a NUL is part of it
	}
	return text
}

// Attr is the attributes of a token.
func (v *Vocab) Attr(id int32) Attr {
	if id < 0 || int(id) >= v.size {
		return 0
	}
	return Attr(v.attrs[id] &^ C.TN_END)
}

// IsEnd tells whether a token ends a generation.
func (v *Vocab) IsEnd(id int32) bool {
	return id >= 0 && int(id) < v.size && v.attrs[id]&C.TN_END != 0
}

// Ends lists the tokens that end a generation.
func (v *Vocab) Ends() []int32 {
	var ends []int32
	for id := range int32(v.size) {
		if v.IsEnd(id) {
			ends = append(ends, id)
		}
	}
	return ends
}

// BOS is the token that begins a sequence, or NoToken.
func (v *Vocab) BOS() int32 { return v.bos }

// EOS is the token that ends a sequence, or NoToken.
func (v *Vocab) EOS() int32 { return v.eos }

// AddBOS tells whether the model was trained with BOS before every prompt.
func (v *Vocab) AddBOS() bool { return v.addBOS }
