package engine

import (
	"slices"
	"strings"
)

// Can says what an engine can do. What an engine cannot do it refuses, or the server reports it:
// nothing is pretended. The zero value can do nothing but write text.
type Can struct {
	// IDs: its tokens have ids; else each is [NoID]. Then a prompt has no Kept pieces, and a
	// turn no LogitBias.
	IDs bool `json:"token_ids"`
	// Tokenizer says how Tokens and Text work. Without one they are ErrUnsupported, prompts go
	// as text, and content that spells a marker may be read as one.
	Tokenizer Tokenizer `json:"tokenizer"`
	// Mask says how far the output matches a turn's Grammar.
	Mask Mask `json:"mask"`
	// Symbols: markers come as tokens of the kind Symbol alone; else text that spells one is
	// one, too.
	Symbols bool `json:"symbols"`
	// Chat: prompts are conversations as templates.Forward writes them, and the far side
	// renders them. It lists what the far side can be asked for, with commas between: see
	// [ChatTools] and its like. Calls and thinking come between symbols, the [ChatMarkers]; a
	// call is an object of name and arguments. "": prompts are text.
	Chat string `json:"chat,omitempty"`
	// Checks: a turn waits at a %check mark of its grammar for a verdict, which may take
	// output back; else it passes them.
	Checks bool `json:"checks"`
	// Conclude: a turn that is told to end, or whose budget is spent, ends where its grammar
	// lets it; else at once.
	Conclude bool `json:"conclude"`
	// Thinking: Budget.Thinking is kept to.
	Thinking bool `json:"thinking_budget"`
	// Sampling lists the fields of [SamplingFields] that it knows, with commas between them;
	// "": all.
	Sampling string `json:"sampling,omitempty"`
	// Logprobs: they are told where a turn asks for them.
	Logprobs bool `json:"logprobs"`
	// Embeddings: Embed works; else it is ErrUnsupported.
	Embeddings bool `json:"embeddings"`
}

// The words of Can.Chat: what a chat API can be asked for. Nothing says that it obeys.
const (
	ChatReads = "conversations" // which all read
	// without them they are told in words, in a protocol of tenon's own
	ChatTools  = "tools"
	ChatFormat = "format" // a JSON Schema of the answer
	ChatEffort = "effort" // of thinking
	ChatSeed   = "seed"

	// How it is told to think, by the rules of Anthropic's API: as much as it likes, or with a
	// budget of at least [LeastThought] tokens, which are of the answer's.
	ChatThinks = "thinking"
	ChatBudget = "budget"
)

// LeastThought is the smallest budget that can be asked for by [ChatBudget], in tokens.
const LeastThought = 1024

// Asks tells whether the far side of a chat can be asked for something.
func (c Can) Asks(word string) bool { return slices.Contains(strings.Split(c.Chat, ","), word) }

// ChatMarkers are the symbols of engines that chat: around a call, and around thinking.
var ChatMarkers = [4]string{"<tool_call>", "</tool_call>", "<think>", "</think>"}

// Tokenizer says where text becomes token ids.
type Tokenizer string

// The places of a tokenizer.
const (
	LocalTokenizer  Tokenizer = "local"
	RemoteTokenizer Tokenizer = "remote" // the far engine is asked
	NoTokenizer     Tokenizer = "none"
)

// Mask says how far an output matches its grammar.
type Mask string

// The masks. Whoever reads the output of one that is not exact validates it.
const (
	ExactMask Mask = "exact"
	// another engine follows the grammar in its own dialect, which may accept more or less
	PrintedMask Mask = "printed"
	NoMask      Mask = "none" // the grammar has no effect
)

// Everything is what an engine can do that holds its model itself. It does not embed: most models
// do not.
var Everything = Can{
	IDs: true, Tokenizer: LocalTokenizer, Mask: ExactMask, Symbols: true, Checks: true, Conclude: true, Thinking: true, Logprobs: true,
}

// Tokenizes tells whether text becomes token ids before the model reads it. Content then spells no
// control token; with a local tokenizer it spells no marker either.
func (c Can) Tokenizes() bool { return c.Tokenizer == LocalTokenizer || c.Tokenizer == RemoteTokenizer }

// Kept is [Can.Guarantees] by name.
func (c Can) Kept() map[string]string {
	all := map[string]string{}
	for _, g := range c.Guarantees() {
		all[g.Name] = g.Kept
	}
	return all
}

// Guarantee is one promise of the server and how it is kept on an engine.
type Guarantee struct {
	Name, Kept string
	Weaker     bool // than on an engine that can do everything
}

// Guarantees says how far the server's promises hold on such an engine. That a call fits its
// schema, that a stream equals the whole and that any text is a valid message hold on all.
func (c Can) Guarantees() []Guarantee {
	calls := map[Mask]string{ExactMask: "constrained", PrintedMask: "constrained elsewhere, validated here"}[c.Mask]
	if calls == "" {
		calls = "validated, not constrained"
	}
	yes := map[bool]string{true: "yes", false: "no"}
	formats := yes[c.Mask == ExactMask]
	if c.Mask == PrintedMask {
		formats = "where the other engine can say it"
	}
	data := yes[c.Tokenizes()]
	if c.Tokenizer == RemoteTokenizer { // which knows control tokens, but not the markers
		data = "control tokens alone"
	}
	if c.Chat != "" { // it goes as data, and who renders it may read markers in it
		data = "as the upstream renders it"
	}
	return []Guarantee{
		{"calls", calls, c.Mask != ExactMask},
		{"strict", formats, c.Mask != ExactMask},
		{"text_is_data", data, data != "yes"},
		{"same_tokens", yes[c.IDs], !c.IDs},
		{"ends_legally", yes[c.Conclude], !c.Conclude},
		{"thinking_budget", yes[c.Thinking], !c.Thinking},
		{"logprobs", yes[c.Logprobs], !c.Logprobs},
	}
}
