package tinymodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// file collects a GGUF file, version 3: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
type file struct {
	seed    uint64
	weights Weights // of matrices
	widened bool
	keys    []string
	values  map[string]any
	tensors []tensor
}

type tensor struct {
	name    string
	dims    []int // fastest first
	kind    Weights
	widened bool
	spread  float64 // standard deviation of random weights
	value   float32 // of all weights, where spread is 0
}

const alignment = 32

func (f *file) set(key string, v any) {
	if f.values == nil {
		f.values = map[string]any{}
	}
	if _, there := f.values[key]; !there {
		f.keys = append(f.keys, key)
	}
	f.values[key] = v
}

// matrix adds random weights, quantized if the file's are.
func (f *file) matrix(name string, spread float64, dims ...int) {
	kind := f.weights
	if dims[0]%max(formats[kind].weights, 1) != 0 {
		kind = F32
	}
	f.tensors = append(f.tensors, tensor{name: name, dims: dims, kind: kind, widened: f.widened, spread: spread})
}

// plain adds random weights that no engine wants quantized.
func (f *file) plain(name string, spread float64, dims ...int) {
	f.tensors = append(f.tensors, tensor{name: name, dims: dims, spread: spread})
}

func (f *file) constant(name string, value float32, dims ...int) {
	f.tensors = append(f.tensors, tensor{name: name, dims: dims, value: value})
}

func (f *file) vector(name string, value float32, n int) { f.constant(name, value, n) }

func (t tensor) weights() int {
	n := 1
	for _, d := range t.dims {
		n *= d
	}
	return n
}

func (t tensor) size() int {
	if t.stored() == F32 {
		return 4 * t.weights()
	}
	format := formats[t.kind]
	return t.weights() / format.weights * format.bytes
}

func (f *file) write(w io.Writer) error {
	var head bytes.Buffer
	// a Buffer never fails
	put := func(v any) { _ = binary.Write(&head, binary.LittleEndian, v) }
	head.WriteString("GGUF")
	put(uint32(3))
	put(uint64(len(f.tensors)))
	put(uint64(len(f.keys)))
	for _, key := range f.keys {
		if err := putValue(&head, key, f.values[key]); err != nil {
			return err
		}
	}
	offset := 0
	for _, t := range f.tensors {
		putString(&head, t.name)
		put(uint32(len(t.dims)))
		for _, d := range t.dims {
			put(uint64(d))
		}
		put(uint32(t.stored()))
		put(uint64(offset))
		offset = align(offset + t.size())
	}
	head.Write(make([]byte, align(head.Len())-head.Len()))
	if _, err := w.Write(head.Bytes()); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	for i, t := range f.tensors {
		if err := t.write(w, rand.New(rand.NewPCG(f.seed, uint64(i)))); err != nil {
			return fmt.Errorf("write model: tensor %s: %w", t.name, err)
		}
	}
	return nil
}

func align(n int) int { return (n + alignment - 1) / alignment * alignment }

func putString(b *bytes.Buffer, s string) {
	_ = binary.Write(b, binary.LittleEndian, uint64(len(s)))
	b.WriteString(s)
}

// valueType is the number by which GGUF calls a value's type.
func valueType(v any) (uint32, error) {
	switch v.(type) {
	case uint32:
		return 4, nil
	case int32:
		return 5, nil
	case float32:
		return 6, nil
	case bool:
		return 7, nil
	case string:
		return 8, nil
	}
	return 0, fmt.Errorf("write model: a metadata value of type %T", v)
}

func putValue(b *bytes.Buffer, key string, v any) error {
	put := func(v any) { _ = binary.Write(b, binary.LittleEndian, v) }
	putString(b, key)
	switch v := v.(type) {
	case []string:
		return putArray(b, v)
	case []int32:
		return putArray(b, v)
	case []float32:
		return putArray(b, v)
	default:
		kind, err := valueType(v)
		put(kind)
		if s, ok := v.(string); ok {
			putString(b, s)
		} else {
			put(v)
		}
		return err
	}
}

func putArray[T any](b *bytes.Buffer, list []T) error {
	var zero T
	kind, err := valueType(zero)
	for _, v := range []any{uint32(9), kind, uint64(len(list))} {
		_ = binary.Write(b, binary.LittleEndian, v)
	}
	for _, v := range list {
		if s, ok := any(v).(string); ok {
			putString(b, s)
		} else {
			_ = binary.Write(b, binary.LittleEndian, v)
		}
	}
	return err
}

// write writes the weights and pads them.
func (t tensor) write(w io.Writer, r *rand.Rand) error {
	var buf []byte
	if t.kind != F32 {
		buf = t.quantized(r)
	} else {
		buf = make([]byte, 0, 4*t.weights())
		for range t.weights() {
			v := t.value
			if t.spread != 0 {
				v = float32(r.NormFloat64() * t.spread)
			}
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
		}
	}
	_, err := w.Write(append(buf, make([]byte, align(len(buf))-len(buf))...))
	return err
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
