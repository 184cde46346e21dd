package tools

// markerSet finds markers in text.
type markerSet struct {
	byFirst [256][]marker
	byText  map[string]marker
}

func newMarkerSet(all []marker) *markerSet {
	s := &markerSet{byText: make(map[string]marker, len(all))}
	for _, m := range all {
		s.byText[m.text] = m
		s.byFirst[m.text[0]] = append(s.byFirst[m.text[0]], m)
	}
	return s
}

// at tells whether a marker starts at the beginning of text, the longest that does.
func (s *markerSet) at(text []byte, final bool) (marker, answer) {
	var best marker
	found := no
	for _, m := range s.byFirst[text[0]] {
		switch hasPrefix(text, m.text, final) {
		case yes:
			if len(m.text) > len(best.text) {
				best = m
			}
			if found == no {
				found = yes
			}
		case unknown:
			found = unknown
		}
	}
	return best, found
}

// endsWith tells whether text ends with a marker.
func (s *markerSet) endsWith(text []byte) bool {
	for t := range s.byText {
		if len(text) >= len(t) && string(text[len(text)-len(t):]) == t {
			return true
		}
	}
	return false
}

// texts lists the markers.
func (s *markerSet) texts() []string {
	all := make([]string, 0, len(s.byText))
	for t := range s.byText {
		all = append(all, t)
	}
	return all
}
