package lex

// vertex is an expression that a search has reached.
type vertex struct {
	expr           Expr
	cost, estimate int32
}

// frontier is a heap of vertices by estimate. On equal estimates the vertex with the greatest cost
// comes first: it has the least left to go. It does not use container/heap, which allocates for
// every vertex: searches are a large part of what states cost.
type frontier []vertex

func (f *frontier) push(v vertex) {
	h := append(*f, v)
	i := len(h) - 1
	for parent := (i - 1) / 2; i > 0 && v.before(h[parent]); parent = (i - 1) / 2 {
		h[i] = h[parent]
		i = parent
	}
	h[i] = v
	*f = h
}

// pop removes the first vertex of a frontier that is not empty.
func (f *frontier) pop() vertex {
	h := *f
	first, v := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*f = h
	i := 0
	for child := 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(v) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = v
	}
	return first
}

func (v vertex) before(w vertex) bool {
	if v.estimate != w.estimate {
		return v.estimate < w.estimate
	}
	return v.cost > w.cost
}
