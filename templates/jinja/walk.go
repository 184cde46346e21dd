package jinja

import "slices"

func nodesOf[N node](list []N) []node {
	out := make([]node, 0, len(list))
	for _, n := range list {
		out = append(out, n)
	}
	return out
}

// present drops the optional parts that are not there.
func present(list ...expr) []node {
	var out []node
	for _, e := range list {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// children returns a node's parts in the order in which they are written.
func children(n node) []node {
	switch n := n.(type) {
	case expr:
		return exprChildren(n)
	case *outputStmt:
		return nodesOf(n.items)
	case *printStmt:
		return present(n.value)
	case *ifStmt:
		return slices.Concat(present(n.test), nodesOf(n.body), nodesOf(n.elifs), nodesOf(n.other))
	case *forStmt:
		return slices.Concat(present(n.target, n.iter), nodesOf(n.body), nodesOf(n.other), present(n.test))
	case *macroStmt:
		return slices.Concat(nodesOf(n.args), nodesOf(n.defaults), nodesOf(n.body))
	case *generationStmt:
		return nodesOf(n.body)
	case *filterStmt:
		return append(nodesOf(n.body), n.filter)
	case *setStmt:
		return present(n.target, n.value)
	case *setBlockStmt:
		out := present(n.target)
		if n.filter != nil {
			out = append(out, n.filter)
		}
		return append(out, nodesOf(n.body)...)
	}
	return nil
}

func exprChildren(n expr) []node {
	switch n := n.(type) {
	case *listExpr:
		return nodesOf(n.items)
	case *dictExpr:
		var out []node
		for i, k := range n.keys {
			out = append(out, k, n.values[i])
		}
		return out
	case *unaryExpr:
		return present(n.node)
	case *binExpr:
		return present(n.left, n.right)
	case *logicExpr:
		return present(n.left, n.right)
	case *notExpr:
		return present(n.node)
	case *concatExpr:
		return nodesOf(n.items)
	case *compareExpr:
		out := present(n.first)
		for _, o := range n.ops {
			out = append(out, o.expr)
		}
		return out
	case *attrExpr:
		return present(n.node)
	case *itemExpr:
		return present(n.node, n.key)
	case *sliceExpr:
		return present(n.start, n.stop, n.step)
	case *callExpr:
		return append(present(n.node), n.args.nodes()...)
	case *filterExpr:
		return append(present(n.node), n.args.nodes()...)
	case *testExpr:
		return append(present(n.node), n.args.nodes()...)
	case *condExpr:
		return present(n.test, n.yes, n.no)
	}
	return nil
}

func (a *arguments) nodes() []node {
	return slices.Concat(nodesOf(a.pos), nodesOf(a.named))
}

// walk calls f for n and everything below it.
func walk(n node, f func(node)) {
	f(n)
	for _, c := range children(n) {
		walk(c, f)
	}
}

// undeclared returns which of the names are used below the nodes before something there binds
// them.
func undeclared(nodes []node, names ...string) map[string]bool {
	watch := map[string]bool{}
	for _, n := range names {
		watch[n] = true
	}
	used := map[string]bool{}
	for _, n := range nodes {
		walk(n, func(n node) {
			name, ok := n.(*nameExpr)
			switch {
			case !ok:
			case name.use == useLoad && watch[name.name]:
				used[name.name] = true
			default:
				delete(watch, name.name)
			}
		})
	}
	return used
}

// depth is how many nodes are above the deepest one, which bounds the stack that evaluating it
// takes.
func depth(n node) int {
	d := 0
	for _, c := range children(n) {
		d = max(d, depth(c))
	}
	return d + 1
}
