// Package remote is a model that other machines serve: tenon's protocols, tools and guarantees in
// front of engines that scale.
//
//	e, err := remote.Connect(ctx, remote.Options{
//		Name: "coder", URLs: []string{"http://gpu-1:8080", "http://gpu-2:8080#weight=2"},
//	})
//
// # What holds
//
// Upstreams are llama-servers (llama.go; another API is another file that implements api).
//
//	calls         They follow the printed grammar where the probe shows that it is enforced.
//	              They are always validated here. What does not fit is no call, and the turn
//	              is tried again. A call leaves when it is whole.
//	grammar       It is printed as GBNF. Where GBNF says more or less than the grammar, a
//	              strict response_format is refused. A grammar that the upstream refuses is an
//	              error (engine.ErrInexact): it is never left out.
//	text is data  Prompts go as token ids. With the model's file here (Vocabulary), content
//	              spells no marker. With the upstream's tokenizer it spells no control token,
//	              but may spell a user-defined one.
//	budgets       The thinking budget is not kept to, and the server reports it.
//	checks        There are none, and a turn that is told to conclude ends at once.
//	logprobs      They are the model's own, before the mask.
//	isolation     llama-server shares its prompt cache among all callers. Keys and Forget
//	              bound only what is kept here.
//
// # Connections
//
// On connect, and whenever an upstream was lost, it is asked what it serves, its tokenizer is held
// against the vocabulary here, and the grammar is probed with one that no model follows by itself
// (obeys). An upstream that serves another model gets no turns. One that was not seen for a second is
// asked again before a turn.
//
// A stream that breaks, is silent or cannot be read ends the turn as engine.ErrWorkerLost. Tokens that
// came before have been handed over. If none came, another upstream is tried once. 429 is
// engine.ErrBusy.
//
// balance.go deals turns out. Keys go to the upstreams alone: redirects and proxies are not followed.
//
// Package realtest runs the engine suite against a real llama-server.
package remote
