package runner

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tenon/engine"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// The fake's vocabulary: the bytes, one word, and three tokens with a meaning.
const (
	wordToken  = 256 + iota // "hello", an ordinary token of several bytes
	callToken               // "<call>", a user-defined token
	bosToken                // "<bos>", control
	endToken                // "<end>", control; ends a generation
	fakeTokens              // how many there are
)

var fakeVocab = sync.OnceValue(func() *grammar.Vocab {
	pieces := make([][]byte, fakeTokens)
	kinds := make([]grammar.TokenKind, fakeTokens)
	for i := range 256 {
		pieces[i], kinds[i] = []byte{byte(i)}, vocab.Normal
	}
	pieces[wordToken], kinds[wordToken] = []byte("hello"), vocab.Normal
	pieces[callToken], kinds[callToken] = []byte("<call>"), vocab.UserDefined
	pieces[bosToken], kinds[bosToken] = []byte("<bos>"), vocab.Control
	pieces[endToken], kinds[endToken] = []byte("<end>"), vocab.Control
	v, err := grammar.NewVocab(pieces, kinds, []int32{endToken})
	if err != nil {
		panic(err)
	}
	return v
})

// fakeModel is a Backend whose every logit depends on every token that the memory holds of the
// sequence: were the cache and the memory to disagree, or two sequences to mix, its answers would
// change. It checks what llama.cpp asserts.
type fakeModel struct {
	rewind    engine.Rewind
	cells     int
	sequences int
	context   int
	bos       int32
	step      func(batch []Entry) // called before each Decode; may be nil
	logits    func([]fakeCell) []float32

	refuses bool          // Restore fails
	loading chan struct{} // Load waits for it; may be nil
	writing chan struct{} // and WriteTo of what is saved for this

	memory [][]fakeCell
	next   int // identity of the next cell
	rows   map[int][]float32
	wanted atomic.Pointer[map[int32]bool] // nil: all
	narrow atomic.Int64                   // calls of WantOnly
	saved  atomic.Int64                   // calls of Save
	out    int                            // tokens copied by Save
	in     int                            // and by Restore
}

type fakeCell struct {
	token int32
	id    int
}

func newFake() *fakeModel {
	return &fakeModel{cells: 4096, sequences: 20, context: 4096, bos: -1, logits: fakeLogits}
}

func (f *fakeModel) Model() engine.Model {
	return engine.Model{Context: f.context, Rewind: f.rewind, Vocab: engine.Vocab{Markers: []engine.Marker{
		{ID: callToken, Text: "<call>"}, {ID: bosToken, Text: "<bos>", Control: true},
		{ID: endToken, Text: "<end>", Control: true, End: true},
	}}}
}

func (f *fakeModel) Vocab() *grammar.Vocab { return fakeVocab() }
func (f *fakeModel) BOS() int32            { return f.bos }
func (f *fakeModel) Cells() int            { return f.cells }
func (f *fakeModel) Sequences() int        { return f.sequences }
func (f *fakeModel) Close() error          { return nil }

// Tokenize takes the user-defined token out of plain text, as llama.cpp does.
func (f *fakeModel) Tokenize(_ context.Context, text string) ([]int32, error) {
	var ids []int32
	for text != "" {
		switch {
		case strings.HasPrefix(text, "<call>"):
			ids, text = append(ids, callToken), text[len("<call>"):]
		case strings.HasPrefix(text, "hello"):
			ids, text = append(ids, wordToken), text[len("hello"):]
		default:
			ids, text = append(ids, int32(text[0])), text[1:]
		}
	}
	return ids, nil
}

// begin is before the memory is looked at for the first time.
func (f *fakeModel) begin() {
	if f.memory == nil {
		f.memory = make([][]fakeCell, f.sequences)
	}
}

func (f *fakeModel) Decode(ctx context.Context, batch []Entry) error {
	f.begin()
	if f.step != nil {
		f.step(batch)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f.used()+len(batch) > f.cells {
		return ErrNoRoom
	}
	f.rows = map[int][]float32{}
	for i, e := range batch {
		s := &f.memory[e.Sequence]
		if e.Position != len(*s) {
			return fmt.Errorf("sequence %d: position %d after %d tokens", e.Sequence, e.Position, len(*s))
		}
		f.next++
		*s = append(*s, fakeCell{e.Token, f.next})
		if e.Logits {
			f.rows[i] = f.logits(*s)
		}
	}
	return nil
}

// used counts the cells in use, exactly where it matters.
func (f *fakeModel) used() int {
	most := 0
	for _, s := range f.memory {
		most += len(s)
	}
	if most <= f.cells/2 {
		return most
	}
	seen := map[int]bool{}
	for _, s := range f.memory {
		for _, c := range s {
			seen[c.id] = true
		}
	}
	return len(seen)
}

// fakeLogits makes noise of a sequence. The model never wants to end by itself.
func fakeLogits(s []fakeCell) []float32 {
	h := fnv.New64a()
	for _, c := range s {
		_, _ = h.Write([]byte{byte(c.token), byte(c.token >> 8)})
	}
	row := make([]float32, fakeTokens)
	x := h.Sum64()
	for i := range row {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		row[i] = float32(x%1000) / 100
	}
	for _, id := range []int{callToken, bosToken, endToken} {
		row[id] = -20
	}
	return row
}

func (f *fakeModel) WantAll() { f.wanted.Store(nil) }
func (f *fakeModel) WantOnly(lists ...[]int32) {
	wanted := map[int32]bool{}
	for _, ids := range lists {
		for _, id := range ids {
			wanted[id] = true
		}
	}
	f.wanted.Store(&wanted)
	f.narrow.Add(1)
}

// Logits that are not wanted would be chosen, were they looked at.
func (f *fakeModel) Logits(entry int) []float32 {
	if wanted := f.wanted.Load(); wanted != nil {
		for id := range f.rows[entry] {
			if !(*wanted)[int32(id)] {
				f.rows[entry][id] = float32(math.Inf(1))
			}
		}
	}
	return f.rows[entry]
}

func (f *fakeModel) Share(from, to, n int) error {
	if n > len(f.memory[from]) || f.Floor(from, len(f.memory[from])) > n || len(f.memory[to]) > 0 {
		return fmt.Errorf("share %d tokens of sequence %d", n, from)
	}
	f.memory[to] = slices.Clone(f.memory[from][:n])
	return nil
}

func (f *fakeModel) Cut(sequence, n int) bool {
	f.begin()
	if n > 0 && f.Floor(sequence, len(f.memory[sequence])) > n {
		return false
	}
	f.memory[sequence] = f.memory[sequence][:n]
	return true
}

func (f *fakeModel) Floor(_, length int) int {
	switch f.rewind {
	case engine.RewindCheckpoints:
		return length
	case engine.RewindWindow:
		return max(0, length-fakeWindow)
	}
	return 0
}

func (f *fakeModel) NewSampler(s engine.Sampling) (Sampler, error) {
	if s.Temperature != nil && *s.Temperature < 0 {
		return nil, errors.New("temperature must not be negative")
	}
	return &fakeSampler{seed: *s.Seed, bias: s.LogitBias, hot: s.Temperature != nil && *s.Temperature > 0}, nil
}

func (f *fakeModel) Logprobs(logits []float32, id int32, n int) (float32, []Logprob) {
	top := make([]Logprob, n)
	for i := range top {
		top[i] = Logprob{int32(i), logits[i]}
	}
	return logits[id], top
}

func (f *fakeModel) Embed(_ context.Context, text []int32) ([]float32, error) {
	return []float32{float32(len(text))}, nil
}

// fakeSampler takes the likeliest token; after a rewind the next after that. If it is hot, chance
// and what was said have a part in it: how often it was asked, and for what it was told.
type fakeSampler struct {
	seed     uint32
	hot      bool
	drawn    int
	bias     map[int32]float32
	accepted []int32
}

func (s *fakeSampler) Sample(logits []float32, mask *grammar.Mask) (int32, error) {
	best, id := float32(math.Inf(-1)), int32(-1)
	s.drawn++
	for i, v := range logits {
		if mask != nil && !mask.Allows(int32(i)) {
			continue
		}
		if s.hot {
			v += float32((s.drawn*7+len(s.accepted)*3+i*5)%11) / 4
		}
		if v += s.bias[int32(i)] + float32(s.seed*31%7*uint32(i)%13); v > best {
			best, id = v, int32(i)
		}
	}
	if id < 0 {
		return 0, errors.New("no candidate")
	}
	return id, nil
}

func (s *fakeSampler) Accept(ids ...int32) { s.accepted = append(s.accepted, ids...) }
func (s *fakeSampler) Close()              {}

func newRunner(t *testing.T, f *fakeModel, o Options) *Runner {
	t.Helper()
	r := New(f, o)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// ask is a turn of so many tokens whose sampling does not depend on chance.
func ask(prompt string, tokens int) engine.Turn {
	seed := uint32(0)
	return engine.Turn{
		Prompt: engine.Prompt{{Text: prompt, Origin: engine.Content}}, Budget: engine.Budget{Tokens: tokens}, Logprobs: -1,
		Sampling: engine.Sampling{Seed: &seed},
	}
}

func open(t *testing.T, r *Runner, turn engine.Turn) engine.Session {
	t.Helper()
	s, err := r.Open(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer is what a session said.
type answer struct {
	text   string
	tokens []engine.Token
	finish engine.Finish
}

func read(t *testing.T, s engine.Session) (answer, error) {
	t.Helper()
	defer func() { _ = s.Close() }()
	var a answer
	for {
		u, err := s.Next(t.Context())
		if err != nil {
			return a, err
		}
		for _, token := range u.Tokens {
			a.text += string(token.Bytes)
			a.tokens = append(a.tokens, token)
		}
		if u.Finish != nil {
			a.finish = *u.Finish
			return a, nil
		}
	}
}

func say(t *testing.T, r *Runner, turn engine.Turn) answer {
	t.Helper()
	a, err := read(t, open(t, r, turn))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// alone is what the model says to a turn when nothing else runs and nothing is cached.
func alone(t *testing.T, turn engine.Turn) string {
	t.Helper()
	r := New(newFake(), Options{Slots: 1})
	defer func() { _ = r.Close() }()
	return say(t, r, turn).text
}
