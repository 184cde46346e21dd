package sandbox

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Needs are the files that a program may read beside itself and its libraries. A missing one is
// left out.
type Needs struct {
	Files  []string
	Memory uint64 // bytes that it may take at most, beside files that it maps; 0: no limit. Linux only
}

// splitName is the name of a part of a split model, as llama.cpp's tools give it.
var splitName = regexp.MustCompile(`^(.*-)(\d{5})(-of-(\d{5})\.gguf)$`)

// ModelFiles are the files of a model: all its parts if it is split.
func ModelFiles(path string) []string {
	m := splitName.FindStringSubmatch(path)
	if m == nil {
		return []string{path}
	}
	n, _ := strconv.Atoi(m[4]) // five digits
	files := make([]string, n)
	for i := range files {
		files[i] = fmt.Sprintf("%s%05d%s", m[1], i+1, m[3])
	}
	return files
}

// variable tells a program that it is confined, and how. [Environment] never passes it on.
const variable = "TENON_CONFINED"

// variables of the environment that a child gets. All others stay behind: some hold keys.
var variables = []string{
	"PATH", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", "GLIBC_TUNABLES",
	"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GORACE", "GOTRACEBACK", "GOCOVERDIR",
	"SYSTEMROOT", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
}

// prefixes of further ones: settings of ggml, of thread libraries and of GPU drivers.
var prefixes = []string{
	"LC_", "MALLOC_", "GGML_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "CUDA_", "HIP_", "ROCR_",
	"HSA_", "GPU_", "VK_", "ZE_", "ONEAPI_", "SYCL_", "DYLD_", "MTL_",
}

// Environment is what of a process's environment its child may have.
func Environment(all []string) []string {
	var kept []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		prefixed := func(p string) bool { return strings.HasPrefix(name, p) }
		if slices.Contains(variables, name) || slices.ContainsFunc(prefixes, prefixed) {
			kept = append(kept, entry)
		}
	}
	return kept
}
