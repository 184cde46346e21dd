// Package parse turns a model's output into events. [Constrained] reads output that was made under
// the turn's grammar, [Tolerant] any other.
//
// Constrained: constrained.go, args_from_captures.go (the arguments of a call, from the grammar's
// captures), grammar_fallback.go (an output that leaves its grammar goes on as text).
//
// Tolerant: reading.go ([Reading]: what it knows of a turn), tolerant.go (the machine), region.go
// (what may hold calls), behind_region.go (whether what stands behind a region lets it be a call).
// How calls begin: unmarked_start.go (without a marker), missing_opener.go (without their opening
// marker), other_family.go (with another family's markers), tool_name_tag.go (with a tag of the
// tool's name), headers.go (messages with headers), labels.go (labels of steps). Around calls:
// code_fence.go (code that holds calls), quotation.go (quoted examples), suspect_tail.go (text
// behind a rejected call), partial_tag.go (tags that a marker only begins), cut_off_marker.go (the
// output's end). validate_call.go holds a call that was read against its tool, and emitter.go
// sends the events of both.
package parse
