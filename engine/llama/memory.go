//go:build cgo

package llama

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"tenon/engine"
)

// Rewind says how far back this context's sequences can be cut. [Context.CanCut] answers for one
// place.
func (c *Context) Rewind() engine.Rewind {
	switch {
	case c.model.Recurrent():
		return engine.RewindCheckpoints
	case c.model.SlidingWindow() > 0 && !c.options.SWAFull:
		return engine.RewindWindow
	}
	return engine.RewindAny
}

// MaxPosition is the last position that the memory holds of a sequence, -1 if it holds none.
func (c *Context) MaxPosition(sequence int) int {
	if c.checkSequence(sequence) != nil {
		return -1
	}
	return int(C.llama_memory_seq_pos_max(c.mem, C.llama_seq_id(sequence)))
}

// MinPosition is the first position from which on the memory holds all of a sequence, -1 if it
// holds none. Sliding windows forget what lies before; of a recurrent model it is the last
// position.
func (c *Context) MinPosition(sequence int) int {
	if c.checkSequence(sequence) != nil {
		return -1
	}
	return int(C.llama_memory_seq_pos_min(c.mem, C.llama_seq_id(sequence)))
}

// CanCut tells whether a sequence can be cut so that its next token goes to the position: whether
// everything that such a token attends to is still there.
func (c *Context) CanCut(sequence, position int) bool {
	if c.checkSequence(sequence) != nil || position < 0 {
		return false
	}
	last := c.MaxPosition(sequence)
	if position == 0 || position > last {
		return position == 0 || position == last+1
	}
	switch c.Rewind() {
	case engine.RewindCheckpoints:
		return false
	case engine.RewindWindow:
		return c.MinPosition(sequence) <= max(0, position-c.model.SlidingWindow())
	}
	return true
}

// Cut removes a sequence's tokens from the position on. It returns false, and leaves the sequence
// as it is, if [Context.CanCut] does; position 0 removes the whole sequence, always.
func (c *Context) Cut(sequence, position int) bool {
	if !c.CanCut(sequence, position) {
		return false
	}
	return c.remove(sequence, position)
}

// Share gives a sequence the first tokens of another, up to the position (not included), without
// copying their cells. What the sequence held before is removed. A recurrent model's state is
// copied whole, so there the position must be one after the other's last.
func (c *Context) Share(from, to, position int) error {
	if err := errors.Join(c.checkSequence(from), c.checkSequence(to)); err != nil {
		return fmt.Errorf("share prefix: %w", err)
	}
	switch last := c.MaxPosition(from); {
	case from == to:
		return errors.New("share prefix: a sequence with itself")
	case position <= 0 || position > last+1:
		return fmt.Errorf("share prefix: position %d is outside 1 to %d", position, last+1)
	case c.model.Recurrent() && position != last+1:
		return errors.New("share prefix: a recurrent state cannot be cut")
	case !c.CanCut(from, position):
		return errors.New("share prefix: the sliding window has passed it")
	}
	c.remove(to, 0)
	c.give(from, to, 0, position)
	return nil
}

// Append gives a sequence another's tokens from one position up to another (not included) without
// copying their cells. The first sequence must end before them or be empty.
func (c *Context) Append(from, to, first, end int) error {
	if err := errors.Join(c.checkSequence(from), c.checkSequence(to)); err != nil {
		return fmt.Errorf("append cells: %w", err)
	}
	last := c.MaxPosition(to)
	switch {
	case from == to || c.Rewind() != engine.RewindAny:
		return errors.New("append cells: the memory cannot share them")
	case first < c.MinPosition(from) || first >= end || end > c.MaxPosition(from)+1 || last >= 0 && last != first-1:
		return fmt.Errorf("append cells: positions %d to %d do not go on after %d", first, end, last)
	}
	c.give(from, to, first, end)
	return nil
}

// Clear removes all sequences.
func (c *Context) Clear() {
	if c.mem != nil {
		C.llama_memory_clear(c.mem, false)
	}
}

// Save returns a copy of a sequence's memory, in memory of C that the caller gives back with
// [Free]: Go would hold about as much again before it looked for what nobody uses. The bytes are
// private to this build of llama.cpp, this model and these options.
func (c *Context) Save(sequence int) ([]byte, error) {
	if err := c.checkSequence(sequence); err != nil {
		return nil, fmt.Errorf("save state: %w", err)
	}
	size := C.llama_state_seq_get_size(c.ptr.llama, C.llama_seq_id(sequence))
	if size == 0 {
		return nil, errors.New("save state: the sequence is empty")
	}
	data, err := Alloc(int(size))
	if err != nil {
		return nil, fmt.Errorf("save state: %w", err)
	}
	n := C.llama_state_seq_get_data(c.ptr.llama, (*C.uint8_t)(unsafe.Pointer(&data[0])), size, C.llama_seq_id(sequence))
	if n == 0 {
		Free(data)
		return nil, errors.New("save state: llama.cpp refused")
	}
	return data[:n], nil
}

// Alloc returns memory of C, of at least a byte, as Save does.
func Alloc(size int) ([]byte, error) {
	data := C.malloc(C.size_t(max(size, 1)))
	if data == nil {
		return nil, fmt.Errorf("there is no memory for %d bytes", size)
	}
	return unsafe.Slice((*byte)(data), max(size, 1)), nil
}

// Free gives back what Save or Alloc returned.
func Free(saved []byte) { C.free(unsafe.Pointer(unsafe.SliceData(saved))) }

// Restore puts back what Save returned, and cuts the sequence so that its next token goes to the
// position at which it was saved. On an error the sequence is removed.
func (c *Context) Restore(sequence int, data []byte, position int) error {
	if err := c.checkSequence(sequence); err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	if len(data) == 0 || position <= 0 {
		return errors.New("restore state: it is empty")
	}
	if c.twinned() {
		C.llama_memory_seq_rm(c.mem, c.twin(sequence), -1, -1)
	}
	var failure C.tn_error
	n := C.tn_state_set(c.ptr, (*C.uint8_t)(unsafe.Pointer(&data[0])), C.size_t(len(data)), C.int(sequence), &failure)
	if n != 0 && c.remove(sequence, position) && c.MaxPosition(sequence) == position-1 {
		c.pair(sequence)
		return nil
	}
	c.remove(sequence, 0)
	return fmt.Errorf("restore state of sequence %d at position %d: %s", sequence, position,
		cmp.Or(errorText(&failure), "it does not fit what the sequence holds"))
}

func (c *Context) checkSequence(sequence int) error {
	switch {
	case c.ptr == nil:
		return errClosed
	case c.mem == nil:
		return errors.New("the model has no memory")
	case sequence < 0 || sequence >= c.options.Sequences:
		return fmt.Errorf("sequence %d is outside 0 to %d", sequence, c.options.Sequences-1)
	}
	return nil
}
