// Package remote is a model that other machines serve: tenon's protocols, tools and guarantees in
// front of engines that scale.
//
//	e, err := remote.Connect(ctx, remote.Options{
//		Name: "coder", URLs: []string{"http://gpu-1:8000", "http://gpu-2:8000#weight=2"},
//	})
//
// # Upstreams
//
// An upstream's list of models says what it is, unless its address does (#api=):
//
//	llama-server  /completion: token ids, GBNF, chat template (llama.go)
//	vllm          /v1/completions: token ids, XGrammar's EBNF in structured_outputs, before
//	              0.12 in guided_grammar, as the probe shows (completions.go)
//	sglang        /generate: token ids, XGrammar's EBNF (sglang.go)
//	openai        any other /v1/completions: text alone, no grammar (completions.go)
//	chat          any other /v1/chat/completions: conversations, no grammar (talk.go, package
//	              chat)
//	messages      Anthropic's /v1/messages, likewise; only its own host is known
//
// Another API is another file that implements api.
//
// The last two render conversations and parse calls by themselves: the server hands them the
// healed conversation (templates.Forward), and their calls come back as symbols. Whether one takes
// tools and shows them to its model, and how it is asked to think, is tried on connect. Where it
// takes no tools, or where tool-format says so, they are told in words, in tenon's own protocol.
//
// # What holds
//
//	calls         They follow the printed grammar where the probe shows that it is enforced.
//	              They are always validated here. What does not fit is no call, and the turn
//	              is tried again. A call leaves when it is whole.
//	grammar       Where the dialect says more or less than the grammar, a strict
//	              response_format is refused. A grammar that the upstream refuses is an
//	              error: it is never left out.
//	text is data  Where the vocabulary is here (a GGUF file's, or package tokenjson's) and the
//	              upstream cuts a sample as it does, prompts go as token ids, and content
//	              spells no marker. An upstream that cuts it otherwise serves another model.
//	              With llama-server's tokenizer it spells no control token, but may spell a
//	              user-defined one. Else prompts go as text, and content may spell anything.
//	              Chat APIs get it as JSON, and render it as they like.
//	symbols       XGrammar's EBNF names no tokens: a model may spell a marker in letters where
//	              the grammar has it. So what spells one is one (engine.Can.Symbols).
//	sampling      What an API does not have is told (engine.Can). What neither the request nor
//	              the settings say is as the upstream has it.
//	budgets       Of tokens: a call that would be cut off is ended here with the fewest bytes,
//	              if the upstream keeps to grammars (conclusion.go). So is one that is told to
//	              conclude; without a grammar that ends at once. The thinking budget is not
//	              kept to, and the server reports it.
//	thinking      Chat completions are told its effort. Of Anthropic's API it is asked in the
//	              way that the model takes: its effort, or a budget. Where the API's rules do
//	              not let it think, and always behind a call with a budget (the signature of
//	              the thought before it is not kept), nothing is asked, and the server reports
//	              it.
//	checks        There are none.
//	logprobs      llama-server's are the model's own, before the mask. vLLM's and SGLang's are
//	              those after it, and are not told.
//	cached        vLLM tells how much of a prompt was cached with
//	              --enable-prompt-tokens-details.
//	isolation     vLLM and SGLang part their prompt caches by a salt for each key. llama-server
//	              shares its own among all callers: Keys and Forget bound only what is here.
//
// # Connections
//
// On connect, and whenever an upstream was lost, it is asked what it serves, its tokenizer is held
// against the vocabulary here, and the grammar is probed with one that no model follows by itself
// (discovery.go). A vLLM with a parser of thinking, say, leaves a grammar out without a word. An
// upstream that serves another model gets no turns. One that was not seen for a second is asked
// again before a turn. The turn waits for four seconds at most: an upstream that does not answer
// by then is lost (watch.go).
//
// A stream that breaks, is silent or cannot be read ends the turn as engine.ErrWorkerLost, unless
// the answer has told its end: it waits a little for its usage then, and for nothing more. Tokens
// that came before have been handed over. If none came, another upstream is tried once. 429 is
// engine.ErrBusy. Streams repeat themselves, by design or by fault: said.go finds what is new.
//
// balance.go deals turns out; BALANCE.md says how, and what that is worth. Keys go to the
// upstreams alone: redirects and proxies are not followed.
//
// # Files
//
//	remote.go                         Engine and its Options; connecting, and going on with
//	                                  other upstreams
//	address.go, client.go, tracing.go where an upstream is; HTTP with it, and the spans of
//	                                  that
//	upstream.go                       an upstream, the interface of its API (api), and the
//	                                  stream of a turn
//	discovery.go                      what an upstream is, serves and keeps to
//	llama.go, sglang.go, completions.go, talk.go
//	                                  the APIs
//	served.go                         what APIs that list models as OpenAI does have in common
//	balance.go, conversations.go      which upstream takes a turn, and which conversation that
//	                                  goes on with
//	watch.go                          which upstreams are up
//	session.go                        a turn: its events become tokens, or it goes to another
//	                                  upstream
//	said.go, conclusion.go            what of a stream is new; the legal end of an answer that
//	                                  is cut short
//
// The engine suite runs by capability: against a tenon as a chat upstream here, and against a real
// llama-server, by each of its APIs, and a real vLLM in package realtest.
package remote
