package prepared

import (
	"container/list"
	"crypto/sha256"
	"hash"
	"slices"
	"strings"
	"sync"

	"tenon/engine"
	"tenon/templates"
)

// Turns remembers what a model sampled, so that a client which replays a turn unchanged gets the same token ids back
// into its prompt: text that is tokenized again may come out as other tokens, and everything behind the first difference
// would have to be evaluated anew. A turn is found by the prompt that it answered, and used where the new prompt begins
// with that prompt and goes on with exactly the text that was sampled: the same text elsewhere is another turn. Prompts
// are the same only if template and content wrote the same parts of them, so that a user who spells a whole conversation
// does not get the model's tokens into his text.
//
// It is bounded, never crosses callers, and is lost on restart, which costs speed only. Its methods may be called from any
// goroutine.
type Turns struct {
	mu    sync.Mutex // guards what follows
	turns map[keptKey]*list.Element
	order *list.List // of *keptTurn, longest unused first
	bytes int
}

// Bounds of the table: some hundred agents' turns.
const (
	maxKeptTurns = 4096
	maxKeptBytes = 32 << 20
)

type keptKey struct {
	caller string
	length int               // of the prompt, in bytes
	prompt [sha256.Size]byte // see prefixHash
}

type keptTurn struct {
	key  keptKey
	ids  []int32
	text string
}

func (t *keptTurn) size() int { return 4*len(t.ids) + len(t.text) }

// NewTurns returns an empty table.
func NewTurns() *Turns {
	return &Turns{turns: map[keptKey]*list.Element{}, order: list.New()}
}

// Keep remembers the tokens that answered a prompt. Of several answers to one prompt the last stays.
func (k *Turns) Keep(caller string, prompt templates.Rendering, tokens []engine.Token) {
	if k == nil || len(prompt.Segments) == 0 {
		return
	}
	var text strings.Builder
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		ids[i] = t.ID
		text.Write(t.Bytes)
	}
	if text.Len() == 0 {
		return
	}
	length := len(prompt.String())
	turn := &keptTurn{key: newPrefixHash(prompt).key(caller, length), ids: ids, text: text.String()}
	k.mu.Lock()
	defer k.mu.Unlock()
	if old, ok := k.turns[turn.key]; ok {
		k.remove(old)
	}
	k.turns[turn.key] = k.order.PushBack(turn)
	k.bytes += turn.size()
	for k.order.Len() > maxKeptTurns || k.bytes > maxKeptBytes {
		k.remove(k.order.Front())
	}
}

func (k *Turns) remove(e *list.Element) {
	turn := k.order.Remove(e).(*keptTurn)
	delete(k.turns, turn.key)
	k.bytes -= turn.size()
}

// Prompt is the rendering as pieces, with the kept turns in it as token ids.
func (k *Turns) Prompt(caller string, r templates.Rendering) engine.Prompt {
	if k == nil {
		return pieces(r.Segments)
	}
	text := r.String()
	var out engine.Prompt
	at := 0
	for _, turn := range k.find(caller, r, text) {
		if turn.key.length < at {
			continue // inside the one before
		}
		out = append(out, pieces(r.Slice(at, turn.key.length))...)
		out = append(out, engine.Piece{Origin: engine.Kept, Tokens: turn.ids})
		at = turn.key.length + len(turn.text)
	}
	return append(out, pieces(r.Slice(at, len(text)))...)
}

// find returns the caller's turns that the prompt holds, whose text is text, in order.
func (k *Turns) find(caller string, r templates.Rendering, text string) []*keptTurn {
	k.mu.Lock()
	defer k.mu.Unlock()
	var lengths []int
	for key := range k.turns {
		if key.caller == caller && key.length < len(text) {
			lengths = append(lengths, key.length)
		}
	}
	slices.Sort(lengths)
	var found []*keptTurn
	prefix := newPrefixHash(r)
	for _, n := range slices.Compact(lengths) {
		e, ok := k.turns[prefix.key(caller, n)]
		if !ok {
			continue
		}
		turn := e.Value.(*keptTurn)
		if strings.HasPrefix(text[n:], turn.text) && oneTurn(r.Slice(n, n+len(turn.text))) {
			k.order.MoveToBack(e)
			found = append(found, turn)
		}
	}
	return found
}

// oneTurn says whether only one message wrote into a part of a prompt: what looks like a sampled turn may be several.
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

// prefixHash hashes ever longer beginnings of a prompt, each byte once, and whether template or content wrote it.
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
func (p *prefixHash) key(caller string, n int) keptKey {
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
	key := keptKey{caller: caller, length: n}
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
