package runner

import (
	"bytes"
	"strings"

	"tenon/engine"
	"tenon/engine/worker/schedule"
)

// Bounds on what is told of a miss.
const (
	missAround = 64 // tokens of text on each side
	worthTells = 64 // tokens of a known prompt that are of no use because of it
)

// miss finds where a prompt leaves the known one that it has most in common with. It is nil where
// the prompt goes on from that one, or little is lost.
func (l *loop) miss(t *turn) *engine.Miss {
	prompt := t.tokens[:t.prompt]
	var known []int32
	id, same := l.cache.Match(t.request.CacheKey, prompt, func(int) int { return 0 })
	if same > 0 {
		known = l.cache.Tokens(id)
	}
	for _, s := range []*schedule.Store{l.store, l.disk} {
		if s == nil {
			continue
		}
		if copied, n := s.Nearest(t.request.CacheKey, prompt); n > same {
			known, same = copied, n
		}
	}
	if len(known)-same < worthTells || same == len(prompt) {
		return nil
	}
	text := func(tokens []int32) string {
		return strings.ToValidUTF8(string(l.tokenizer.Text(tokens, true)), "\uFFFD")
	}
	return &engine.Miss{
		Tokens: same, Bytes: len(l.tokenizer.Text(prompt[:same], true)) - l.unwritten(t),
		Before: text(prompt[max(0, same-missAround):same]), Was: text(known[same:min(same+missAround, len(known))]),
		Is: text(prompt[same:min(same+missAround, len(prompt))]),
	}
}

// unwritten is how many bytes a BOS takes that the prompt's text does not begin with.
func (l *loop) unwritten(t *turn) int {
	if l.tokenizer.BOS() < 0 {
		return 0
	}
	bos := l.backend.Vocab().Piece(l.tokenizer.BOS())
	if p := t.request.Prompt; len(p) > 0 && (bytes.HasPrefix([]byte(p[0].Text), bos) || len(p[0].Tokens) > 0 && p[0].Tokens[0] == l.tokenizer.BOS()) {
		return 0
	}
	return len(bos)
}
