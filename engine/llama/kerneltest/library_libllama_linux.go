//go:build cgo && libllama

package kerneltest

// #include <stdlib.h>
// #include "kernel_linux.h"
import "C"

import (
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"unsafe"
)

// Libraries are those of ggml's for CPUs, beside the linked libllama, that suit this one and have
// tenon's kernels in them (kernels.cmake): one, or one for each generation of CPUs.
func Libraries() []string {
	maps, _ := os.ReadFile("/proc/self/maps")
	base := regexp.MustCompile(`/\S*/libggml-base\.so`).Find(maps)
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(string(base)), "libggml-cpu*.so"))
	return slices.DeleteFunc(all, func(library string) bool { return !hasKernels(library) || !use(library) })
}

func hasKernels(library string) bool {
	file, err := elf.Open(library)
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // only read
	symbols, _ := file.DynamicSymbols()
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "__wrap_llamafile_sgemm" })
}

// Use has all that follows computed by one of them.
func Use(library string) { use(library) }

func use(library string) bool {
	if filepath.Base(library) == "libggml-cpu.so" {
		library = "" // linked
	}
	path := C.CString(library)
	defer C.free(unsafe.Pointer(path))
	return bool(C.tn_use(path))
}
