package gguf

import (
	"fmt"
	"math"
)

// valueType is a metadata value's type as the format numbers it.
type valueType uint32

const (
	typeUint8 valueType = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

// size is a value's least size in bytes.
func (t valueType) size() int {
	switch t {
	case typeUint8, typeInt8, typeBool:
		return 1
	case typeUint16, typeInt16:
		return 2
	case typeUint32, typeInt32, typeFloat32:
		return 4
	case typeUint64, typeInt64, typeFloat64, typeString:
		return 8
	default:
		return 12 // an array: its type and its length
	}
}

// Type is a tensor's type as ggml numbers it (enum ggml_type).
type Type uint32

// blocks gives the elements of a block and its size in bytes, by type. Types that are gone from
// ggml are absent, and so are those newer than this table: their tensors' ends are not checked
// here.
var blocks = map[Type]struct{ elements, bytes uint64 }{
	0: {1, 4}, 1: {1, 2}, // F32, F16
	// Q4_0 … Q8_1
	2: {32, 18}, 3: {32, 20}, 6: {32, 22}, 7: {32, 24}, 8: {32, 34}, 9: {32, 36},
	// Q2_K … Q8_K
	10: {256, 84}, 11: {256, 110}, 12: {256, 144}, 13: {256, 176}, 14: {256, 210}, 15: {256, 292},
	// IQ
	16: {256, 66}, 17: {256, 74}, 18: {256, 98}, 19: {256, 50}, 20: {32, 18}, 21: {256, 110}, 22: {256, 82}, 23: {256, 136},
	24: {1, 1}, 25: {1, 2}, 26: {1, 4}, 27: {1, 8}, 28: {1, 8}, // I8 … I64, F64
	29: {256, 56}, 30: {1, 2}, // IQ1_M, BF16
	34: {256, 54}, 35: {256, 66}, 39: {32, 17}, // TQ1_0, TQ2_0, MXFP4
}

// inside checks that the tensor's data lies in a file of size bytes.
func (t Tensor) inside(size int64) error {
	elements := uint64(1)
	for _, n := range t.Shape {
		if n != 0 && elements > math.MaxInt64/n {
			return fmt.Errorf("tensor %q has the impossible shape %d", t.Name, t.Shape)
		}
		elements *= n
	}
	b, known := blocks[t.Type]
	if !known {
		return nil
	}
	need := (elements + b.elements - 1) / b.elements
	if need > uint64(math.MaxInt64)/b.bytes || uint64(t.Offset)+need*b.bytes > uint64(size) {
		return fmt.Errorf("tensor %q ends beyond the file's %d bytes: %w", t.Name, size, ErrTruncated)
	}
	return nil
}
