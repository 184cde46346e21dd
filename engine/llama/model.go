//go:build cgo

package llama

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/cgo"
	"strings"
	"unsafe"

	"tenon/engine"
)

// Available tells whether this binary can run models itself.
const Available = true

// Model is a loaded GGUF file.
type Model struct {
	ptr      *C.struct_llama_model
	vocab    *Vocab
	adapters []adapter

	compute   computer
	offloaded bool // some layers are on a GPU
	vocabOnly bool // there are no weights
}

type adapter struct {
	ptr   *C.struct_llama_adapter_lora
	scale float32
}

// Load reads a model. Of a split file the first part is named. When ctx ends, loading stops and
// ctx's error is returned.
func Load(ctx context.Context, path string, o ModelOptions) (*Model, error) {
	initialize()
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load model: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("load model: %s is a folder", path)
	}
	p := &progress{ctx: ctx, report: o.Progress}
	handle := cgo.NewHandle(p)
	defer handle.Delete()
	layers := gpuLayers(o.GPULayers, info.Size())
	onGPU := layers != 0 && C.tn_gpu_free() > 0
	mapped := o.mapped(onGPU, hugePages(os.DirFS("/")))
	options := C.tn_model_options{
		gpu_layers: C.int(layers),
		mmap:       C.bool(mapped),
		vocab_only: C.bool(o.VocabOnly),
		progress:   C.uintptr_t(handle),
	}
	if !mapped && !o.VocabOnly && !onGPU {
		options.room = C.size_t(info.Size())
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var failure C.tn_error
	ptr := C.tn_model_load(name, &options, &failure)
	if ptr == nil {
		return nil, loadError(ctx, path, errorText(&failure))
	}
	m := &Model{ptr: ptr, vocabOnly: o.VocabOnly, offloaded: options.gpu_layers != 0 && C.tn_gpu_free() > 0}
	m.vocab = newVocab(C.llama_model_get_vocab(ptr))
	for _, a := range o.Adapters {
		if err := m.addAdapter(a); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

type progress struct {
	ctx    context.Context
	report func(float32)
}

//export tenonProgress
func tenonProgress(fraction C.float, handle C.uintptr_t) C.bool {
	p := cgo.Handle(handle).Value().(*progress)
	if p.report != nil {
		p.report(float32(fraction))
	}
	return C.bool(p.ctx.Err() == nil)
}

// gpuLayers asks for all layers if the weights and a fifth more fit the free memory of the GPUs,
// else for none: a split model is slower than its figures promise, so that is left to whoever sets
// the number.
func gpuLayers(want *int, size int64) int {
	if want != nil {
		return *want
	}
	if free := int64(C.tn_gpu_free()); free < size+size/5 {
		return 0
	}
	return 1 << 20
}

// FreeGPU is what is free of the memory of devices that layers can be offloaded to, in bytes; 0
// without any.
func FreeGPU() int64 {
	initialize()
	return int64(C.tn_gpu_free())
}

func errorText(e *C.tn_error) string {
	lines := strings.Split(strings.TrimSpace(C.GoString(&e.text[0])), "\n")
	return strings.Join(lines, "; ")
}

var unknownArchitecture = regexp.MustCompile(`unknown model architecture: '([^']*)'`)

func loadError(ctx context.Context, path, text string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("load %s: %w", path, err)
	}
	if match := unknownArchitecture.FindStringSubmatch(text); match != nil {
		return fmt.Errorf("load %s: this build's llama.cpp (%s) does not know the model architecture %q; a build with ENGINE=libllama takes a newer one",
			path, Source, match[1])
	}
	if text == "" {
		text = "llama.cpp gave no reason"
	}
	return fmt.Errorf("load %s: %s", path, text)
}

func (m *Model) addAdapter(a Adapter) error {
	name := C.CString(a.Path)
	defer C.free(unsafe.Pointer(name))
	var failure C.tn_error
	ptr := C.tn_adapter_load(m.ptr, name, &failure)
	if ptr == nil {
		return fmt.Errorf("load adapter %s: %s", a.Path, errorText(&failure))
	}
	scale := a.Scale
	if scale == 0 {
		scale = 1
	}
	m.adapters = append(m.adapters, adapter{ptr, scale})
	return nil
}

// Close frees the model. Its contexts and samplers must be closed before.
func (m *Model) Close() {
	if m.ptr != nil {
		m.vocab.close()
		m.compute.close()
		C.llama_model_free(m.ptr) // frees its adapters too
		m.ptr = nil
	}
}

// Vocab is the model's vocabulary.
func (m *Model) Vocab() *Vocab { return m.vocab }

// Description is llama.cpp's own, such as "gemma3 270M Q4_K - Medium".
func (m *Model) Description() string {
	return callString(func(buf *C.char, size C.size_t) C.int32_t { return C.llama_model_desc(m.ptr, buf, size) })
}

// Parameters is the number of weights.
func (m *Model) Parameters() int64 { return int64(C.llama_model_n_params(m.ptr)) }

// Size is the size of the weights in bytes.
func (m *Model) Size() int64 { return int64(C.llama_model_size(m.ptr)) }

// TrainedContext is the context that the model was trained with, in tokens.
func (m *Model) TrainedContext() int { return int(C.llama_model_n_ctx_train(m.ptr)) }

// Dimension is the length of an embedding vector.
func (m *Model) Dimension() int { return int(C.llama_model_n_embd(m.ptr)) }

// SlidingWindow is how many tokens the sliding-window layers look back; 0 for a model without
// them.
func (m *Model) SlidingWindow() int { return int(C.llama_model_n_swa(m.ptr)) }

// Offloaded tells whether some of the layers are on a GPU.
func (m *Model) Offloaded() bool { return m.offloaded }

// Recurrent tells whether the model keeps a running state, in some of its layers at least, which
// cannot be cut.
func (m *Model) Recurrent() bool {
	return bool(C.llama_model_is_recurrent(m.ptr)) || bool(C.llama_model_is_hybrid(m.ptr))
}

// Bidirectional tells whether tokens attend to those after them: the model yields vectors, not
// text.
func (m *Model) Bidirectional() bool {
	arch := m.Architecture()
	causal, _ := m.Metadata(arch + ".attention.causal")
	return causal == "false" || bool(C.llama_model_is_diffusion(m.ptr)) || !bool(C.llama_model_has_decoder(m.ptr)) ||
		strings.Contains(arch, "bert") || strings.Contains(arch, "embedding")
}

// Architecture is the file's general.architecture.
func (m *Model) Architecture() string {
	s, _ := m.Metadata("general.architecture")
	return s
}

// ChatTemplate is the file's chat template of that name, its default one for "". It is "" if there
// is none.
func (m *Model) ChatTemplate(name string) string {
	if name == "" {
		return C.GoString(C.llama_model_chat_template(m.ptr, nil))
	}
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.GoString(C.llama_model_chat_template(m.ptr, s))
}

// Metadata is a scalar value of the file as text.
func (m *Model) Metadata(key string) (string, bool) {
	s := C.CString(key)
	defer C.free(unsafe.Pointer(s))
	if C.llama_model_meta_val_str(m.ptr, s, nil, 0) < 0 {
		return "", false
	}
	return callString(func(buf *C.char, size C.size_t) C.int32_t {
		return C.llama_model_meta_val_str(m.ptr, s, buf, size)
	}), true
}

// AllMetadata is all scalar values of the file as text, by key.
func (m *Model) AllMetadata() map[string]string {
	n := C.llama_model_meta_count(m.ptr)
	all := make(map[string]string, n)
	for i := range n {
		key := callString(func(buf *C.char, size C.size_t) C.int32_t {
			return C.llama_model_meta_key_by_index(m.ptr, i, buf, size)
		})
		all[key] = callString(func(buf *C.char, size C.size_t) C.int32_t {
			return C.llama_model_meta_val_str_by_index(m.ptr, i, buf, size)
		})
	}
	return all
}

// callString calls a function that writes at most size bytes and returns how long the text is, as
// snprintf does.
func callString(f func(buf *C.char, size C.size_t) C.int32_t) string {
	buf := make([]byte, 256)
	n := f((*C.char)(unsafe.Pointer(&buf[0])), C.size_t(len(buf)))
	if int(n) >= len(buf) {
		buf = make([]byte, int(n)+1)
		n = f((*C.char)(unsafe.Pointer(&buf[0])), C.size_t(len(buf)))
	}
	if n <= 0 {
		return ""
	}
	return string(buf[:n])
}

var errClosed = errors.New("the context is closed")

// Sampling is what holds where a turn does not say otherwise: the file's general.sampling.*, else
// [DefaultSampling].
func (m *Model) Sampling() engine.Sampling { return FileSampling(m.Metadata).Or(DefaultSampling) }
