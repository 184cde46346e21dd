// Package bind finds the dialect of a model: how it writes thinking, text and calls. What the chat
// template renders decides.
//
// Package templates renders canonical turns with the template: one call, two, text before a call,
// thinking, no arguments, a result ([Shown]). [Detect] (detect.go) holds candidates against these:
//
//  1. the families whose signs stand in the template's source, those with the most text in their
//     signs first;
//  2. the skeletons, filled from the renderings: JSON and Python-like (skeleton.go), named (also
//     behind a label, as in ReAct) and dictionary (named.go), tagged and nested (tagged.go);
//  3. tenon's own JSON protocol, which the prompt explains.
//
// A candidate is taken if it reads the renderings back: the same calls, the same text, the same
// thinking, nothing left over (check.go). One whose grammar also writes the rendered calls byte
// for byte goes before all that only read them; a family that only reads them takes how its calls
// are written from a skeleton that does both, and keeps what else is known of it.
//
// A skeleton is filled by laying renderings side by side (frame.go). What stands before the first
// call and again before the second opens one call; the rest opens their section:
//
//	<tools>␤ <call>NAME…ARGUMENTS</call>␤ <call>NAME…ARGUMENTS</call>␤ </tools>
//	└ before ─────┘    core     └ between ─────┘    core     └ behind ──────┘
//
// This package knows the probe's words and no family's markers; a test holds it to that.
package bind
