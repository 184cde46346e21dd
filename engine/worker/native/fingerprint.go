//go:build cgo

package native

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tenon/engine/llama"
	"tenon/engine/shards"
	"tenon/engine/worker/runner"
)

// fingerprint is a hash of all that gives saved cells their meaning: the engine, the model, its
// adapters, and the settings that change what is in a cell or how it is stored.
func fingerprint(b *backend) (string, error) {
	sum := sha256.New()
	if err := addEngine(sum); err != nil {
		return "", err
	}
	c, o := b.context.Options(), b.options
	settings := []any{c.KeyType, c.ValueType, c.Flash, c.SWAFull, c.RoPE, b.info.Rewind, b.model.Offloaded(), o.GPULayers}
	if _, stretches := b.model.Metadata(b.model.Architecture() + ".rope.scaling.original_context_length"); stretches {
		settings = append(settings, c.Size) // it may choose between factors
	}
	for _, a := range o.LoRA {
		settings = append(settings, a.Scale)
	}
	if err := json.NewEncoder(sum).Encode(settings); err != nil {
		return "", err
	}
	files := shards.Files(o.Model)
	for _, a := range o.LoRA {
		files = append(files, a.Path)
	}
	for _, f := range files {
		if err := addSamples(sum, f); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// addEngine adds this program, and the llama.cpp that it has loaded.
func addEngine(sum hash.Hash) error {
	self, err := os.Executable()
	if runtime.GOOS == "linux" {
		self = "/proc/self/exe" // of a confined program
	}
	if err != nil {
		return err
	}
	f, err := os.Open(self)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := io.Copy(sum, f); err != nil || !llama.Shared {
		return err
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("which llama.cpp is loaded is not known: %w", err)
	}
	var libraries []string
	for line := range strings.Lines(string(maps)) {
		_, path, _ := strings.Cut(line, " /")
		if base := filepath.Base(path); strings.HasPrefix(base, "libllama") || strings.HasPrefix(base, "libggml") {
			libraries = append(libraries, "/"+strings.TrimSpace(path))
		}
	}
	if len(libraries) == 0 {
		return errors.New("which llama.cpp is loaded is not known")
	}
	slices.Sort(libraries)
	for _, path := range slices.Compact(libraries) {
		if err := addSamples(sum, path); err != nil {
			return err
		}
	}
	return nil
}

// Parts of a file that are looked at: hashing tens of gigabytes at each load would take as long as
// the load.
const (
	sampleEach = 1 << 20
	sampleSize = 4 << 10
)

// addSamples adds a file: its size, its time, and a part of each megabyte.
func addSamples(sum hash.Hash, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(sum, info.Size(), info.ModTime().UnixNano()) // a hash takes all
	part := make([]byte, sampleSize)
	for at := int64(0); at < info.Size(); at += sampleEach {
		n, err := f.ReadAt(part, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		_, _ = sum.Write(part[:n])
	}
	return nil
}

// kept says where the copies of a model's conversations outlive the worker.
func kept(b *backend) runner.Disk {
	o := b.options
	if o.DiskDir == "" || b.context == nil {
		return runner.Disk{}
	}
	print, err := fingerprint(b)
	if err != nil {
		slog.Warn("conversations are not kept on disk", "error", err)
		return runner.Disk{}
	}
	return runner.Disk{Path: o.DiskDir, Bytes: o.DiskCache, Fingerprint: print}
}
