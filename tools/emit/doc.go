// Package emit writes: the grammar of a turn's whole output in extended GBNF, and the text of
// calls.
package emit
