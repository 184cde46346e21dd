// Package prepared is what a loaded model has beside its engine: its chat template, probed; the
// dialect in which it writes calls; and the turns it sampled, kept so that a client which replays
// one gets its tokens back.
//
//	m, err := prepared.Prepare(entry, engine, prepared.Options{})
//	m.Renderer.Render(conversation)       // the prompt, in segments
//	m.Sampled.Prompt(caller, rendering)      // the same, its sampled turns as token ids
//
// It is made once for each loaded instance of a model and goes with it.
package prepared
