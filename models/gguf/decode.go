package gguf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Limits that no real file comes near; they bound what a hostile one can make us do beside its own
// size.
const (
	maxKeys       = 1 << 16
	maxTensors    = 1 << 20
	maxKeyLength  = 1<<16 - 1 // the format's own
	maxDimensions = 4         // ggml's GGML_MAX_DIMS
	maxNesting    = 4         // arrays in arrays
	defaultAlign  = 32        // bytes; general.alignment overrides it
	minTensorInfo = 8 + 4 + 4 + 8
)

// decoder reads little-endian values and remembers the first error; every read after it returns
// zero.
type decoder struct {
	r     *bufio.Reader
	pos   int64
	size  int64
	brief bool // arrays are passed over
	short [64]byte
	err   error
}

func newDecoder(r io.ReaderAt, size int64) *decoder {
	return &decoder{r: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), size: size}
}

func (f *File) header(d *decoder) {
	var magic [4]byte
	d.read(magic[:])
	if d.err != nil || string(magic[:]) != "GGUF" {
		d.err = ErrNotGGUF
		return
	}
	f.Version = d.u32()
	if d.err == nil && f.Version != 2 && f.Version != 3 {
		d.fail("GGUF version %d is not supported; versions 2 and 3 are (a big-endian file shows as a huge version)", f.Version)
		return
	}
	tensors := d.count("tensors", maxTensors, minTensorInfo)
	keys := d.count("metadata keys", maxKeys, 8+4+1)
	f.metadata(d, keys)
	f.tensors(d, tensors)
}

func (f *File) metadata(d *decoder, n int) {
	f.Keys = make([]string, 0, n)
	for i := 0; i < n && d.err == nil; i++ {
		key := d.string("key", maxKeyLength)
		if d.err == nil && f.Has(key) {
			d.fail("metadata key %q appears twice", key)
		}
		f.Keys = append(f.Keys, key)
		f.values[key] = d.value(valueType(d.u32()), 0)
		if d.err != nil {
			d.err = fmt.Errorf("metadata key %q: %w", key, d.err)
		}
	}
}

func (f *File) tensors(d *decoder, n int) {
	f.Tensors = make([]Tensor, 0, n)
	for i := 0; i < n && d.err == nil; i++ {
		f.Tensors = append(f.Tensors, d.tensor())
	}
	align := int64(defaultAlign)
	if a, ok := f.Int("general.alignment"); ok {
		align = a
	}
	if d.err == nil && (align <= 0 || align&(align-1) != 0 || align > 1<<20) {
		d.fail("general.alignment is %d; a power of two is expected", align)
	}
	if d.err != nil {
		return
	}
	start := (d.pos + align - 1) / align * align
	for i := range f.Tensors {
		f.Tensors[i].Offset += start
		if err := f.Tensors[i].inside(f.Size); err != nil {
			d.err = err
			return
		}
	}
}

func (d *decoder) tensor() Tensor {
	t := Tensor{Name: d.string("tensor name", maxKeyLength)}
	dims := d.u32()
	if d.err == nil && dims > maxDimensions {
		d.fail("tensor %q has %d dimensions; at most %d are possible", t.Name, dims, maxDimensions)
	}
	for i := uint32(0); i < dims && d.err == nil; i++ {
		t.Shape = append(t.Shape, d.u64())
	}
	t.Type = Type(d.u32())
	offset := d.u64()
	if d.err == nil && offset > uint64(d.size) {
		d.err = fmt.Errorf("tensor %q begins %d bytes into the weights of a file of %d bytes: %w", t.Name, offset, d.size, ErrTruncated)
	}
	t.Offset = int64(offset)
	return t
}

// value reads one value; nested counts the arrays around it.
func (d *decoder) value(t valueType, nested int) any {
	switch t {
	case typeUint8, typeUint16, typeUint32, typeUint64:
		return d.uint(t.size())
	case typeInt8, typeInt16, typeInt32, typeInt64:
		return d.int(t.size())
	case typeFloat32:
		return float64(math.Float32frombits(d.u32()))
	case typeFloat64:
		return math.Float64frombits(d.u64())
	case typeBool:
		return d.uint(1) != 0
	case typeString:
		return d.string("text", d.left())
	case typeArray:
		return d.array(nested + 1)
	}
	d.fail("value type %d is not known", t)
	return nil
}

func (d *decoder) array(nested int) any {
	if nested > maxNesting {
		d.fail("arrays are nested deeper than %d", maxNesting)
		return nil
	}
	t := valueType(d.u32())
	n := d.count("array elements", math.MaxInt32, t.size())
	if d.brief {
		d.pass(t, n, nested)
		return nil
	}
	switch t {
	case typeString:
		return fill(d, n, func() string { return d.string("text", d.left()) })
	case typeBool:
		return fill(d, n, func() bool { return d.uint(1) != 0 })
	case typeFloat32:
		return fill(d, n, func() float64 { return float64(math.Float32frombits(d.u32())) })
	case typeFloat64:
		return fill(d, n, func() float64 { return math.Float64frombits(d.u64()) })
	case typeUint8, typeUint16, typeUint32, typeUint64:
		return fill(d, n, func() int64 { return int64(d.uint(t.size())) })
	case typeInt8, typeInt16, typeInt32, typeInt64:
		return fill(d, n, func() int64 { return d.int(t.size()) })
	default:
		return fill(d, n, func() any { return d.value(t, nested) })
	}
}

// pass passes over n elements of an array.
func (d *decoder) pass(t valueType, n, nested int) {
	switch t {
	case typeString:
		for i := 0; i < n && d.err == nil; i++ {
			d.discard(d.length("text", d.left()))
		}
	case typeArray:
		for i := 0; i < n && d.err == nil; i++ {
			d.array(nested + 1)
		}
	default:
		if t > typeFloat64 && n > 0 {
			d.value(t, nested) // says what is wrong
		}
		d.discard(int64(n) * int64(t.size()))
	}
}

// fill reads n elements. It grows the slice as it reads, so that a lying count costs no memory
// before the file ends.
func fill[T any](d *decoder, n int, next func() T) []T {
	out := make([]T, 0, min(n, 1<<12))
	for i := 0; i < n && d.err == nil; i++ {
		out = append(out, next())
	}
	return out
}

// count reads the number of things to come, each of at least size bytes.
func (d *decoder) count(of string, limit int64, size int) int {
	n := d.u64()
	if d.err != nil {
		return 0
	}
	if n > uint64(limit) {
		d.fail("the header promises %d %s; at most %d are possible", n, of, limit)
		return 0
	}
	if int64(n)*int64(max(size, 1)) > d.left() {
		d.err = fmt.Errorf("the header promises %d %s, but %d bytes are left: %w", n, of, d.left(), ErrTruncated)
		return 0
	}
	return int(n)
}

func (d *decoder) string(of string, limit int64) string {
	n := d.length(of, limit)
	b := d.short[:min(n, int64(len(d.short)))]
	if n > int64(len(b)) {
		b = make([]byte, n)
	}
	d.read(b)
	return string(b)
}

// length reads how long a text is; 0 behind an error.
func (d *decoder) length(of string, limit int64) int64 {
	n := d.u64()
	switch {
	case d.err != nil:
		return 0
	case n > uint64(d.left()):
		d.err = fmt.Errorf("a %s of %d bytes, but %d bytes are left: %w", of, n, d.left(), ErrTruncated)
		return 0
	case n > uint64(limit):
		d.fail("a %s of %d bytes; at most %d are possible", of, n, limit)
		return 0
	}
	return int64(n)
}

func (d *decoder) left() int64 { return d.size - d.pos }

func (d *decoder) u32() uint32 { return uint32(d.uint(4)) }
func (d *decoder) u64() uint64 { return d.uint(8) }

func (d *decoder) uint(size int) uint64 {
	var b [8]byte
	d.read(b[:size])
	return binary.LittleEndian.Uint64(b[:])
}

func (d *decoder) int(size int) int64 {
	shift := 64 - 8*size
	return int64(d.uint(size)<<shift) >> shift
}

func (d *decoder) read(b []byte) {
	if d.err != nil {
		return
	}
	n, err := io.ReadFull(d.r, b)
	d.passed(int64(n), err)
}

func (d *decoder) discard(size int64) {
	if d.err != nil {
		return
	}
	n, err := d.r.Discard(int(size))
	d.passed(int64(n), err)
}

func (d *decoder) passed(n int64, err error) {
	d.pos += n
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrTruncated
	}
	d.err = err
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}
