//go:build cgo

package llama

// #include "shim.h"
import "C"

import (
	"container/heap"
	"slices"
	"strings"
)

// spm tokenizes as llama.cpp does with a vocabulary of SentencePiece's: from characters, the pair
// whose token has the highest score is joined until no pair is a token. llama.cpp's own time grows
// with the square of the bytes that no token spells.
type spm struct {
	ids    map[string]int32
	scores []float32
	bytes  [256]int32 // the token of each byte that no token spells
	prefix bool       // a space goes before each plain text
}

const escapedSpace = "\u2581"

func newSPM(v *Vocab) *spm {
	s := &spm{ids: make(map[string]int32, v.size), scores: make([]float32, v.size)}
	unknown := NoToken
	for id := range int32(v.size) {
		s.ids[v.text(id)] = id
		s.scores[id] = float32(C.llama_vocab_get_score(v.ptr, C.llama_token(id)))
		if v.Attr(id)&Unknown != 0 {
			unknown = id
		}
	}
	const hex = "0123456789ABCDEF"
	for b := range s.bytes {
		id, ok := s.ids["<0x"+string(hex[b>>4])+string(hex[b&15])+">"]
		if !ok {
			if id, ok = s.ids[string([]byte{byte(b)})]; !ok {
				id = unknown // llama.cpp ends the process
			}
		}
		s.bytes[b] = id
	}
	// Whether a space goes before is said nowhere: llama.cpp's own tokens of a letter tell.
	own, err := v.TokenizeAtOnce("a", TokenizeOptions{})
	s.prefix = err == nil && !slices.Equal(own, s.append(nil, "a"))
	return s
}

// symbol is a part of a text: a character, or characters that were joined.
type symbol struct {
	at, size   int32
	prev, next int32 // symbols beside it, or -1
}

// join is a symbol and the next one, which together are a token.
type join struct {
	score float32
	left  int32
	size  int32 // of both: if it differs by now, one was joined to another
}

type joins []join

func (j joins) Len() int      { return len(j) }
func (j joins) Swap(a, b int) { j[a], j[b] = j[b], j[a] }
func (j joins) Less(a, b int) bool {
	return j[a].score > j[b].score || j[a].score == j[b].score && j[a].left < j[b].left
}
func (j *joins) Push(x any) { *j = append(*j, x.(join)) }
func (j *joins) Pop() any {
	last := (*j)[len(*j)-1]
	*j = (*j)[:len(*j)-1]
	return last
}

// append adds the tokens of a plain text.
func (s *spm) append(ids []int32, text string) []int32 {
	text = strings.ReplaceAll(text, " ", escapedSpace)
	symbols := characters(text)
	spelled := func(i int32) string { return text[symbols[i].at:][:symbols[i].size] }
	queue := make(joins, 0, len(symbols))
	add := func(left int32) bool {
		if left < 0 || symbols[left].next < 0 {
			return false
		}
		l, r := symbols[left], symbols[symbols[left].next]
		id, ok := s.ids[text[l.at:r.at+r.size]]
		if ok {
			queue = append(queue, join{s.scores[id], left, l.size + r.size})
		}
		return ok
	}
	for i := range symbols {
		add(int32(i))
	}
	heap.Init(&queue)
	push := func(left int32) {
		if n := len(queue); add(left) {
			heap.Fix(&queue, n)
		}
	}
	for len(queue) > 0 {
		j := heap.Pop(&queue).(join)
		l := &symbols[j.left]
		if l.size == 0 || l.next < 0 || l.size+symbols[l.next].size != j.size {
			continue
		}
		r := &symbols[l.next]
		l.size, l.next, r.size = j.size, r.next, 0
		if l.next >= 0 {
			symbols[l.next].prev = j.left
		}
		push(l.prev)
		push(j.left)
	}
	for i := int32(0); i >= 0 && len(symbols) > 0; i = symbols[i].next {
		if id, ok := s.ids[spelled(i)]; ok {
			ids = append(ids, id)
			continue
		}
		for _, b := range []byte(spelled(i)) {
			if s.bytes[b] != NoToken {
				ids = append(ids, s.bytes[b])
			}
		}
	}
	return ids
}

// characters cuts a text where UTF-8's first bytes say, whatever follows them.
func characters(text string) []symbol {
	const sizes = "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x02\x02\x03\x04"
	symbols := make([]symbol, 0, len(text))
	for at := 0; at < len(text); {
		size := min(int(sizes[text[at]>>4]), len(text)-at)
		n := int32(len(symbols))
		symbols = append(symbols, symbol{int32(at), int32(size), n - 1, n + 1})
		at += size
	}
	if len(symbols) > 0 {
		symbols[len(symbols)-1].next = -1
	}
	return symbols
}
