// Package record writes down what happens in a request's turns.
//
// A [Record] in the context ([With]) watches every turn that runs under it. The turns' [Outcome]s
// are what metrics, the log and telemetry are told. Where a record is Full, each turn leaves a
// [Trace] too: all that its plan depended on, the plan, what the engine said, and the events.
// [Replay] runs a saved record again without a model, and [Compare] tells what came out
// differently.
//
// # Files
//
//	record.go, outcome.go        a request's record; what a turn came to
//	watch.go                     the watcher of a turn
//	trace.go, recording.go       a turn's trace, and how it is written
//	replay.go, compare.go        a record that runs again, and what differs
package record
