package format

import (
	"strings"

	"tenon/tools/peek"
)

// MarkerSet finds markers in text.
type MarkerSet struct {
	ByFirst [256][]Marker
	ByText  map[string]Marker
}

func NewMarkerSet(all []Marker) *MarkerSet {
	s := &MarkerSet{ByText: make(map[string]Marker, len(all))}
	for _, m := range all {
		s.ByText[m.Text] = m
		s.ByFirst[m.Text[0]] = append(s.ByFirst[m.Text[0]], m)
	}
	return s
}

// At tells whether a marker starts at the beginning of text, the longest that does.
func (s *MarkerSet) At(text []byte, final bool) (Marker, peek.Answer) {
	var best Marker
	found := peek.No
	for _, m := range s.ByFirst[text[0]] {
		if len(text) > 1 && len(m.Text) > 1 && text[1] != m.Text[1] {
			continue // most end here, without a call
		}
		switch peek.Prefix(text, m.Text, final) {
		case peek.Yes:
			if len(m.Text) > len(best.Text) {
				best = m
			}
			if found == peek.No {
				found = peek.Yes
			}
		case peek.Unknown:
			found = peek.Unknown
		}
	}
	return best, found
}

// EndsWith tells whether text ends with a marker.
func (s *MarkerSet) EndsWith(text []byte) bool {
	for t := range s.ByText {
		if len(text) >= len(t) && string(text[len(text)-len(t):]) == t {
			return true
		}
	}
	return false
}

// Texts lists the markers.
func (s *MarkerSet) Texts() []string {
	all := make([]string, 0, len(s.ByText))
	for t := range s.ByText {
		all = append(all, t)
	}
	return all
}

// IsControl tells whether a marker is written with one token in every vocabulary of its family:
// its spelling says so.
func IsControl(marker string) bool {
	switch {
	case strings.HasPrefix(marker, "<|") && (strings.HasSuffix(marker, "|>") || strings.HasSuffix(marker, ">")),
		strings.HasPrefix(marker, "<｜") && strings.HasSuffix(marker, "｜>"),
		strings.HasPrefix(marker, "<") && strings.HasSuffix(marker, "|>"):
		return true
	}
	inner, ok := strings.CutPrefix(marker, "[") // Mistral's
	return ok && strings.HasSuffix(inner, "]") && strings.ToUpper(inner) == inner
}

// Broken are the ways in which models put a space into a closing tag.
func Broken(tag string) []string {
	name, ok := strings.CutPrefix(tag, "</")
	if !ok || !strings.HasSuffix(name, ">") {
		return nil
	}
	return []string{"</ " + name, strings.TrimSuffix(tag, ">") + " >"}
}
