//go:build cgo

package llama

// #include "compute_thread.h"
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"tenon/engine"
)

// Context evaluates tokens and keeps the memory of sequences. It belongs to one goroutine.
type Context struct {
	model   *Model
	ptr     *C.tn_context
	mem     C.llama_memory_t
	options ContextOptions // as in force
	outputs []int          // batch index of each token of the last Decode that has logits
	threads threadGovernor
	job     *job // the running Decode, or the last one
	rows    rows
}

var kvTypes = map[KVType]C.int{"": C.GGML_TYPE_F16, KVF16: C.GGML_TYPE_F16, KVQ8_0: C.GGML_TYPE_Q8_0, KVQ4_0: C.GGML_TYPE_Q4_0}

var flashTypes = map[FlashAttention]C.int{
	"":        C.LLAMA_FLASH_ATTN_TYPE_AUTO,
	FlashAuto: C.LLAMA_FLASH_ATTN_TYPE_AUTO,
	FlashOn:   C.LLAMA_FLASH_ATTN_TYPE_ENABLED,
	FlashOff:  C.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}

var poolings = map[Pooling]C.int{
	"":          C.LLAMA_POOLING_TYPE_UNSPECIFIED,
	PoolingNone: C.LLAMA_POOLING_TYPE_NONE,
	PoolingMean: C.LLAMA_POOLING_TYPE_MEAN,
	PoolingCLS:  C.LLAMA_POOLING_TYPE_CLS,
	PoolingLast: C.LLAMA_POOLING_TYPE_LAST,
	PoolingRank: C.LLAMA_POOLING_TYPE_RANK,
}

// NewContext allocates the KV cache and the buffers of a context.
func (m *Model) NewContext(o ContextOptions) (*Context, error) {
	o, err := m.complete(o)
	if err != nil {
		return nil, fmt.Errorf("make context: %w", err)
	}
	c := &Context{model: m, options: o, threads: newThreadGovernor(o.Threads)}
	options := c.cOptions()
	var failure C.tn_error
	c.ptr = C.tn_context_new(m.ptr, &options, &failure)
	if c.ptr == nil {
		return nil, fmt.Errorf("make context of %d tokens: %s", o.Size, errorText(&failure))
	}
	c.rows = newRows(m.vocab.size)
	c.job = newJob(c.ptr, c.rows)
	c.mem = C.llama_get_memory(c.ptr.llama)
	c.options.Size = int(C.llama_n_ctx(c.ptr.llama))
	if err := c.setAdapters(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// complete fills in the defaults and refuses what llama.cpp would abort on.
func (m *Model) complete(o ContextOptions) (ContextOptions, error) {
	if o.Size < 0 || o.Batch < 0 || o.MicroBatch < 0 || o.Sequences < 0 || o.Threads < 0 {
		return o, errors.New("sizes and counts must not be negative")
	}
	if m.ptr == nil || m.vocabOnly {
		return o, errors.New("the model has no weights: it is closed, or only its vocabulary was loaded")
	}
	if bool(C.llama_model_has_encoder(m.ptr)) && bool(C.llama_model_has_decoder(m.ptr)) {
		return o, fmt.Errorf("%s is an encoder with a decoder: %w", m.Architecture(), engine.ErrUnsupported)
	}
	if o.Size == 0 {
		o.Size = m.TrainedContext()
	}
	o.Sequences = max(o.Sequences, 1)
	o.Threads = min(cmp.Or(o.Threads, GrantedThreads()), C.GGML_MAX_N_THREADS)
	if limit := int(C.llama_max_parallel_sequences()) / 2; o.Sequences > limit {
		return o, fmt.Errorf("%d sequences are more than llama.cpp's %d", o.Sequences, limit)
	}
	o.Batch = min(cmp.Or(o.Batch, engine.DefaultBatch), o.Size)
	o.MicroBatch = min(cmp.Or(o.MicroBatch, engine.MicroBatch(m.offloaded)), o.Batch)
	if m.Bidirectional() || o.Embeddings {
		o.MicroBatch = o.Batch // such a model sees a whole text at a time
	}
	if _, known := kvTypes[o.KeyType]; !known {
		return o, fmt.Errorf("unknown KV cache type %q", o.KeyType)
	}
	if _, known := kvTypes[o.ValueType]; !known {
		return o, fmt.Errorf("unknown KV cache type %q", o.ValueType)
	}
	if kvTypes[o.ValueType] != C.GGML_TYPE_F16 && o.Flash == FlashOff {
		return o, fmt.Errorf("a V cache of type %s needs flash attention", o.ValueType)
	}
	if _, known := flashTypes[o.Flash]; !known {
		return o, fmt.Errorf("unknown flash attention setting %q", o.Flash)
	}
	if _, known := poolings[o.Pooling]; !known {
		return o, fmt.Errorf("unknown pooling %q", o.Pooling)
	}
	return o, nil
}

func (c *Context) cOptions() C.tn_context_options {
	o := c.options
	var p C.tn_context_options
	p.n_ctx = C.uint32_t(o.Size)
	p.n_batch = C.uint32_t(o.Batch)
	p.n_ubatch = C.uint32_t(o.MicroBatch)
	p.n_seq_max = C.uint32_t(o.Sequences)
	if c.twinned() {
		p.n_seq_max *= 2
	}
	p.threads = C.int(o.Threads)
	p.type_k = kvTypes[o.KeyType]
	p.type_v = kvTypes[o.ValueType]
	p.flash_attn = flashTypes[o.Flash]
	p.pooling = poolings[o.Pooling]
	p.embeddings = C.bool(o.Embeddings)
	p.swa_full = C.bool(o.SWAFull)
	p.rope_freq_base = C.float(o.RoPE.FrequencyBase) // 0 is the model's own, to llama.cpp too
	p.rope_freq_scale = C.float(o.RoPE.FrequencyScale)
	return p
}

func (c *Context) setAdapters() error {
	n := len(c.model.adapters)
	if n == 0 {
		return nil
	}
	ptrs := make([]*C.struct_llama_adapter_lora, n)
	scales := make([]C.float, n)
	for i, a := range c.model.adapters {
		ptrs[i], scales[i] = a.ptr, C.float(a.scale)
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&scales[0])
	if C.tn_set_adapters(c.ptr, &ptrs[0], &scales[0], C.size_t(n)) != 0 {
		return errors.New("apply adapters: they do not fit the model")
	}
	return nil
}

// Close frees the context. It is safe to call more than once.
func (c *Context) Close() {
	if c.ptr != nil {
		c.job.close()
		c.rows.close()
		C.tn_context_free(c.ptr)
		c.ptr = nil
	}
}

// Options are the options in force, defaults filled in and Size as llama.cpp rounded it.
func (c *Context) Options() ContextOptions { return c.options }

// Size is the number of cells of the KV cache.
func (c *Context) Size() int { return c.options.Size }

// BatchSize is the most tokens that one Decode takes.
func (c *Context) BatchSize() int { return c.options.Batch }

// Decode evaluates a batch. Logits and embeddings of its output tokens can be read until the next
// call.
//
// [ErrNoMemorySlot] means that nothing was evaluated. When ctx ends, the evaluation stops within a
// fraction of a token and ctx's error is returned; then, and after any other error, sequences of
// the batch may hold a part of its tokens: see [Context.MaxPosition], and remove a recurrent
// model's sequences whole.
func (c *Context) Decode(ctx context.Context, b *Batch) error {
	if err := c.check(b); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	if ctx.Done() != nil {
		defer c.abortWith(ctx)()
	}
	if c.twinned() {
		defer b.double(c.options.Sequences)()
	}
	c.outputs = c.outputs[:0] // nothing may be read after a decode that fails
	j := c.job.c
	j.batch, j.threads, j.failure.text[0] = b.batch, C.int(c.threads.threads(b.Len())), 0
	if err := c.model.compute.do(c.job); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	rc := j.rc
	// beside a GPU, waiting threads are no sign of other processes
	if b.Len() < manyTokens && !c.model.offloaded {
		c.threads.record(time.Duration(j.effort.wall_ns), time.Duration(j.effort.cpu_ns))
	}
	switch {
	case rc == 0:
		c.outputs = append(c.outputs, b.outputs...)
		return nil
	case rc == 1:
		return fmt.Errorf("decode %d tokens: %w", b.Len(), ErrNoMemorySlot)
	case ctx.Err() != nil:
		return fmt.Errorf("decode: %w", ctx.Err())
	}
	return fmt.Errorf("decode %d tokens: %s", b.Len(), cmp.Or(errorText(&j.failure), fmt.Sprintf("llama.cpp returned %d", int(rc))))
}

// undisturbed tells whether the last Decode had all threads, and they the CPU time that they asked
// for.
func (c *Context) undisturbed() bool {
	got := float64(c.job.c.effort.cpu_ns) / float64(max(c.job.c.effort.wall_ns, 1))
	return c.threads.now == c.threads.most && got > 0.85*float64(c.threads.most)
}

// abortWith lets the end of ctx stop the running decode, until the function that it returns is
// called. That one leaves the next decode unharmed, however late ctx ended.
func (c *Context) abortWith(ctx context.Context) (done func()) {
	aborted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		C.tn_context_abort(c.ptr, true)
		close(aborted)
	})
	return func() {
		if !stop() {
			<-aborted
			C.tn_context_abort(c.ptr, false)
		}
	}
}

// check refuses what llama.cpp asserts about batches.
func (c *Context) check(b *Batch) error {
	switch {
	case c.ptr == nil:
		return errClosed
	case b.Len() == 0:
		return errors.New("the batch is empty")
	case b.Len() > c.options.Batch:
		return fmt.Errorf("a batch of %d tokens is larger than %d", b.Len(), c.options.Batch)
	case b.maxToken >= c.model.vocab.size || b.minToken < 0:
		return errors.New("a token is outside the vocabulary")
	case b.maxSequence >= c.options.Sequences || b.minSequence < 0:
		return fmt.Errorf("a sequence is outside 0 to %d", c.options.Sequences-1)
	}
	return nil
}

// Logits of the batch's token i, which must have been added as an output: one per token of the
// vocabulary. The slice is llama.cpp's own memory, valid until the next Decode. It is nil if token
// i has no logits.
func (c *Context) Logits(i int) []float32 {
	if !c.isOutput(i) || c.model.Bidirectional() {
		return nil
	}
	p := C.tn_logits(c.ptr, C.int(i))
	if p == nil {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(p)), c.model.vocab.size)
}

func (c *Context) isOutput(i int) bool {
	for _, o := range c.outputs {
		if o == i {
			return c.ptr != nil
		}
	}
	return false
}

// Embedding of a sequence that was in the last batch, pooled as the context does: valid until the
// next Decode, nil if there is none. Under PoolingRank it is the scores of the classifier.
func (c *Context) Embedding(sequence int) []float32 {
	if c.ptr == nil || !c.options.Embeddings || sequence < 0 || sequence >= c.options.Sequences {
		return nil
	}
	p := C.llama_get_embeddings_seq(c.ptr.llama, C.llama_seq_id(sequence))
	if p == nil {
		return nil
	}
	n := c.model.Dimension()
	if C.llama_pooling_type(c.ptr.llama) == C.LLAMA_POOLING_TYPE_RANK {
		n = int(C.llama_model_n_cls_out(c.model.ptr))
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(p)), n)
}

// TokenEmbedding of the batch's token i under PoolingNone; nil if there is none.
func (c *Context) TokenEmbedding(i int) []float32 {
	if !c.isOutput(i) || !c.options.Embeddings {
		return nil
	}
	p := C.llama_get_embeddings_ith(c.ptr.llama, C.int32_t(i))
	if p == nil {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(p)), c.model.Dimension())
}

// Pooling in force.
func (c *Context) Pooling() Pooling {
	kind := C.int(C.llama_pooling_type(c.ptr.llama))
	for name, p := range poolings {
		if p == kind {
			return name
		}
	}
	return PoolingNone
}
