//go:build cgo

package llama

// #include "shim.h"
import "C"

import "unsafe"

// llama.cpp gives a cell that a sliding window has passed to the next token that comes by, even
// where the cache has room for all ([ContextOptions.SWAFull]), if no more than one sequence holds
// it (find_slot in llama-kv-cache.cpp). Whether a sequence can be cut, shared or copied would then
// depend on what others wrote meanwhile. So every cell of such a cache has two holders: sequence i
// and its twin, i+Sequences, of which only this package knows.

// twinned tells whether sequences have twins.
func (c *Context) twinned() bool {
	return c.options.SWAFull && c.model.SlidingWindow() > 0 && !c.model.Recurrent()
}

// remove takes the tokens from a position on from a sequence; 0 takes all of it.
func (c *Context) remove(sequence, position int) bool {
	if c.twinned() {
		C.llama_memory_seq_rm(c.mem, c.twin(sequence), C.llama_pos(position), -1)
	}
	return bool(C.llama_memory_seq_rm(c.mem, C.llama_seq_id(sequence), C.llama_pos(position), -1))
}

// give lets a sequence hold the cells of another from one position up to another, too.
func (c *Context) give(from, to, first, end int) {
	holders := []C.llama_seq_id{C.llama_seq_id(to)}
	if c.twinned() {
		holders = append(holders, c.twin(to))
	}
	for _, holder := range holders {
		C.llama_memory_seq_cp(c.mem, C.llama_seq_id(from), holder, C.llama_pos(first), C.llama_pos(end))
	}
}

// pair gives a sequence's cells to its twin.
func (c *Context) pair(sequence int) {
	if c.twinned() {
		C.llama_memory_seq_cp(c.mem, C.llama_seq_id(sequence), c.twin(sequence), -1, -1)
	}
}

func (c *Context) twin(sequence int) C.llama_seq_id {
	return C.llama_seq_id(sequence + c.options.Sequences)
}

// double adds the twins of its sequences to every token of a batch, until the function that it
// returns is called.
func (b *Batch) double(offset int) (undo func()) {
	counts := unsafe.Slice(b.batch.n_seq_id, b.Len())
	for i, ids := range unsafe.Slice(b.batch.seq_id, b.Len()) {
		n := counts[i]
		all := unsafe.Slice(ids, 2*n)
		for k := range n {
			all[n+k] = all[k] + C.llama_seq_id(offset)
		}
		counts[i] = 2 * n
	}
	return func() {
		for i := range counts {
			counts[i] /= 2
		}
	}
}
