//go:build cgo

package llama

// #include "sample.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"tenon/engine"
)

// ErrNoCandidate: no token may be chosen: the mask is empty, or a bias of -Inf forbids what it
// allows.
var ErrNoCandidate = errors.New("no token may be chosen")

// Candidates says which tokens may be chosen. At most one field is set; without any, all tokens
// may be.
type Candidates struct {
	Only   []int32  // these, ascending
	Except []int32  // all but these, ascending
	Bits   []uint64 // those whose bit is set: token t is bit t%64 of word t/64
}

// Sampler chooses tokens. It remembers those it was told of, for the penalties, and the state of
// its random numbers. It belongs to one goroutine.
type Sampler struct {
	ptr   *C.tn_sampler
	vocab int
}

// NewSampler makes a sampler. Fields of s that are not set take the file's general.sampling.*,
// else llama-server's defaults; see [Model.Sampling].
func (m *Model) NewSampler(s engine.Sampling) (*Sampler, error) {
	if m.ptr == nil {
		return nil, errors.New("make sampler: the model is closed")
	}
	s = s.Or(m.Sampling())
	if err := checkSampling(s); err != nil {
		return nil, fmt.Errorf("make sampler: %w", err)
	}
	options := m.cSampling(s)
	ids := slices.Sorted(maps.Keys(s.LogitBias))
	ids = slices.DeleteFunc(ids, func(id int32) bool { return id < 0 || int(id) >= m.vocab.size })
	biases := make([]C.float, len(ids))
	for i, id := range ids {
		biases[i] = C.float(s.LogitBias[id])
	}
	breakers := append([]byte(strings.Join(s.DRYBreakers, "\x00")), 0)
	ptr := C.tn_sampler_new(m.ptr, &options, (*C.char)(unsafe.Pointer(&breakers[0])), C.int(len(s.DRYBreakers)),
		(*C.int32_t)(unsafe.Pointer(unsafe.SliceData(ids))), unsafe.SliceData(biases), C.int(len(ids)))
	if ptr == nil {
		return nil, errors.New("make sampler: no memory is left for it")
	}
	return &Sampler{ptr: ptr, vocab: m.vocab.size}, nil
}

func checkSampling(s engine.Sampling) error {
	for _, f := range engine.SamplingFields {
		if v, _ := f.Get(s); !f.Takes(v) {
			return fmt.Errorf("%s is %v, which is out of its range", f.Key, v)
		}
	}
	for _, b := range s.DRYBreakers {
		if strings.ContainsRune(b, 0) {
			return errors.New("a dry_sequence_breaker holds a NUL")
		}
	}
	for id, v := range s.LogitBias {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 1) {
			return fmt.Errorf("the logit bias of token %d must be a number or -Inf", id)
		}
	}
	return nil
}

// longestWindow of tokens that penalties look back. Each turn takes memory for its window, and a
// file may say that its model was trained for two billion.
const longestWindow = 1 << 20

// cSampling is s for C, whose fields are called as the keys of the table of sampling fields.
func (m *Model) cSampling(s engine.Sampling) C.tn_sampling {
	out := C.tn_sampling{seed: C.uint32_t(*s.Seed)}
	to := reflect.ValueOf(&out).Elem()
	for _, f := range engine.SamplingFields {
		v, _ := f.Get(s)
		switch at := unsafe.Pointer(to.FieldByName(f.Key).UnsafeAddr()); {
		case !f.Whole:
			*(*C.float)(at) = C.float(v)
		case f.Window:
			most := min(m.TrainedContext(), longestWindow)
			if v < 0 {
				v = float64(most)
			}
			*(*C.int)(at) = C.int(min(v, float64(most)))
		default:
			*(*C.int)(at) = C.int(max(min(v, math.MaxInt32), 0))
		}
	}
	return out
}

// Close frees the sampler. It is safe to call more than once.
func (s *Sampler) Close() {
	if s.ptr != nil {
		C.tn_sampler_free(s.ptr)
		s.ptr = nil
	}
}

// Sample chooses a token. The sampler does not remember it until Accept.
func (s *Sampler) Sample(logits []float32, allowed Candidates) (int32, error) {
	if len(logits) != s.vocab {
		return 0, fmt.Errorf("sample: %d logits for a vocabulary of %d", len(logits), s.vocab)
	}
	c, err := s.cCandidates(allowed)
	if err != nil {
		return 0, fmt.Errorf("sample: %w", err)
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	if c.ids != nil {
		pin.Pin(c.ids)
	}
	if c.bits != nil {
		pin.Pin(c.bits)
	}
	id := int32(C.tn_sampler_pick(s.ptr, (*C.float)(unsafe.Pointer(&logits[0])), c))
	if id < 0 {
		return 0, fmt.Errorf("sample: %w", ErrNoCandidate)
	}
	return id, nil
}

func (s *Sampler) cCandidates(a Candidates) (C.tn_candidates, error) {
	switch {
	case a.Only != nil:
		return s.idCandidates(C.TN_ONLY, a.Only)
	case len(a.Except) > 0:
		return s.idCandidates(C.TN_EXCEPT, a.Except)
	case a.Bits != nil:
		if len(a.Bits)*64 < s.vocab {
			return C.tn_candidates{}, fmt.Errorf("a mask of %d words for a vocabulary of %d", len(a.Bits), s.vocab)
		}
		return C.tn_candidates{kind: C.TN_BITS, bits: (*C.uint64_t)(unsafe.Pointer(&a.Bits[0])), n: C.int(len(a.Bits))}, nil
	}
	return C.tn_candidates{kind: C.TN_ALL}, nil
}

func (s *Sampler) idCandidates(kind C.int, ids []int32) (C.tn_candidates, error) {
	if len(ids) == 0 {
		return C.tn_candidates{}, ErrNoCandidate
	}
	if ids[0] < 0 || int(ids[len(ids)-1]) >= s.vocab {
		return C.tn_candidates{}, errors.New("a candidate is outside the vocabulary")
	}
	return C.tn_candidates{kind: kind, ids: (*C.int32_t)(unsafe.Pointer(&ids[0])), n: C.int(len(ids))}, nil
}

// Considered is how many tokens the last Sample weighed against each other: a measure of its work.
func (s *Sampler) Considered() int { return int(C.tn_sampler_considered(s.ptr)) }

// Accept tells the sampler which tokens came next: those it chose, those a grammar forced, and,
// before the first Sample, the prompt's. Ids outside the vocabulary are left out.
func (s *Sampler) Accept(ids ...int32) {
	for _, id := range ids {
		if id < 0 || int(id) >= s.vocab {
			s.Accept(slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return id < 0 || int(id) >= s.vocab })...)
			return
		}
	}
	if len(ids) > 0 {
		C.tn_sampler_accept(s.ptr, (*C.int32_t)(unsafe.Pointer(&ids[0])), C.int(len(ids)))
	}
}

// TopLogprobs is the natural logarithm of a token's probability over the whole vocabulary, before
// mask, penalties and temperature, and the same of the n likeliest ones, best first.
func TopLogprobs(logits []float32, id int32, n int) (float32, []TokenLogprob) {
	total := logSumExp(logits)
	n = min(n, len(logits))
	if n <= 0 {
		return float32(float64(logits[id]) - total), nil
	}
	ids := make([]int32, n)
	n = int(C.tn_top((*C.float)(unsafe.Pointer(&logits[0])), C.int(len(logits)), C.int(n), (*C.int32_t)(unsafe.Pointer(&ids[0]))))
	top := make([]TokenLogprob, n)
	for i, id := range ids[:n] {
		top[i] = TokenLogprob{id, float32(float64(logits[id]) - total)}
	}
	return float32(float64(logits[id]) - total), top
}

// TokenLogprob is a token with the logarithm of its probability.
type TokenLogprob struct {
	ID      int32
	Logprob float32
}

func logSumExp(logits []float32) float64 {
	return float64(C.tn_logsumexp((*C.float)(unsafe.Pointer(&logits[0])), C.int(len(logits))))
}
