// Package scan reads the calls in one region of a model's text, one scanner for each syntax of
// package format. A scanner is fed the text while it grows, says where the region ends, and then
// returns the calls in it.
//
// codec.go has what all share: [Codec], [Scanner] and [Opening], and the choice among the ways to
// read strings whose quotes are not escaped. json_read.go, react_*.go and tagged_*.go belong to
// the scanners of their syntaxes.
package scan
