package llama

import (
	"bytes"
	"io/fs"
)

// LoadMode is how a model's weights come into memory, by llama-server's names.
//
// Mapped weights are pages of their file: the system may drop them and read them again, and
// processes share them. Weights that were read lie in memory of the process's own, which Linux can
// hold in huge pages of 2 MiB: for each token a processor then looks up a few hundred addresses of
// pages instead of a hundred thousand. Measured in turns on two cores of a virtual machine, where
// a lookup costs most: Gemma 3 270M decodes 1.13 to 1.15 times as fast, a 0.6B model 1.1 times,
// prompts and four streams as before or a little faster.
type LoadMode string

// The modes of loading. The zero value is LoadAuto.
const (
	// LoadNone where CPUs compute, huge pages can be had and ModelOptions.Roomy; else LoadMmap
	LoadAuto LoadMode = "auto"
	LoadMmap LoadMode = "mmap"
	LoadNone LoadMode = "none"
)

// mapped decides between mapping the file and reading it.
func (o ModelOptions) mapped(onGPU, hugePages bool) bool {
	switch o.LoadMode {
	case LoadMmap:
		return true
	case LoadNone:
		return false
	}
	return onGPU || !hugePages || !o.Roomy
}

// hugePages tells whether Linux gives huge pages to who asks for them, which glibc's malloc does
// under the tunable that package worker sets. The root is that of the file system, or what a test
// puts in its place.
func hugePages(root fs.FS) bool {
	setting, err := fs.ReadFile(root, "sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && !bytes.Contains(setting, []byte("[never]"))
}
