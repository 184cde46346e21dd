package templates

import "strings"

// markers finds a vocabulary's control and added tokens in template text: the leftmost, and of
// those the longest, as Hugging Face's tokenizers do. It is a byte trie, so that the thousands of
// added tokens that begin with "<" cost no more than the text's length.
type markers struct {
	nodes []markerNode // the first is the root
	first [256]bool    // bytes that markers begin with: nearly all text is passed by with this alone
	known map[string]bool
}

type markerNode struct {
	next []markerEdge // few: nearly all nodes have one
	end  bool
}

type markerEdge struct {
	by byte
	to int32
}

// step follows a byte; -1 where no marker goes on with it.
func (n *markerNode) step(b byte) int32 {
	for _, e := range n.next {
		if e.by == b {
			return e.to
		}
	}
	return -1
}

// newMarkers makes a set. Tokens of white space alone are left out: a tokenizer joins them with
// the white space around them, and the template's newlines with the content's.
func newMarkers(texts []string) *markers {
	m := &markers{nodes: make([]markerNode, 1), known: make(map[string]bool, len(texts))}
	for _, s := range texts {
		if strings.Trim(s, " \t\n\r▁") != "" {
			m.add(s)
		}
	}
	return m
}

func (m *markers) add(s string) {
	m.known[s] = true
	m.first[s[0]] = true
	at := int32(0)
	for i := range len(s) {
		next := m.nodes[at].step(s[i])
		if next < 0 {
			next = int32(len(m.nodes))
			m.nodes[at].next = append(m.nodes[at].next, markerEdge{s[i], next})
			m.nodes = append(m.nodes, markerNode{})
		}
		at = next
	}
	m.nodes[at].end = true
}

// match returns the length of the longest marker that s begins with, 0 if none.
func (m *markers) match(s string) int {
	at, longest := int32(0), 0
	for i := range len(s) {
		next := m.nodes[at].step(s[i])
		if next < 0 {
			break
		}
		if at = next; m.nodes[at].end {
			longest = i + 1
		}
	}
	return longest
}

// split calls text and marker for the pieces of s in order.
func (m *markers) split(s string, piece func(text string, k Kind)) {
	from := 0
	for i := 0; i < len(s); {
		n := 0
		if m.first[s[i]] {
			n = m.match(s[i:])
		}
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
