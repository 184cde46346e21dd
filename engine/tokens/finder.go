package tokens

import "slices"

// finder finds the spellings of markers. Some vocabularies have thousands, but of few lengths.
type finder struct {
	ids     map[string]int32
	lengths [256][]int // by first byte, longest first
}

type marker struct {
	text string
	id   int32
}

func (f *finder) add(text string, id int32) {
	if text == "" {
		return
	}
	if f.ids == nil {
		f.ids = map[string]int32{}
	}
	if _, known := f.ids[text]; known {
		return // of two tokens with one text the lower id wins, as in llama.cpp
	}
	f.ids[text] = id
	at := &f.lengths[text[0]]
	if i, found := slices.BinarySearchFunc(*at, len(text), func(a, b int) int { return b - a }); !found {
		*at = slices.Insert(*at, i, len(text))
	}
}

func (f *finder) at(text string) (marker, bool) {
	for _, n := range f.lengths[text[0]] {
		if n > len(text) {
			continue
		}
		if id, ok := f.ids[text[:n]]; ok {
			return marker{text[:n], id}, true
		}
	}
	return marker{}, false
}

// split parts a trusted text at its markers.
func (f *finder) split(text string) []part {
	var parts []part
	start := 0
	for i := 0; i < len(text); {
		m, ok := f.at(text[i:])
		if !ok {
			i++
			continue
		}
		parts = append(parts, part{text: text[start:i]}, part{ids: []int32{m.id}})
		i += len(m.text)
		start = i
	}
	return append(parts, part{text: text[start:]})
}

// cut is how much of a text can be tokenized without a marker being seen: up to inside the first
// one's spelling.
func (f *finder) cut(text string) int {
	for i := range len(text) {
		if m, ok := f.at(text[i:]); ok && len(m.text) > 1 {
			return i + 1
		}
	}
	return len(text)
}
