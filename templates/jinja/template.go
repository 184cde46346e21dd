package jinja

import (
	"fmt"
	"sync"
	"time"
)

// Options of one rendering. The zero value renders with the default limits and the zero time.
type Options struct {
	// Now is the local clock that strftime_now reads; its zone is ignored, as Python's
	// datetime.now() has none.
	Now time.Time
	// Limits bounds the work; zero fields mean the defaults.
	Limits Limits
	// Memo keeps what is made of values that stay the same between renderings; nil keeps
	// nothing.
	Memo *Memo
	// Stop is asked every few thousand steps. An error of its ends the rendering, and is the
	// rendering's error. Nil: nothing stops it but its limits.
	Stop func() error
}

// Limits bounds the work of a rendering. Exceeding one is a *RenderError that errors.Is(err,
// ErrLimit) matches.
type Limits struct {
	// Steps counts evaluated nodes, items visited and, at one step per 8 bytes, text made.
	// Default 20 million.
	Steps int
	// Output bounds the output, and every intermediate string, in bytes. Default 16 MiB.
	Output int
	// Depth bounds nested calls of macros. Default 200, about where Python gives up.
	Depth int
}

const (
	defaultSteps  = 20_000_000
	defaultOutput = 16 << 20
	defaultDepth  = 200
)

func (l Limits) withDefaults() Limits {
	if l.Steps <= 0 {
		l.Steps = defaultSteps
	}
	if l.Output <= 0 {
		l.Output = defaultOutput
	}
	if l.Depth <= 0 {
		l.Depth = defaultDepth
	}
	return l
}

// Output is a rendered template.
type Output struct {
	Text string
	// Spans cover Text in order, without gaps; neighbours differ in origin.
	Spans []Span
}

// Template is a parsed template. It does not change: any number of goroutines may render it.
type Template struct {
	src   *source
	body  []stmt
	fn    *function
	enter entering
	names []string // that are looked up in the context
	depth int      // of the tree
}

// maxStack is how many nodes of the tree may be evaluated inside each other, over all nested
// calls: some hundred bytes of stack each, far below what Go grants.
const maxStack = 300_000

// maxSource is the longest template that is read, in bytes: many times the longest that is in use.
// A parsed template takes some hundred times the memory of its text.
const maxSource = 1 << 20

// Parse reads a template. The error is a *SyntaxError.
func Parse(src string) (t *Template, err error) {
	if len(src) > maxSource {
		return nil, &SyntaxError{1, 1, fmt.Sprintf("a template of %d bytes; at most %d are read", len(src), maxSource)}
	}
	s := newSource(src)
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*syntaxError)
			if !ok {
				panic(r)
			}
			line, col := s.lineCol(e.pos)
			t, err = nil, &SyntaxError{line, col, e.msg}
		}
	}()
	p := &parser{tokens: lex(s.text)}
	t = &Template{src: s, body: p.parseBody(nil)}
	r := &resolver{}
	t.fn, t.enter = r.resolve(t.body)
	t.names = r.names
	for _, n := range nodesOf(t.body) {
		t.depth = max(t.depth, depth(n))
	}
	return t, nil
}

// Render renders the template with the variables vars, which it does not change and which may be
// shared. The error is a *RaisedError if the template called raise_exception, else a *RenderError.
func (t *Template) Render(vars *Dict, o Options) (out Output, err error) {
	rt := &runtime{now: o.Now, limits: o.Limits.withDefaults(), memo: o.Memo, out: outputs.Get().(*textBuilder)}
	rt.steps = rt.limits.Steps
	if rt.stop = o.Stop; rt.stop != nil {
		rt.look = rt.steps
	}
	rt.calls = maxStack / max(t.depth, 1)
	defer func() {
		if r := recover(); r != nil {
			out, err = Output{}, t.failure(recovered(r), rt.pos)
		}
		if rt.stopped != nil {
			out, err = Output{}, rt.stopped
		}
	}()
	f := rt.newFrame(t.fn, nil, t.rootContext(vars))
	f.enter(t.enter)
	f.run(t.body)
	out = rt.out.output()
	if rt.out.reset(); cap(rt.out.buf) <= keptOutput {
		outputs.Put(rt.out)
	}
	return out, nil
}

// outputs are builders for whole renderings, which are alike in size; one that was made for more
// than keptOutput bytes goes.
var outputs = sync.Pool{New: func() any { return new(textBuilder) }}

const keptOutput = 1 << 20

func (t *Template) failure(e *exception, pos at) error {
	line, col := t.src.lineCol(pos.position())
	if e.raised {
		return &RaisedError{line, col, e.msg}
	}
	return &RenderError{line, col, e.typ, e.msg}
}
