package jinja

// node is anything in a template's tree.
type node interface{ position() int }

// expr is an expression; eval computes it in a frame of the running function.
type expr interface {
	node
	eval(f *frame) Value
}

// stmt is a statement; exec runs it and says whether a loop control was met.
type stmt interface {
	node
	exec(f *frame) control
}

// at is a byte offset in the source, embedded by every node.
type at int

func (p at) position() int {
	return int(p)
}

// use says what a name does where it stands.
type use uint8

const (
	useLoad use = iota
	useStore
	useParam // bound by a loop, macro or call
)

type (
	constExpr struct {
		at
		value Value
	}
	// nameExpr is a variable; where is filled in by the resolver.
	nameExpr struct {
		at
		name    string
		use     use
		where   place
		missing *undefined // what it is worth where it is not set
	}
	// nsRefExpr is the target ns.attr of a set.
	nsRefExpr struct {
		at
		name, attr string
	}
	// listExpr is a list or tuple.
	listExpr struct {
		at
		kind  listKind
		items []expr
	}
	dictExpr struct {
		at
		keys, values []expr
	}
	unaryExpr struct {
		at
		op   tokenType
		node expr
	}
	binExpr struct {
		at
		op          tokenType
		left, right expr
	}
	// logicExpr is left and right, or left or right: right counts where left is as true as
	// wanted.
	logicExpr struct {
		at
		left, right expr
		wanted      bool
	}
	notExpr struct {
		at
		node expr
	}
	concatExpr struct {
		at
		items []expr
	}
	compareExpr struct {
		at
		first expr
		ops   []operand
	}
	operand struct {
		op   relation
		expr expr
	}
	attrExpr struct {
		at
		node expr
		name *Str
		// of a dict: no dict has an attribute of that name, nor has anything a hidden one
		item bool
	}
	itemExpr struct {
		at
		node, key expr
	}
	// sliceExpr is a subscript start:stop:step, each of which may be nil.
	sliceExpr struct {
		at
		start, stop, step expr
	}
	callExpr struct {
		at
		node expr
		args arguments
	}
	filterExpr struct {
		at
		node expr // nil: the body of a filter block
		name string
		args arguments
		fn   *native
	}
	testExpr struct {
		at
		node expr
		name string
		args arguments
		fn   *native
		// presence is 1 for the plain test "defined", -1 for "undefined".
		presence int
	}
	condExpr struct {
		at
		test, yes, no expr // no may be nil
	}
)

// arguments of a call, filter or test.
type arguments struct {
	pos   []expr
	names []*Str
	named []expr
}

type (
	dataStmt struct {
		at
		text string
	}
	// printStmt is {{ … }}.
	printStmt struct {
		at
		value expr
	}
	// outputStmt is text and printed values between two statements.
	outputStmt struct {
		at
		items []stmt
	}
	ifStmt struct {
		at
		test  expr
		body  []stmt
		elifs []*ifStmt
		other []stmt
	}
	forStmt struct {
		at
		target     expr
		iter, test expr // test may be nil
		body       []stmt
		other      []stmt

		enter, enterTest, enterElse entering
		testTarget                  target
		bodyTarget                  target
		loop                        int     // slot of loop, -1 without
		sole                        *ifStmt // see findIdle
		steady                      int
	}
	macroStmt struct {
		at
		name     string
		args     []*nameExpr
		defaults []expr
		body     []stmt

		fn     *function
		enter  entering
		params []int // slots of args
		kwargs int   // slot, -1 where not used
		where  place
		export int // as in target
	}
	// generationStmt marks what the model wrote: its body, in a scope of its own.
	generationStmt struct {
		at
		body  []stmt
		enter entering
	}
	filterStmt struct {
		at
		filter *filterExpr
		body   []stmt
		enter  entering
	}
	setStmt struct {
		at
		target expr
		value  expr
		assign target
	}
	setBlockStmt struct {
		at
		target expr
		filter *filterExpr
		body   []stmt
		enter  entering
		assign target
	}
	loopControl struct {
		at
		control control
	}
)
