package prepared

import (
	"crypto/sha256"
	"hash"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/server/chat/owned"
	"tenon/templates"
)

// SampledTurns remembers the tokens that a model sampled. When a client sends a turn back
// unchanged, the prompt gets the same token ids: text that is tokenized again may become other
// tokens, and everything behind the first difference would have to be evaluated anew.
//
// A turn is found by the prompt that it answered. It is used where the new prompt begins with that
// prompt and goes on with exactly the sampled text; the same text elsewhere is another turn. Two
// prompts are the same only if template and content wrote the same parts of them. So a user who
// spells a whole conversation does not get the model's tokens into their text.
//
// It is bounded, never crosses callers, and is lost on restart, which costs speed only. Its
// methods may be called from any goroutine.
type SampledTurns struct {
	table *owned.Table[turnKey, sampledTurn]
}

// mostSampled is enough for the turns of some hundred agents.
var mostSampled = owned.Size{Entries: 4096, Bytes: 32 << 20}

type turnKey struct {
	length int               // of the prompt, in bytes
	prompt [sha256.Size]byte // see prefixHash
}

type sampledTurn struct {
	ids  []int32
	text string
}

// NewSampledTurns returns an empty table.
func NewSampledTurns() *SampledTurns {
	return &SampledTurns{owned.New[turnKey, sampledTurn](mostSampled)}
}

// Keep remembers the tokens that answered a prompt, if they have ids. Of several answers to one
// prompt the last stays.
func (s *SampledTurns) Keep(caller string, prompt templates.Rendering, tokens []engine.Token) {
	if s == nil || len(prompt.Segments) == 0 {
		return
	}
	var text strings.Builder
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		if t.ID == engine.NoID {
			return
		}
		ids[i] = t.ID
		text.Write(t.Bytes)
	}
	if text.Len() == 0 {
		return
	}
	key := newPrefixHash(prompt).key(len(prompt.String()))
	s.table.Put(caller, key, sampledTurn{ids, text.String()}, 4*len(ids)+text.Len())
}

// Prompt is the rendering as pieces, with the remembered turns in it as token ids.
func (s *SampledTurns) Prompt(caller string, r templates.Rendering) engine.Prompt {
	if s == nil {
		return pieces(r.Segments)
	}
	text := r.String()
	var out engine.Prompt
	at := 0
	for _, turn := range s.find(caller, r, text) {
		if turn.length < at {
			continue // inside the one before
		}
		out = append(out, pieces(r.Slice(at, turn.length))...)
		out = append(out, engine.Piece{Origin: engine.Kept, Tokens: turn.ids})
		at = turn.length + len(turn.text)
	}
	return append(out, pieces(r.Slice(at, len(text)))...)
}

// placed is a remembered turn, length bytes behind the start of a prompt.
type placed struct {
	length int
	sampledTurn
}

// find returns the caller's turns that the prompt holds, whose text is text, in order.
func (s *SampledTurns) find(caller string, r templates.Rendering, text string) []placed {
	var lengths []int
	for _, key := range s.table.Keys(caller) {
		if key.length < len(text) {
			lengths = append(lengths, key.length)
		}
	}
	slices.Sort(lengths)
	var found []placed
	prefix := newPrefixHash(r)
	for _, n := range slices.Compact(lengths) {
		turn, ok := s.table.Get(caller, prefix.key(n))
		if ok && strings.HasPrefix(text[n:], turn.text) && oneTurn(r.Slice(n, n+len(turn.text))) {
			found = append(found, placed{n, turn})
		}
	}
	return found
}

// oneTurn says whether only one message wrote into a part of a prompt: what looks like a sampled
// turn may be several.
func oneTurn(segments []templates.Segment) bool {
	message := -1
	for _, s := range segments {
		if s.Kind != templates.Content {
			continue
		}
		if message >= 0 && s.Message != message {
			return false
		}
		message = s.Message
	}
	return true
}

// prefixHash hashes ever longer beginnings of a prompt, each byte once, and whether template or
// content wrote it.
type prefixHash struct {
	rest    []templates.Segment // not yet hashed
	hash    hash.Hash
	hashed  int
	content bool // who wrote the last byte
}

func newPrefixHash(r templates.Rendering) *prefixHash {
	return &prefixHash{rest: slices.Clone(r.Segments), hash: sha256.New()}
}

// key is the key of what answered the prompt's first n bytes; n never goes down.
func (p *prefixHash) key(n int) turnKey {
	for p.hashed < n {
		s := &p.rest[0]
		if s.Text == "" {
			p.rest = p.rest[1:]
			continue
		}
		if content := s.Kind == templates.Content; content != p.content {
			p.content = content
			p.hash.Write([]byte{0xff}) // no text has this byte
		}
		part := s.Text[:min(len(s.Text), n-p.hashed)]
		p.hash.Write([]byte(part))
		p.hashed += len(part)
		s.Text = s.Text[len(part):]
	}
	key := turnKey{length: n}
	p.hash.Sum(key.prompt[:0])
	return key
}

// Origins maps who wrote a segment to how far the engine trusts it.
var Origins = map[templates.Kind]engine.Origin{
	templates.Text: engine.Text, templates.Marker: engine.Symbolic, templates.Content: engine.Content,
}

// pieces keep each segment's origin: only the template can write a marker.
func pieces(segments []templates.Segment) engine.Prompt {
	p := make(engine.Prompt, len(segments))
	for i, s := range segments {
		p[i] = engine.Piece{Text: s.Text, Origin: Origins[s.Kind]}
	}
	return p
}
