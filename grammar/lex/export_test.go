package lex

// Bytes is any one byte of the set.
func (a *Arena) Bytes(set ByteSet) Expr {
	return a.build(func() Expr { return a.leaf(a.words.ofBytes(set)) })
}

// Shortest returns a shortest accepted continuation, nil for Dead.
func (a *Arena) Shortest(s State) []byte {
	if s == Dead {
		return nil
	}
	out := []byte{}
	for !a.Accepting(s) {
		row, want := a.Row(s), a.MinBytes(s)-1
		next := -1
		for b, t := range row {
			if t != Dead && (next < 0 || t != row[next]) && a.MinBytes(t) <= want {
				next = b
				break
			}
		}
		if next < 0 {
			return nil // a limit on work was met
		}
		out = append(out, byte(next))
		s = row[next]
	}
	return out
}
