package jinja

func exprNodes[E expr](list []E) []node {
	out := make([]node, 0, len(list))
	for _, e := range list {
		out = append(out, e)
	}
	return out
}

func stmtNodes(list []stmt) []node {
	out := make([]node, 0, len(list))
	for _, s := range list {
		out = append(out, s)
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
		return stmtNodes(n.items)
	case *printStmt:
		return present(n.value)
	case *ifStmt:
		out := append(present(n.test), stmtNodes(n.body)...)
		for _, e := range n.elifs {
			out = append(out, e)
		}
		return append(out, stmtNodes(n.other)...)
	case *forStmt:
		out := append(present(n.target, n.iter), stmtNodes(n.body)...)
		return append(append(out, stmtNodes(n.other)...), present(n.test)...)
	case *withStmt:
		return append(append(exprNodes(n.targets), exprNodes(n.values)...), stmtNodes(n.body)...)
	case *macroStmt:
		return n.macroDef.children()
	case *callStmt:
		if n.call == nil {
			return n.macroDef.children()
		}
		return append([]node{n.call}, n.macroDef.children()...)
	case *filterStmt:
		return append(stmtNodes(n.body), n.filter)
	case *setStmt:
		return present(n.target, n.value)
	case *setBlockStmt:
		out := present(n.target)
		if n.filter != nil {
			out = append(out, n.filter)
		}
		return append(out, stmtNodes(n.body)...)
	}
	return nil
}

func (d *macroDef) children() []node {
	return append(append(exprNodes(d.args), exprNodes(d.defaults)...), stmtNodes(d.body)...)
}

func exprChildren(n expr) []node {
	switch n := n.(type) {
	case *tupleExpr:
		return exprNodes(n.items)
	case *listExpr:
		return exprNodes(n.items)
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
	case *andExpr:
		return present(n.left, n.right)
	case *orExpr:
		return present(n.left, n.right)
	case *notExpr:
		return present(n.node)
	case *concatExpr:
		return exprNodes(n.items)
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
	return append(append(exprNodes(a.pos), exprNodes(a.named)...), present(a.star, a.dstar)...)
}

// walk calls f for n and everything below it, until f returns false for a node, whose parts are
// then left out.
func walk(n node, f func(node) bool) {
	if !f(n) {
		return
	}
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
		walk(n, func(n node) bool {
			switch n := n.(type) {
			case *nameExpr:
				if n.use == useLoad && watch[n.name] {
					used[n.name] = true
				} else {
					delete(watch, n.name)
				}
			}
			return true
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
