package templates

import (
	"slices"
	"strings"
)

// markers finds a vocabulary's control and added tokens in template text: the leftmost, and of
// those the longest, as Hugging Face's tokenizers do. Of the thousands of added tokens it looks up
// no more than there are lengths.
type markers struct {
	// of the markers that begin with a byte, the longest first: nearly all text is passed by
	// with this alone
	lengths [256][]int
	known   map[string]bool
}

// newMarkers makes a set. Tokens of white space alone are left out: a tokenizer joins them with
// the white space around them, and the template's newlines with the content's.
func newMarkers(texts []string) *markers {
	m := &markers{known: make(map[string]bool, len(texts))}
	for _, s := range texts {
		if strings.Trim(s, " \t\n\r▁") == "" {
			continue
		}
		m.known[s] = true
		if of := &m.lengths[s[0]]; !slices.Contains(*of, len(s)) {
			*of = append(*of, len(s))
		}
	}
	for i := range m.lengths {
		slices.Sort(m.lengths[i])
		slices.Reverse(m.lengths[i])
	}
	return m
}

// match returns the length of the longest marker that s begins with, 0 if none.
func (m *markers) match(s string) int {
	for _, n := range m.lengths[s[0]] {
		if n <= len(s) && m.known[s[:n]] {
			return n
		}
	}
	return 0
}

// split calls piece for the pieces of s in order.
func (m *markers) split(s string, piece func(text string, k Kind)) {
	from := 0
	for i := 0; i < len(s); {
		n := m.match(s[i:])
		if n == 0 {
			i++
			continue
		}
		if from < i {
			piece(s[from:i], Text)
		}
		piece(s[i:i+n], Marker)
		i += n
		from = i
	}
	if from < len(s) {
		piece(s[from:], Text)
	}
}
