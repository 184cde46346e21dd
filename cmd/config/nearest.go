package config

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest is the name that someone may have meant, "" if none is near: two letters differ, or a third of a long name's, or it
// holds what was typed.
func Nearest(name string, known []string) string {
	best, least := "", 1000
	for _, k := range known {
		a, b := strings.ToLower(name), strings.ToLower(k)
		d := levenshtein.ComputeDistance(a, b)
		if within := len(a) > 2 && strings.Contains(b, a); !within && (d > max(2, len(b)/3) || d >= len(b)-1) {
			continue
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// DidYouMean ends a sentence about a name that is not known; it is empty if no name is near.
func DidYouMean(name string, known []string) string {
	if n := Nearest(name, known); n != "" {
		return fmt.Sprintf(" (did you mean %s?)", n)
	}
	return ""
}
