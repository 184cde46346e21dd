package emit

import (
	"encoding/json"
	"strings"

	"tenon/grammar"
	"tenon/tools/format"
	"tenon/tools/memo"
	"tenon/tools/ordered"
	"tenon/tools/turn"
)

// Piece is text, or one marker, of what a family writes.
type Piece struct {
	Text   string
	Marker bool
}

// WriteCalls is how the family writes a turn's calls, behind the turn's text. It serves the
// templates that declare tools and show results but leave out the calls themselves; ok is false
// for families whose templates show them.
func WriteCalls(d *format.Dialect, calls []turn.Call) (pieces []Piece, ok bool) {
	var write func(turn.Call) string
	switch c := d.Syntaxes[0].(type) {
	case format.JSON:
		if !c.Array || c.NameKey == "" {
			return nil, false
		}
		write = func(call turn.Call) string { return jsonLiteral(c, call) }
	case format.Python:
		if !c.Listed {
			return nil, false
		}
		write = func(call turn.Call) string { return pythonLiteral(c, call) }
	default:
		return nil, false
	}
	if d.Section.Open == "" || d.Call.Open != "" || d.Headers != nil {
		return nil, false
	}
	texts := make([]string, len(calls))
	for i, c := range calls {
		texts[i] = write(c)
	}
	pieces = []Piece{{d.Section.Open, true}, {"[" + strings.Join(texts, ", ") + "]", false}}
	if d.Section.Close != "" {
		pieces = append(pieces, Piece{d.Section.Close, true})
	}
	return pieces, true
}

func jsonLiteral(c format.JSON, call turn.Call) string {
	return `{"` + c.NameKey + `": ` + ordered.String(call.Name) + `, "` + c.ArgsKey + `": ` + string(call.Arguments) + `}`
}

// pythonLiteral is a call as in Python.
func pythonLiteral(c format.Python, call turn.Call) string {
	var parts []string
	for _, m := range ordered.Members(call.Arguments) {
		parts = append(parts, m.Key+"="+python(m.Value))
	}
	return call.Name + c.Method + "(" + strings.Join(parts, ", ") + ")"
}

// python is a JSON value as Python writes it.
func python(v json.RawMessage) string {
	var parts []string
	switch v[0] {
	case '{':
		for _, m := range ordered.Members(v) {
			parts = append(parts, ordered.String(m.Key)+": "+python(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		for _, item := range ordered.Items(v) {
			parts = append(parts, python(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case 't':
		return "True"
	case 'f':
		return "False"
	case 'n':
		return "None"
	}
	return string(v)
}

// compiling are the grammars that are being compiled: turns that come at once with new tools wait
// for one of them.
var compiling memo.Locks[string]

// Compile compiles the grammar of a turn as engines do; package grammar remembers it.
func Compile(text string, stop func() error) (*grammar.Grammar, error) {
	defer compiling.Lock(text)()
	return grammar.Parse(text, grammar.Options{Lenient: true, Stop: stop})
}
