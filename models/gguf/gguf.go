package gguf

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNotGGUF: the file does not begin with GGUF's magic bytes.
var ErrNotGGUF = errors.New("not a GGUF file")

// ErrTruncated: the file ends before what its header promises.
var ErrTruncated = errors.New("the file is cut off")

// File is a GGUF file's header.
type File struct {
	Version uint32
	Keys    []string // in file order
	Tensors []Tensor
	Size    int64 // of the whole file, in bytes

	// scalars by their Go type; arrays as []string, []int64, []float64, []bool or []any
	values map[string]any
}

// Tensor describes one tensor.
type Tensor struct {
	Name   string
	Type   Type
	Shape  []uint64
	Offset int64 // in the file, in bytes
}

// Open reads a file's header.
func Open(path string) (*File, error) { return open(path, Read) }

// OpenBrief reads a file's header but for what its arrays hold: a vocabulary is most of a header,
// and a folder of models is read for their names and sizes.
func OpenBrief(path string) (*File, error) { return open(path, ReadBrief) }

func open(path string, read func(io.ReaderAt, int64) (*File, error)) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open model: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open model: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("open model: %s is a folder", path)
	}
	g, err := read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return g, nil
}

// Read reads the header of a file of size bytes. Errors wrap ErrNotGGUF or ErrTruncated where they
// apply.
func Read(r io.ReaderAt, size int64) (*File, error) { return newDecoder(r, size).file() }

// ReadBrief is Read, but that arrays hold nothing.
func ReadBrief(r io.ReaderAt, size int64) (*File, error) {
	d := newDecoder(r, size)
	d.brief = true
	return d.file()
}

func (d *decoder) file() (*File, error) {
	f := &File{Size: d.size, values: map[string]any{}}
	f.header(d)
	if d.err != nil {
		return nil, d.err
	}
	return f, nil
}

// Has tells whether a key is there.
func (f *File) Has(key string) bool {
	_, ok := f.values[key]
	return ok
}

// String returns a text, or "" if the key is absent or no text.
func (f *File) String(key string) string {
	s, _ := f.values[key].(string)
	return s
}

// Int returns a whole number of any width, or 0 and false.
func (f *File) Int(key string) (int64, bool) {
	switch v := f.values[key].(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), v <= 1<<63-1
	}
	return 0, false
}

// Strings returns an array of texts, or nil.
func (f *File) Strings(key string) []string {
	v, _ := f.values[key].([]string)
	return v
}

// Ints returns an array of whole numbers, or nil.
func (f *File) Ints(key string) []int64 {
	v, _ := f.values[key].([]int64)
	return v
}

// Architecture is general.architecture, such as "llama".
func (f *File) Architecture() string { return f.String("general.architecture") }

// Arch returns a number under the architecture's own prefix, such as llama.context_length for
// Arch("context_length").
func (f *File) Arch(key string) (int64, bool) { return f.Int(f.Architecture() + "." + key) }
