// Package parse turns a model's output into events. [Captures] reads output that was made under
// the turn's grammar, [Text] any other.
//
// Captures: captures.go, written.go (the call that is being written), off_grammar.go (an output
// that leaves its grammar goes on as text).
//
// Text: text.go (the machine), region.go (what may hold calls), behind.go (what must follow it),
// cues.go (calls without a marker), labels.go (what labels say, and text that waits for a step),
// heads.go (calls whose opening marker is missing), casing.go (calls in code), guest.go (calls of
// other families), headers.go (messages with headers), accept.go ([Reading]; a call that was read
// is held against its tool). emitter.go sends the events of both.
package parse
