// Package remote is a model that other machines serve: tenon's protocols, tools and guarantees in
// front of engines that scale.
//
//	e, err := remote.Connect(ctx, remote.Options{Name: "coder", URLs: []string{"http://gpu-1:8080", "http://gpu-2:8080#weight=2"}})
//
// # What holds
//
// Upstreams are llama-servers (llama.go; another API is another file that implements api).
//
//	calls               follow the printed grammar where the probe shows that it is kept to, and are validated here always: what does
//	                    not fit is no call, and the turn is tried again. They leave when they are whole, not while they are written
//	grammar             printed as GBNF. Where that says more or less than the grammar, a strict response_format is refused. One that the
//	                    upstream refuses is an error (engine.ErrInexact): it is never left out
//	text is data        prompts go as token ids. With the model's file here (Vocabulary) content spells no marker; with the upstream's
//	                    tokenizer it spells no control token, but may spell a token of the user-defined kind
//	thinking budget,    not kept to; the server reports them
//	checks, conclude
//	logprobs            the model's own, before the mask
//	isolation           llama-server shares what it has read among all callers: keys and Forget bound what is kept here only
//
// # Connections
//
// On connect, and whenever an upstream was lost, it is asked what it serves, its tokenizer is held
// against the vocabulary here, and the grammar is probed with one that no model follows by itself
// (obeys). An upstream that serves another model gets no turns. One that was not seen for a second is
// asked again before a turn.
//
// A stream that breaks, is silent, or says what cannot be read ends the turn as engine.ErrWorkerLost;
// what had come until then has been handed over. Nothing had: another upstream is tried, once. 429 is
// engine.ErrBusy.
//
// balance.go deals turns out. Keys go to the upstreams alone: redirects and proxies are not followed.
//
// Package realtest runs the engine suite against a real llama-server.
package remote
