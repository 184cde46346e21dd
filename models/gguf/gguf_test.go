package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// file writes a GGUF header: little-endian values one after the other, strings with their length.
func file(parts ...any) []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	for _, p := range parts {
		if s, ok := p.(string); ok {
			_ = binary.Write(&b, binary.LittleEndian, uint64(len(s)))
			b.WriteString(s)
			continue
		}
		_ = binary.Write(&b, binary.LittleEndian, p)
	}
	return b.Bytes()
}

func small() []byte {
	b := file(uint32(3), uint64(1), uint64(5),
		"general.architecture", uint32(typeString), "llama",
		"llama.context_length", uint32(typeUint32), uint32(4096),
		"tokenizer.ggml.tokens", uint32(typeArray), uint32(typeString), uint64(2), "a", "b",
		"tokenizer.ggml.token_type", uint32(typeArray), uint32(typeInt32), uint64(2), int32(1), int32(-3),
		"tokenizer.ggml.add_bos_token", uint32(typeBool), uint8(1),
		"w", uint32(1), uint64(2), uint32(0), uint64(0))
	b = append(b, make([]byte, (32-len(b)%32)%32+8)...)
	return b
}

func read(b []byte) (*File, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func TestRead_valuesOfEveryKind(t *testing.T) {
	f, err := read(small())
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := f.Arch("context_length"); f.Architecture() != "llama" || n != 4096 {
		t.Errorf("architecture %q, context %d", f.Architecture(), n)
	}
	if got := f.Strings("tokenizer.ggml.tokens"); len(got) != 2 || got[1] != "b" {
		t.Errorf("tokens %q", got)
	}
	if got := f.Ints("tokenizer.ggml.token_type"); len(got) != 2 || got[1] != -3 {
		t.Errorf("types %d", got)
	}
	if v, ok := f.values["tokenizer.ggml.add_bos_token"].(bool); !v || !ok {
		t.Error("bool lost")
	}
}

// A brief header has all but what arrays hold.
func TestReadBrief_allButArrays(t *testing.T) {
	f, err := read(small())
	if err != nil {
		t.Fatal(err)
	}
	b, err := brief(small())
	if err != nil {
		t.Fatal(err)
	}
	if b.Strings("tokenizer.ggml.tokens") != nil || b.Ints("tokenizer.ggml.token_type") != nil {
		t.Error("an array is there")
	}
	for _, key := range []string{"tokenizer.ggml.tokens", "tokenizer.ggml.token_type"} {
		f.values[key] = nil
	}
	if !reflect.DeepEqual(b, f) {
		t.Errorf("%+v, want %+v", b, f)
	}
}

func brief(b []byte) (*File, error) { return ReadBrief(bytes.NewReader(b), int64(len(b))) }

// Every cut of a file is an error of its own kind, never a panic and never half a file.
func TestRead_everyTruncationIsAnError(t *testing.T) {
	whole := small()
	for n := range whole {
		for _, read := range []func([]byte) (*File, error){read, brief} {
			_, err := read(whole[:n])
			if n < 4 && !errors.Is(err, ErrNotGGUF) || n >= 4 && !errors.Is(err, ErrTruncated) {
				t.Fatalf("cut at %d of %d: %v", n, len(whole), err)
			}
		}
	}
}

func TestRead_hostileHeadersAreErrors(t *testing.T) {
	key := func(parts ...any) []byte {
		return file(append([]any{uint32(3), uint64(0), uint64(1), "k"}, parts...)...)
	}
	for name, b := range map[string][]byte{
		"not GGUF":            []byte("PK\x03\x04 not a model"),
		"version 1":           file(uint32(1)),
		"tensors without end": file(uint32(3), uint64(1)<<60, uint64(0)),
		"keys without end":    file(uint32(3), uint64(0), uint64(1)<<63),
		"text without end":    key(uint32(typeString), uint64(1)<<62),
		"array without end":   key(uint32(typeArray), uint32(typeUint8), uint64(1)<<62),
		"array of unknown":    key(uint32(typeArray), uint32(77), uint64(0), uint32(0)),
		"unknown type":        key(uint32(99), uint64(0)),
		"array in array in …": key(uint32(typeArray), uint32(typeArray), uint64(1), uint32(typeArray), uint64(1), uint32(typeArray), uint64(1), uint32(typeArray), uint64(1), uint32(typeArray), uint64(0), uint64(0), uint64(0)),
		"shape overflow":      append(file(uint32(3), uint64(1), uint64(0), "w", uint32(2), uint64(1)<<40, uint64(1)<<40, uint32(0), uint64(0)), make([]byte, 64)...),
	} {
		if _, err := read(b); err == nil && name != "array of unknown" {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A header that lies about its counts must not cost memory.
func TestRead_lyingCountsCostNoMemory(t *testing.T) {
	b := append(file(uint32(3), uint64(0), uint64(1), "k", uint32(typeArray), uint32(typeUint8), uint64(1<<20)), make([]byte, 1<<20-1)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := read(b); err == nil {
		t.Error("accepted")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes allocated for a file of %d", used, len(b))
	}
}

func FuzzRead_neverPanics(f *testing.F) {
	f.Add(small())
	f.Add([]byte("GGUF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := read(b)
		if _, short := brief(b); (err == nil) != (short == nil) {
			t.Errorf("read whole: %v; without arrays: %v", err, short)
		}
	})
}

func TestOpen_realVocabularies(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/data/vocab/*.gguf")
	if len(files) == 0 {
		t.Skip("../shared/data/vocab is not here")
	}
	for _, path := range files {
		f, err := Open(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(f.Strings("tokenizer.ggml.tokens")) < 10_000 {
			t.Errorf("%s: %d tokens", path, len(f.Strings("tokenizer.ggml.tokens")))
		}
	}
}

func TestOpen_saysWhatIsWrongWithAPath(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "none.gguf")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
