package engine

import (
	"context"
	"encoding/json"
	"time"
)

// Engine is one loaded model. All methods may be called from any goroutine, and return soon after
// their ctx ends.
type Engine interface {
	// Model describes what is loaded. It does not change while the engine lives.
	Model() Model

	// Tokens turns a prompt into the ids that Open would evaluate, BOS included where the
	// model wants one. Without a tokenizer ([Can]) it and Text are ErrUnsupported.
	Tokens(ctx context.Context, p Prompt) ([]int32, error)

	// Text turns ids back into bytes; control tokens vanish unless special is set. The bytes
	// may end inside a UTF-8 sequence.
	Text(ctx context.Context, ids []int32, special bool) ([]byte, error)

	// Open returns once the turn is in the queue, or with what is wrong with it: a
	// ContextError, a BusyError if the queue is full. What happens later, a wait beyond the
	// queue timeout included, is told by the session's Next. Cancelling ctx after Open has
	// returned does not end the session: Close does.
	Open(ctx context.Context, t Turn) (Session, error)

	// Embed returns one vector per prompt, or ErrUnsupported.
	Embed(ctx context.Context, prompts []Prompt) ([]Embedding, error)

	// Close unloads the model; running sessions end with ErrClosed.
	Close() error
}

// Session is one running turn. Its methods are called from one goroutine at a time, but Close may
// be called from any.
type Session interface {
	// Next waits for the next update, in the queue too. After an update with Finish set it
	// returns io.EOF, and after an error of the turn (ErrQueueTimeout, ErrWorkerLost,
	// ErrClosed) as well. When ctx ends it returns ctx.Err() and the session goes on: it is
	// Close that frees the slot.
	Next(ctx context.Context) (Update, error)

	// Decide answers an update with Check set; the slot waits for it with its KV cache kept.
	// After an error of the verdict itself (an offset out of range, a grammar that does not
	// match what is kept) it still waits.
	Decide(ctx context.Context, v Verdict) error

	// Conclude has the output end as soon as its grammar lets it, with the fewest bytes;
	// without a grammar, or on an engine that cannot ([Can]), at once. It takes effect with
	// the next token that is chosen, also of a turn that waits for a verdict. The finish is as
	// if the model had ended. Of a turn that has ended it is no error.
	Conclude(ctx context.Context) error

	// Close ends the turn and frees its slot within one token. It is safe to call more than
	// once.
	Close() error
}

// Turn is one generation.
type Turn struct {
	Prompt Prompt
	// what the output must match, as extended GBNF (package grammar); "": any text until the
	// model's own end
	Grammar string
	// refuse the turn, with ErrInexact, where the engine cannot keep to all of Grammar
	Exact bool
	// unset fields take the file's general.sampling.*, else llama-server's defaults
	Sampling Sampling
	Budget   Budget
	// how many alternatives to report beside each token's own; -1: no logprobs at all
	Logprobs int
	// nobody waits for single tokens: after the first they may be handed over many at a time
	Whole bool
	// sequences never share cached state across different keys (API keys); "" is a key of its
	// own
	CacheKey string
	// nothing is kept of any turn of CacheKey once the last of them has ended
	Forget bool
	// where the engine chats ([Can]): others have Grammar
	Wishes Wishes
}

// Wishes are what a chat API is asked for beside the conversation. Nothing says that it obeys.
type Wishes struct {
	Call string // "none" or "required"; "": as the model likes
	// where a call is required, the only tool that it may be of; "": any
	Tool    string
	OneCall bool            // at most one call
	Format  json.RawMessage // JSON Schema of the answer; nil: any text
	// tokens of thinking; -1: as many as it likes, 0: as the upstream has it
	Thought int
}

// Budget limits a turn.
type Budget struct {
	// most tokens to generate; 0 or less: what the context leaves
	Tokens int `json:"tokens"`
	// most tokens inside the grammar's thinking capture; 0 or less: no limit of its own
	Thinking int `json:"thinking"`
}

// Update is one message of a session; exactly one of its parts is set, but for a Check: it comes
// with the Tokens that end at it, or in whose last it is, so that whoever judges them can do so
// before passing them on.
type Update struct {
	Progress *Progress
	Tokens   []Token
	Check    *Check
	Finish   *Finish
}

// Progress of the prompt's evaluation, in tokens.
type Progress struct {
	Total     int `json:"total"`
	Cached    int `json:"cached"`
	Evaluated int `json:"evaluated"` // by now

	// why no more of it was cached; nil: nothing under its key is known to differ
	Miss *Miss `json:"miss,omitempty"`
}

// Miss is where a prompt leaves the known one, of the same CacheKey, that it has most in common
// with.
type Miss struct {
	Tokens int    `json:"tokens"` // in common
	Bytes  int    `json:"bytes"`  // of the prompt's text up to there
	Before string `json:"before"` // the last 64 tokens in common, as text
	Was    string `json:"was"`    // up to 64 tokens of the known one
	Is     string `json:"is"`     // and of this
}

// Kind says where a token came from and what it stands for.
type Kind uint8

const (
	Sampled Kind = iota // the model chose it; Bytes is its text
	Forced              // the grammar left no choice; it was not sampled
	// a control or marker token; Bytes is the marker's spelling, which is not text
	Symbol
)

// NoID is the id of a token whose engine tells none: no model has it, and 0 is a token like
// others.
const NoID int32 = -1

// Token is one token of the output.
type Token struct {
	ID    int32 // NoID: not known
	Kind  Kind
	Bytes []byte
	// the model's own, before mask, penalties and temperature; 0 unless asked for
	Logprob float32
	Top     []Logprob // the likeliest tokens at this place, best first; only if asked for
}

// Logprob is a token that could have stood at a place.
type Logprob struct {
	ID      int32
	Bytes   []byte
	Logprob float32
}

// Check parks the slot: a part of the output that the mask enforces only partly (%check in the
// grammar) has ended.
type Check struct {
	Capture string `json:"capture"` // the name of the capture that ended
	// where that capture began, in tokens of this turn's output
	Offset int `json:"offset"`
}

// Verdict answers a Check. The zero value lets the turn go on.
type Verdict struct {
	// take back the output from Offset on and sample it again
	Rewind bool `json:"rewind"`
	// in tokens of this turn's output. Where memory cannot be cut, what is kept may be
	// evaluated again
	Offset int `json:"offset,omitempty"`
	// what the whole output must match from now on, what is kept included; empty: as before
	Grammar string `json:"grammar,omitempty"`
}

// Reason says why a turn ended.
type Reason string

const (
	// the model ended its turn, or the grammar allows nothing more
	Stop      Reason = "stop"
	Length    Reason = "length"    // Budget.Tokens is spent or the context is full
	Cancelled Reason = "cancelled" // the session was closed
)

// Finish is a turn's last update.
type Finish struct {
	Reason Reason `json:"reason"`
	Usage  Usage  `json:"usage"`
	Timing Timing `json:"timing"`
	// Notes are what was decided about an answer of another machine, for the turn's trace.
	Notes []string `json:"notes,omitempty"`
}

// Usage counts a turn's tokens.
type Usage struct {
	Prompt int `json:"prompt_tokens"` // in the prompt
	Cached int `json:"cached_tokens"` // of those, taken from the KV cache
	// in the output, forced ones and control tokens included
	Generated int `json:"generated_tokens"`
	Rewound   int `json:"rewound_tokens"` // generated and taken back; not in Generated
	// guessed, and evaluated along with those before them
	Drafted int `json:"drafted_tokens"`
	// of those, what the model chose as well; in Generated
	Accepted int `json:"accepted_tokens"`
}

// Timing of a turn. Queue is spent before the slot, the others in it.
type Timing struct {
	Queue  time.Duration `json:"queue_ns"`
	Prompt time.Duration `json:"prompt_ns"`
	Decode time.Duration `json:"decode_ns"`
	Mask   time.Duration `json:"mask_ns"`
}

// Embedding is a prompt's vector.
type Embedding struct {
	Vector []float32
	Tokens int // tokens in the prompt
}
