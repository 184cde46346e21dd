// Package lenient reads what models write when they mean JSON: single quotes, bare keys, trailing
// and missing commas, Python literals, comments, raw newlines and unescaped quotes inside strings,
// brackets that were never closed, typographic quotes, doubled braces, text that is escaped once
// more, and Python's calls with their keywords or without.
//
// [Decode] turns such a text into strict JSON and names every repair. It changes spelling, never
// meaning: text that is already JSON comes back byte for byte, and what could be read in two ways
// is an error rather than a guess.
//
// [Readings] and [CallReadings] list the ways to read a text in whose strings quotes are not
// escaped: which of them is meant, the caller's schemas decide.
//
// [Scanner] finds where such a text ends while it is still being written, for every way in which
// it is cut. Both follow one rule about where a string ends (see quote.go), so that they agree.
//
// Files: decode.go (objects, lists and strings), word.go (numbers and bare words), escape.go
// (escapes, also doubled ones), python.go (arguments and strings as in Python), scanner.go,
// readings.go, readings_rules.go (by which rules a reading came about).
package lenient
