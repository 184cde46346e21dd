package format

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/peek"
)

// MarkerSet finds markers in text.
type MarkerSet struct {
	peek.Texts
	ByText map[string]Marker
}

// NewMarkerSet makes a set of some markers.
func NewMarkerSet(all []Marker) *MarkerSet {
	s := &MarkerSet{ByText: make(map[string]Marker, len(all))}
	texts := make([]string, len(all))
	for i, m := range all {
		s.ByText[m.Text], texts[i] = m, m.Text
	}
	s.Texts = peek.NewTexts(texts)
	return s
}

// At tells whether a marker starts at the beginning of text, the longest that does.
func (s *MarkerSet) At(text []byte, final bool) (Marker, peek.Answer) {
	found, a := s.Texts.At(text, final)
	if found == "" {
		return Marker{}, a
	}
	return s.ByText[found], a
}

// EndsWith tells whether text ends with a marker.
func (s *MarkerSet) EndsWith(text []byte) bool {
	return slices.ContainsFunc(s.All, func(t string) bool { return bytes.HasSuffix(text, []byte(t)) })
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
