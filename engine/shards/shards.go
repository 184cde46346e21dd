// Package shards names the files of a split model, as llama.cpp's tools do.
package shards

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
)

var splitPattern = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// Name reads the name of one part of a split model, such as big-00001-of-00003.gguf: its
// stem, which part it is and of how many. A name of another shape is not ok.
func Name(name string) (stem string, part, parts int, ok bool) {
	m := splitPattern.FindStringSubmatch(name)
	if m == nil {
		return "", 0, 0, false
	}
	part, _ = strconv.Atoi(m[2]) // five digits
	parts, _ = strconv.Atoi(m[3])
	return m[1], part, parts, true
}

// Files are the paths of all parts of the split model that path is a part of. A model that is not
// split has one part, path itself.
func Files(path string) []string {
	stem, _, n, split := Name(filepath.Base(path))
	if !split {
		return []string{path}
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = filepath.Join(filepath.Dir(path), fmt.Sprintf("%s-%05d-of-%05d.gguf", stem, i+1, n))
	}
	return parts
}
