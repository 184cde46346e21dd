// Package runner runs the turns of one model in-process: it is the engine that a worker serves.
//
//	r := runner.New(backend, runner.Options{Slots: 4})
//	session, err := r.Open(ctx, turn) // r is an engine.Engine
//
// A turn's way through it:
//
//  1. Open, on its caller's goroutine: the prompt becomes token ids (package tokens), the grammar
//     is compiled or found (grammars.go), a sampler is made, and the turn enters the queue.
//  2. The loop (loop.go), the one goroutine that owns all turns, the model and its memory, admits
//     it to a slot when package schedule says so. Its sequence starts with whatever beginning of
//     the prompt the KV cache holds.
//  3. Each step (step.go) is one call of the model with tokens of many turns: those that running
//     streams have just chosen, and pieces of prompts, small enough that no stream waits longer
//     than is set. The masks of the next tokens are computed meanwhile, by turns; a turn whose
//     mask takes longer than the model sits out until it is whole (masks.go). Where masks allow
//     few tokens the model computes only their logits.
//  4. Where a turn's last token has been evaluated, the next one is chosen (choose.go): the
//     grammar's mask first, then the sampler among what it allows; what the grammar forces is
//     appended at once. What a turn may say next is guessed, from what was said or by a draft
//     model (drafter.go), evaluated in the same step, and chosen or not (draft.go). At a %check
//     mark the turn keeps its slot and waits for a verdict, which may take some of the output
//     back.
//  5. Updates go to a mailbox (session.go) that the session's reader empties. A turn whose mailbox
//     is full stays out of the steps until it is read; the others run on.
//
// runner.go is the engine and its options, backend.go what it asks of a model, turn.go a turn and
// its states, prompt.go counts a prompt's tokens. captures.go knows which captures of the output
// are open (thinking has a budget of its own), fit_budget.go chooses tokens so that the output can
// still end within its budget, fair.go has callers take turns, and miss.go tells why a prompt was
// not found in the cache.
//
// When a turn ends, its sequence stays in the cache for the next one that begins alike (memory.go:
// cutting, sharing, evicting and preempting in the KV cache). When another begins, what it does
// not share is copied to host memory, and back when a prompt wants it (move.go): attention would
// read it for nothing. Short ones are copied before that, while nothing runs. While somebody waits
// for a stream's next token, a step copies one piece out and one back, of 1,024 tokens at most,
// and works on prompts that much less. A turn is evaluated once all of its pieces are back.
//
// Where memory cannot be cut (recurrent and hybrid models), copies of a sequence are kept at the
// places to come back to, and go to host memory whole. What host memory gives up, or holds when
// the runner is closed, can be kept on disk, for turns that come after a restart (keep.go). A turn
// whose cells older ones need leaves them in host memory until it gets its slot again.
package runner
