package chat

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"tenon/engine"
	"tenon/engine/worker/runner"
	"tenon/engine/worker/schedule"
	"tenon/grammar"
	"tenon/grammar/vocab"
	"tenon/tools"
)

// noiseModel is a model without a mind behind the real engine: it writes whatever the masks allow.
// Its tokens are the bytes, an end, and markers.
type noiseModel struct {
	vocab   *grammar.Vocab
	markers []engine.Marker
	tic     string // see newStutter
	longer  int    // tokens of several bytes, the last of the vocabulary
	cells   int    // of the context
}

const (
	noiseEnd   = 256
	noiseCells = 1 << 16
)

// noisePieces are tokens of several bytes, such as reach across the ends of texts, markers and
// values.
var noisePieces = []string{
	"}\n", "}}", "\"}}\n</", "\">", "</", "{\"", "\": ", "\", \"", "\":\"", ".<", "<tool", "_call", "_call>\n{\"", "tool_call", ">\n<", "\n</", "</think", ">\n\n", "think", "x</", "[{\"",
	"}]", "\\n", "\\\"", "\n\n", " a", "```", "json\n", "<｜", "<|", "|>", "=", "name", "Action", ":", "ü", "日", "\xf0\x9f",
}

var _ runner.Backend = (*noiseModel)(nil)

func newNoise(markers []string) *noiseModel { return newStutter(markers, "") }

// newStutter makes one that writes a text again and again, wherever it may. Its tokens are bytes
// only: some of the longer ones are whole values.
func newStutter(markers []string, tic string) *noiseModel {
	longer := noisePieces
	if tic != "" {
		longer = nil
	}
	pieces, kinds := make([][]byte, noiseEnd+1), make([]grammar.TokenKind, noiseEnd+1)
	for i := range noiseEnd {
		pieces[i], kinds[i] = []byte{byte(i)}, vocab.Normal
	}
	pieces[noiseEnd], kinds[noiseEnd] = []byte("<noise end>"), vocab.Control
	m := &noiseModel{markers: []engine.Marker{{ID: noiseEnd, Text: "<noise end>", Control: true, End: true}}, tic: tic, longer: len(longer), cells: noiseCells}
	for _, text := range markers {
		m.markers = append(m.markers, engine.Marker{ID: int32(len(pieces)), Text: text, Control: true})
		pieces, kinds = append(pieces, []byte(text)), append(kinds, vocab.Control)
	}
	for _, text := range longer {
		pieces, kinds = append(pieces, []byte(text)), append(kinds, vocab.Normal)
	}
	v, err := grammar.NewVocab(pieces, kinds, []int32{noiseEnd})
	if err != nil {
		panic(err)
	}
	m.vocab = v
	return m
}

func (m *noiseModel) Model() engine.Model {
	return engine.Model{Context: m.cells, Vocab: engine.Vocab{Markers: m.markers}}
}
func (m *noiseModel) Vocab() *grammar.Vocab                        { return m.vocab }
func (m *noiseModel) BOS() int32                                   { return -1 }
func (m *noiseModel) Cells() int                                   { return m.cells }
func (m *noiseModel) Sequences() int                               { return 8 }
func (m *noiseModel) Decode(context.Context, []runner.Entry) error { return nil }
func (m *noiseModel) Logits(int) []float32                         { return nil }
func (m *noiseModel) WantOnly(...[]int32)                          {}
func (m *noiseModel) WantAll()                                     {}
func (m *noiseModel) Share(int, int, int) error                    { return nil }
func (m *noiseModel) Cut(int, int) bool                            { return true }
func (m *noiseModel) Save(int, int, int) (runner.Data, error)      { return nil, nil }
func (m *noiseModel) Load(io.Reader, int64) (schedule.Data, error) { return nil, nil }
func (m *noiseModel) Restore(int, runner.Saved) error              { return nil }
func (m *noiseModel) Floor(int, int) int                           { return 0 }
func (m *noiseModel) Close() error                                 { return nil }

func (m *noiseModel) Embed(context.Context, []int32) ([]float32, error) {
	return nil, engine.ErrUnsupported
}

func (m *noiseModel) Logprobs([]float32, int32, int) (float32, []runner.Logprob) { return 0, nil }

func (m *noiseModel) Tokenize(_ context.Context, text string) ([]int32, error) {
	ids := make([]int32, len(text))
	for i := range ids {
		ids[i] = int32(text[i])
	}
	return ids, nil
}

func (m *noiseModel) NewSampler(s engine.Sampling) (runner.Sampler, error) {
	return &noiseSampler{vocab: m.vocab, r: rand.New(rand.NewPCG(uint64(*s.Seed), 1)), tic: m.tic, longer: m.longer}, nil
}

// noiseSampler takes any allowed token: markers and printable bytes more often than others.
type noiseSampler struct {
	vocab *grammar.Vocab
	r     *rand.Rand
	some  []int32 // reused
	tic   string
	said  int // bytes of it

	longer int
}

func (s *noiseSampler) Sample(_ []float32, mask *grammar.Mask) (int32, error) {
	if n := len(s.tic); n > 0 {
		if id := int32(s.tic[s.said%n]); mask == nil || mask.Allows(id) {
			s.said++
			return id, nil
		}
	}
	s.some = s.some[:0]
	for id := range int32(s.vocab.Len()) {
		if mask != nil && !mask.Allows(id) {
			continue
		}
		n := 1
		if int(id) >= s.vocab.Len()-s.longer {
			n = 3
		} else if id > noiseEnd || strings.ContainsRune("\n{}[]<>\"',:|", id) {
			n = 8
		} else if id >= ' ' && id <= '~' {
			n = 4
		}
		for range n {
			s.some = append(s.some, id)
		}
	}
	if len(s.some) == 0 {
		return 0, errNoise
	}
	return s.some[s.r.IntN(len(s.some))], nil
}

func (s *noiseSampler) Accept(...int32) {}
func (s *noiseSampler) Close()          {}

// said records the output that stands when a session ends: what was taken back is left out.
type said struct {
	engine.Engine
	mu     sync.Mutex // guards what follows
	tokens []engine.Token
	reason engine.Reason
}

func (s *said) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	session, err := s.Engine.Open(ctx, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = nil
	return &saidSession{session, s}, err
}

type saidSession struct {
	engine.Session
	said *said
}

func (s *saidSession) Next(ctx context.Context) (engine.Update, error) {
	u, err := s.Session.Next(ctx)
	s.said.mu.Lock()
	defer s.said.mu.Unlock()
	s.said.tokens = append(s.said.tokens, u.Tokens...)
	if u.Finish != nil {
		s.said.reason = u.Finish.Reason
	}
	return u, err
}

func (s *saidSession) Decide(ctx context.Context, v engine.Verdict) error {
	if v.Rewind {
		s.said.mu.Lock()
		s.said.tokens = s.said.tokens[:v.Offset]
		s.said.mu.Unlock()
	}
	return s.Session.Decide(ctx, v)
}

// joined is an output whose neighbouring pieces of text are one token each.
func joined(tokens []engine.Token) []engine.Token {
	var out []engine.Token
	for _, t := range tokens {
		if n := len(out); n > 0 && t.Kind != engine.Symbol && out[n-1].Kind != engine.Symbol {
			out[n-1].Bytes = slices.Concat(out[n-1].Bytes, t.Bytes)
			continue
		}
		out = append(out, t)
	}
	return out
}

// tokenMarkers are those of a family's markers that vocabularies have as tokens.
func tokenMarkers(d *tools.Dialect) []string {
	return slices.DeleteFunc(d.Markers(), func(m string) bool { return !strings.HasPrefix(m, "<") && !strings.HasPrefix(m, "[") })
}
