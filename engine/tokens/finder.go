package tokens

import "slices"

// Finder finds the spellings of tokens in a text: from its beginning on, the longest that stands
// there. Some vocabularies have thousands, but of few lengths.
type Finder struct {
	ids     map[string]int32
	lengths [256][]int // by first byte, longest first
}

// Add takes a token.
func (f *Finder) Add(text string, id int32) {
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

// Split parts a text at the tokens.
func (f *Finder) Split(text string) []Part {
	var parts []Part
	start := 0
	for i := 0; i < len(text); {
		m, ok := f.at(text[i:])
		if !ok {
			i++
			continue
		}
		parts = append(parts, Part{Text: text[start:i]}, Part{IDs: []int32{m.id}})
		i += len(m.text)
		start = i
	}
	return append(parts, Part{Text: text[start:]})
}

type marker struct {
	text string
	id   int32
}

func (f *Finder) at(text string) (marker, bool) {
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

// cut is how much of a text can be tokenized without a marker being seen: up to inside the first
// one's spelling.
func (f *Finder) cut(text string) int {
	for i := range len(text) {
		if m, ok := f.at(text[i:]); ok && len(m.text) > 1 {
			return i + 1
		}
	}
	return len(text)
}
