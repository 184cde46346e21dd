// Package engine says what a loaded model can do, and nothing about how.
//
// An [Engine] is one loaded model. A turn is queued on it with [Engine.Open] and read from the
// returned [Session]:
//
//	s, err := e.Open(ctx, engine.Turn{Prompt: prompt, Grammar: g, Sampling: sampling, Budget: budget})
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
// Implementations: engine/worker/runner (in-process, on engine/llama through
// engine/worker/native), engine/worker (the same in a child process) and engine/enginetest (plays
// a script; for tests). All pass the suite in engine/enginetest.
package engine
