// Package parse turns a model's output into events. [Captures] reads output that was made under
// the turn's grammar, [Text] any other.
package parse
