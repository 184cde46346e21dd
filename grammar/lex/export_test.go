package lex

// Bytes is any one byte of the set.
func (a *Arena) Bytes(set ByteSet) Expr {
	return a.build(func() Expr { return a.leaf(a.words.ofBytes(set)) })
}
