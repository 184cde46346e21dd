package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// mostNear is how many names are offered for one that is not known.
const mostNear = 3

// Near are the names that someone may have meant, the nearest ones alone, and no more than three.
// A name is near if it holds what was typed, or the same letters in another order, or if two
// letters differ, or a third of a long name's. One of two letters is near if what was typed
// begins with it.
func Near(name string, known []string) []string {
	var near []string
	typed, least := strings.ToLower(name), 1000
	for _, k := range known {
		l := strings.ToLower(k)
		d := levenshtein.ComputeDistance(typed, l)
		if within := len(typed) > 2 && strings.Contains(l, typed); within {
			d = 0
		} else if letters(typed) != letters(l) && (d > max(2, len(l)/3) || d >= len(l)-1 && !strings.HasPrefix(typed, l) || d >= len(typed)) {
			continue
		}
		if d < least {
			near, least = nil, d
		}
		if d == least && !slices.Contains(near, k) {
			near = append(near, k)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return near[:min(len(near), mostNear)]
}

// letters are those of a name, in their order in the alphabet.
func letters(name string) string {
	all := []rune(name)
	slices.Sort(all)
	return string(all)
}

// DidYouMean ends a sentence about a name that is not known; it is empty if no name is near.
func DidYouMean(name string, known []string) string {
	near := Near(name, known)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}
