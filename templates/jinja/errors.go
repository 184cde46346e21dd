package jinja

import (
	"errors"
	"fmt"
)

// SyntaxError says where and why a template does not parse.
type SyntaxError struct {
	Line, Col int // from 1; Col counts characters
	Msg       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("template line %d, column %d: %s", e.Line, e.Col, e.Msg)
}

// RaisedError is what the template itself raised by raise_exception.
type RaisedError struct {
	Line, Col int
	Msg       string // the template's own words
}

func (e *RaisedError) Error() string {
	return fmt.Sprintf("template line %d, column %d raises: %s", e.Line, e.Col, e.Msg)
}

// RenderError is any other failure of a rendering: an undefined value used, a wrong type, a limit.
type RenderError struct {
	Line, Col int
	// "UndefinedError", "TypeError", "ValueError", "TemplateRuntimeError"; "LimitError" and
	// "RecursionError" for limits
	Type string
	Msg  string
}

func (e *RenderError) Error() string {
	return fmt.Sprintf("template line %d, column %d: %s: %s", e.Line, e.Col, e.Type, e.Msg)
}

// ErrLimit is matched by errors.Is where a rendering stopped at one of its Limits.
var ErrLimit = errors.New("template limit reached")

// Is reports a limit as ErrLimit.
func (e *RenderError) Is(target error) bool {
	return target == ErrLimit && (e.Type == typeLimit || e.Type == typeRecursion)
}

// The exceptions that evaluation raises, by the names of Python's that are nearest.
const (
	typeLimit     = "LimitError"
	typeStopped   = "Stopped" // seen by nobody: see Options.Stop
	typeRecursion = "RecursionError"
	typeTemplate  = "TemplateRuntimeError"
	typeType      = "TypeError"
	typeUndefined = "UndefinedError"
	typeValue     = "ValueError"
)

// exception is what evaluation panics with; only Render recovers it.
type exception struct {
	typ    string
	msg    string
	raised bool // by raise_exception
}

// typeInternal is the type of an error that is a mistake of this package: untrusted templates must
// not find one, and if they do it has to stay harmless.
const typeInternal = "InternalError"

// recovered turns what evaluation panicked with into an exception.
func recovered(r any) *exception {
	switch r := r.(type) {
	case *exception:
		return r
	case interface { // Go's runtime.Error
		error
		RuntimeError()
	}:
		return &exception{typ: typeInternal, msg: r.Error()}
	}
	panic(r)
}

// throw raises an exception with a formatted message.
func throw(typ, format string, args ...any) {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	panic(&exception{typ: typ, msg: msg})
}
