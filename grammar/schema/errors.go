package schema

import (
	"strings"

	"tenon/grammar/schema/source"
)

// InvalidError says that a text is not a JSON Schema: not JSON, or a keyword of a form that JSON
// Schema forbids.
type InvalidError struct {
	Tool    string // from Options
	Pointer string // RFC 6901, of the offending keyword
	Why     string
}

func (e *InvalidError) Error() string {
	return toolPrefix(e.Tool) + (&source.Error{Pointer: e.Pointer, Why: e.Why}).Error()
}

// UnsupportedError says that a keyword cannot be enforced exactly. Only strict compilation returns
// it.
type UnsupportedError struct {
	Tool string // from Options
	// RFC 6901, of the schema that holds Keyword; in one of Options.Documents it follows the
	// document's URI and #
	Pointer string
	Keyword string
	Why     string
}

func (e *UnsupportedError) Error() string {
	return toolPrefix(e.Tool) + "cannot enforce " + e.Keyword + " at " + source.Shown(e.Pointer) + " exactly: " + e.Why
}

// UnsatError says that no value satisfies the schema, and which keywords contradict each other.
type UnsatError struct {
	Tool     string // from Options
	Pointer  string // as in UnsupportedError, of the schema in which the conflict lies
	Keywords []string
	Why      string
}

func (e *UnsatError) Error() string {
	s := toolPrefix(e.Tool) + "no value satisfies the schema: conflict at " + source.Shown(e.Pointer)
	if len(e.Keywords) > 0 {
		s += " between " + strings.Join(e.Keywords, ", ")
	}
	if e.Why != "" {
		s += ": " + e.Why
	}
	return s
}

// Action says what was done about a keyword that is not simply enforced as written.
type Action uint8

const (
	// Enforced: in a way that the schema's author may not expect, such as a translated type
	// name.
	Enforced Action = iota
	// Checked: not enforced while a value is generated. The finished value must be validated.
	Checked
	// Dropped: it means nothing here, or no validator can evaluate it (a remote reference, a
	// broken pattern).
	Dropped
)

func (a Action) String() string {
	return [...]string{"enforced", "checked", "dropped"}[a]
}

// Issue reports a keyword that is not simply enforced as written.
type Issue struct {
	Pointer string // as in UnsupportedError
	Keyword string
	Action  Action
	Why     string
}

func toolPrefix(tool string) string {
	if tool == "" {
		return ""
	}
	return "tool " + tool + ": "
}
