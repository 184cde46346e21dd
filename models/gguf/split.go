package gguf

import (
	"regexp"
	"strconv"
)

var splitPattern = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// SplitName reads the name of one part of a split model, such as big-00001-of-00003.gguf: its
// stem, which part it is and of how many. A name of another shape is not ok.
func SplitName(name string) (stem string, part, parts int, ok bool) {
	m := splitPattern.FindStringSubmatch(name)
	if m == nil {
		return "", 0, 0, false
	}
	part, _ = strconv.Atoi(m[2]) // five digits
	parts, _ = strconv.Atoi(m[3])
	return m[1], part, parts, true
}
