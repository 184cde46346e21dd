// Package engine says what a loaded model can do, and nothing about how.
//
// An [Engine] is one loaded model. A turn is queued on it with [Engine.Open] and read from the
// returned [Session]:
//
//	s, err := e.Open(ctx, engine.Turn{Prompt: prompt, Grammar: g, Budget: budget})
//	defer s.Close()
//	for {
//		u, err := s.Next(ctx) // prompt progress, tokens, a check to answer, or the finish
//		if err != nil || u.Finish != nil {
//			break
//		}
//		if u.Check != nil {
//			err = s.Decide(ctx, engine.Verdict{}) // or take some of the output back
//		}
//	}
//
// The model, its KV cache, the grammar's matcher and the sampler live behind the interface,
// usually in another process (package engine/worker): masks and logits never cross it; prompt
// pieces, grammar text and tokens do.
//
// # What an engine can do
//
// Not every engine can do all of it. [Can] says what this one does, the server plans its turns by
// that, and the suite in engine/enginetest tests what is claimed:
//
//	exact mask    The output matches the grammar, token by token. Calls stream while they
//	              are written.
//	printed mask  Another engine follows the grammar in its own dialect. Calls are held until
//	              they validate. Where they do not, the turn is tried again.
//	no mask       The same. A strict schema or a grammar is refused, a format is reported as
//	              ignored.
//	checks        Without them a wrong call is not taken back: a new request replaces the turn.
//	chat          The far side renders conversations and parses calls. What the turn wants of
//	              them is asked for, and validated here.
//	tokenizer     Without one prompts go as text and counts are estimates. Content that spells
//	              a marker may be read as one.
//	token ids     Without them a prompt holds no tokens of earlier turns; logit_bias is
//	              ignored.
//	symbols       Without them markers are known by their spelling.
//	conclude      Without it a turn that repeats itself is ended at once.
//
// A demanded call (tool_choice) that does not come from an engine without an exact mask is asked
// for once more, and then an error.
//
// # Files
//
//	engine.go     Engine, Turn, Session, Update: a turn and what comes of it
//	prompt.go     a prompt's pieces: symbols, the template's text, what others wrote
//	model.go      what is known of a loaded model, and its vocabulary's markers
//	can.go        what an engine can do
//	sampling.go   how tokens are chosen: names, defaults and bounds, in one table
//	defaults.go   the defaults of slots, queue, batches and memory
//	stats.go      what an engine does and holds, and how a worker is confined
//	errors.go     the errors that callers tell apart; Fault: one that goes to another process
//
// Implementations: engine/worker/runner (in-process, on engine/llama through
// engine/worker/native), engine/worker (the same in a child process) and engine/enginetest (plays
// a script; for tests), and engine/remote (on other machines). All pass the suite in
// engine/enginetest.
package engine
