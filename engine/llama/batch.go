//go:build cgo

package llama

// #include "shim.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"
)

// Batch is tokens to be evaluated in one go. Tokens of several sequences may be mixed; those of
// one sequence must be in the order of their positions, without a gap to what the memory holds.
type Batch struct {
	batch     C.struct_llama_batch
	capacity  int
	sequences int
	outputs   []int

	minToken, maxToken       int
	minSequence, maxSequence int
}

// ErrBatchFull: the batch has no room for another token, or for as many sequences of one token.
var ErrBatchFull = errors.New("the batch is full")

// NewBatch makes a batch for so many tokens, each in at most so many sequences; there is room for
// their twins.
func NewBatch(capacity, sequences int) *Batch {
	capacity, sequences = max(capacity, 1), max(sequences, 1)
	b := &Batch{batch: C.llama_batch_init(C.int32_t(capacity), 0, C.int32_t(2*sequences)), capacity: capacity, sequences: sequences}
	b.Clear()
	return b
}

// Close frees the batch. It is safe to call more than once.
func (b *Batch) Close() {
	if b.batch.token != nil {
		C.llama_batch_free(b.batch)
		b.batch = C.struct_llama_batch{}
		b.capacity = 0
	}
}

// Len is the number of tokens.
func (b *Batch) Len() int { return int(b.batch.n_tokens) }

// Clear empties the batch.
func (b *Batch) Clear() {
	b.batch.n_tokens = 0
	b.outputs = b.outputs[:0]
	b.minToken, b.maxToken = math.MaxInt, -1
	b.minSequence, b.maxSequence = math.MaxInt, -1
}

// Add appends a token at a position of one or more sequences and returns its index in the batch,
// by which its logits are read if output is set.
func (b *Batch) Add(token int32, position int, output bool, sequences ...int) (int, error) {
	i := b.Len()
	if i >= b.capacity || len(sequences) > b.sequences || len(sequences) == 0 {
		return 0, ErrBatchFull
	}
	unsafe.Slice(b.batch.token, b.capacity)[i] = C.llama_token(token)
	unsafe.Slice(b.batch.pos, b.capacity)[i] = C.llama_pos(position)
	unsafe.Slice(b.batch.n_seq_id, b.capacity)[i] = C.int32_t(len(sequences))
	ids := unsafe.Slice(unsafe.Slice(b.batch.seq_id, b.capacity)[i], b.sequences)
	for k, s := range sequences {
		ids[k] = C.llama_seq_id(s)
		b.minSequence, b.maxSequence = min(b.minSequence, s), max(b.maxSequence, s)
	}
	logits := C.int8_t(0)
	if output {
		logits = 1
		b.outputs = append(b.outputs, i)
	}
	unsafe.Slice(b.batch.logits, b.capacity)[i] = logits
	b.minToken, b.maxToken = min(b.minToken, int(token)), max(b.maxToken, int(token))
	b.batch.n_tokens++
	return i, nil
}
