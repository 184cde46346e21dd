//go:build cgo

package llama

// #include <stdlib.h>
// #include "rows.h"
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// fewRows is which part of the vocabulary may be wanted at most: the kernels compute rows in
// panels of up to 16, and of more rows they would leave few panels out.
const fewRows = 32

// rows is which logits are wanted, in C's memory.
type rows struct {
	c    *C.tn_rows
	bits []uint64
}

func newRows(vocabulary int) rows {
	words := (vocabulary + 63) / 64
	r := rows{c: (*C.tn_rows)(C.calloc(1, C.size_t(C.sizeof_tn_rows+8*words)))}
	if r.c != nil {
		r.c.count = C.int64_t(vocabulary)
		r.bits = unsafe.Slice((*uint64)(unsafe.Add(unsafe.Pointer(r.c), C.sizeof_tn_rows)), words)
	}
	return r
}

func (r rows) close() { C.free(unsafe.Pointer(r.c)) }

func (r rows) known() *int32 { return (*int32)(unsafe.Pointer(&r.c.known)) }

// WantAll says that the next Decode's logits are wanted of all tokens, as they are at first.
func (c *Context) WantAll() {
	if c.rows.c != nil {
		atomic.StoreInt32(c.rows.known(), 0)
	}
}

// WantOnly says which tokens' logits are needed of the running or next Decode. Others need not
// be computed, and may be anything. It may be called while Decode runs, for logits are computed
// last, and once after each WantAll.
func (c *Context) WantOnly(lists ...[]int32) {
	sum := 0
	for _, ids := range lists {
		sum += len(ids)
	}
	if c.rows.c == nil || sum > c.model.vocab.size/fewRows {
		return
	}
	clear(c.rows.bits)
	for _, ids := range lists {
		for _, id := range ids {
			c.rows.bits[id/64] |= 1 << (id % 64)
		}
	}
	atomic.StoreInt32(c.rows.known(), 1)
}
