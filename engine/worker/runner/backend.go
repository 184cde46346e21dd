package runner

import (
	"context"
	"errors"
	"io"

	"tenon/engine"
	"tenon/engine/worker/schedule"
	"tenon/grammar"
)

// ErrNoRoom is a Decode that found no cells for its tokens. Nothing was evaluated.
var ErrNoRoom = errors.New("no room in the KV cache")

// Evaluator evaluates tokens of sequences, and remembers them. Its methods are called from one
// goroutine at a time.
type Evaluator interface {
	// Cells is how many tokens the KV cache holds, Sequences how many sequences may share
	// them.
	Cells() int
	Sequences() int
	// Decode evaluates tokens. When ctx ends it may stop, with ctx's error; then sequences may
	// hold a part of them.
	Decode(ctx context.Context, batch []Entry) error
	// Logits of an entry of the last Decode that asked for them; valid until the next.
	Logits(entry int) []float32
	// Cut shortens a sequence to its first n tokens. It is false, and nothing is changed, if
	// the memory cannot do it; it can always empty one.
	Cut(sequence, n int) bool
	// Logprobs of a token and of the n likeliest, best first, over the whole vocabulary.
	Logprobs(logits []float32, id int32, n int) (float32, []Logprob)
	Close() error
}

// Backend is a loaded model. As an Evaluator; but Model, Vocab, Tokenize and NewSampler may be
// called from any goroutine.
type Backend interface {
	Evaluator
	// Model describes the model; Context is the most that one turn may use. Slots is left to
	// the runner.
	Model() engine.Model
	// Vocab is the vocabulary, control tokens with their spelling.
	Vocab() *grammar.Vocab
	// BOS is the token that begins every prompt, -1 if none does.
	BOS() int32
	// Tokenize reads plain text: no token is added, and no control token comes out of it.
	Tokenize(ctx context.Context, text string) ([]int32, error)

	// WantOnly says that of the logits of the Decode that runs, or comes next, only those of
	// the tokens in some lists are wanted; the others may be anything. It may be called while
	// Decode runs, from another goroutine. WantAll is called before each Decode and takes it
	// back.
	WantOnly(lists ...[]int32)
	WantAll()

	// Share gives an empty sequence the first n tokens of another without copying them.
	Share(from, to, n int) error
	// Save copies what the memory holds of a sequence's tokens from one position to another,
	// not included; Restore appends its tokens up to a position to a sequence that ends inside
	// of it. Where memory cannot be cut at any token both are called for whole sequences, and
	// Restore for an empty one. After an error the sequence may hold a part.
	Save(sequence, from, to int) (Data, error)
	Restore(sequence int, saved Saved) error
	// Load reads what a Data has written in so many bytes. It may be called from any
	// goroutine.
	Load(r io.Reader, size int64) (schedule.Data, error)
	// Floor is the shortest length other than 0 that Cut and Share can bring a sequence of
	// this length to.
	Floor(sequence, length int) int

	NewSampler(s engine.Sampling) (Sampler, error)
	// Embed returns a text's vector, or engine.ErrUnsupported.
	Embed(ctx context.Context, text []int32) ([]float32, error)
}

// Data is a copy that can be written. WriteTo may be called from any goroutine.
type Data interface {
	schedule.Data
	io.WriterTo
}

// Entry is a token to evaluate.
type Entry struct {
	Token    int32
	Position int
	Sequence int
	Logits   bool // they are wanted
}

// Saved is what Save copied of the positions First to Last, not included, and the part of it to
// restore.
type Saved struct {
	Data        schedule.Data
	First, Last int
	From, To    int
}

// Logprob is a token's natural logarithm of its probability.
type Logprob struct {
	ID    int32
	Value float32
}

// Sampler chooses tokens for one turn.
type Sampler interface {
	// Sample chooses among the tokens of mask, all if it is nil.
	Sample(logits []float32, mask *grammar.Mask) (int32, error)
	// Accept tells which tokens came next; penalties look at them.
	Accept(ids ...int32)
	Close()
}
