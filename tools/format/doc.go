// Package format describes how a family of models writes its turns, as data: markers, where a
// call's name stands, how its arguments are written, thinking, end tokens. Package emit writes a
// grammar from a description, package scan reads text by it.
//
// # Files
//
//	family.go                                a family and its markers; a [Dialect] is one on a
//	                                         model's vocabulary
//	syntax.go                                how calls are written, one type for each way
//	markers.go                               markers in a text
package format
