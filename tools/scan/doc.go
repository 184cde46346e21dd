// Package scan reads the calls in one region of a model's text, one scanner for each syntax of
// package format. A scanner is fed the text while it grows, says where the region ends, and then
// returns the calls in it.
package scan
