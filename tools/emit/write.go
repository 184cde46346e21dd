package emit

import (
	"bytes"
	"encoding/json"
	"strings"

	"tenon/grammar"
	"tenon/tools/format"
	"tenon/tools/memo"
	"tenon/tools/turn"
)

// Piece is text, or one marker, of what a family writes.
type Piece struct {
	Text   string
	Marker bool
}

// WriteCalls is how the family writes a turn's calls, behind the turn's text. It serves the templates that declare tools and
// show results but leave out the calls themselves; ok is false for families whose templates show them.
func WriteCalls(d *format.Dialect, calls []turn.Call) (pieces []Piece, ok bool) {
	var write func(turn.Call) string
	switch c := d.Codecs[0].(type) {
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
	return `{"` + c.NameKey + `": ` + quoted(call.Name) + `, "` + c.ArgsKey + `": ` + string(call.Arguments) + `}`
}

// literal is a call as in Python.
func pythonLiteral(c format.Python, call turn.Call) string {
	var parts []string
	eachMember(call.Arguments, func(name string, v json.RawMessage) { parts = append(parts, name+"="+python(v)) })
	return call.Name + c.Method + "(" + strings.Join(parts, ", ") + ")"
}

// python is a JSON value as Python writes it.
func python(v json.RawMessage) string {
	var parts []string
	switch v[0] {
	case '{':
		eachMember(v, func(name string, v json.RawMessage) { parts = append(parts, quoted(name)+": "+python(v)) })
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(v, &items) // it was read as JSON before
		for _, item := range items {
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

// eachMember calls f for the members of an object, in order.
func eachMember(object json.RawMessage, f func(name string, v json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // the brace; all of it was read as JSON before
	for d.More() {
		name, _ := d.Token()
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return
		}
		key, _ := name.(string)
		f(key, bytes.TrimSpace(v))
	}
}

// quoted is a JSON string with letters of every script as they are.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// compiling are the grammars that are being compiled: turns that come at once with new tools wait for one of them.
var compiling memo.Flights[string, *grammar.Grammar]

// Compile compiles the grammar of a turn as engines do; package grammar remembers it.
func Compile(text string) (*grammar.Grammar, error) {
	return compiling.Do(text, func() (*grammar.Grammar, error) {
		return grammar.Parse(text, grammar.Options{Lenient: true})
	})
}
