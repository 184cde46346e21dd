package declared

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
)

// Arguments makes one JSON object of what a call holds. Nothing, null and an empty string mean no
// arguments.
func (t *Tool) Arguments(c *RawCall) ([]byte, error) {
	if c.Fields != nil {
		return t.fieldArguments(c)
	}
	args := bytes.TrimSpace(c.Args)
	for range 2 { // JSON in a string, at most twice
		s, ok := ordered.Text(args)
		if !ok {
			break
		}
		if t.Freeform != nil && !HoldsInput(s) {
			return ordered.MemberList{{Key: InputKey, Value: args}}.Object(), nil
		}
		args = bytes.TrimSpace([]byte(s))
		if named, ok := t.pairs(string(args)); ok {
			c.Repairs = append(c.Repairs, pairsInString)
			return named, nil
		}
		c.Repairs = append(c.Repairs, conform.JSONFromString)
	}
	if len(args) == 0 || string(args) == "null" {
		if len(args) > 0 {
			c.Repairs = append(c.Repairs, conform.EmptyArguments)
		}
		return []byte("{}"), nil
	}
	d, err := lenient.Decode(args, lenient.Rules{})
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	c.Repairs = append(c.Repairs, d.Repairs...)
	if list := ordered.Items(d.JSON); len(list) == 1 && list[0][0] == '{' {
		c.Repairs = append(c.Repairs, conform.UnwrapArray)
		d.JSON = list[0]
	}
	if d.JSON[0] != '{' {
		return nil, errors.New("arguments are not an object")
	}
	if inner, ok := t.callInside(d.JSON); ok {
		c.Repairs = append(c.Repairs, callInArguments)
		return inner, nil
	}
	return d.JSON, nil
}

// pairsInString is the rule for arguments in a string that is no JSON: "city=Rome&days=3", or as
// in Python.
const pairsInString = "pairs-from-string"

// pairs reads arguments written as pairs, each of which names one of the tool's, once. Where a
// value may be escaped, or hold what parts the pairs, it is not guessed at.
func (t *Tool) pairs(s string) ([]byte, bool) {
	if s == "" || !peek.NameByte(s[0]) || !strings.Contains(s, "=") {
		return nil, false
	}
	if d, ok := t.Named([]byte(s)); ok && len(Without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)) == 0 {
		return d.JSON, true
	}
	var m ordered.MemberList
	for pair := range strings.SplitSeq(s, "&") {
		key, value, ok := strings.Cut(pair, "=")
		if _, twice := m.First(key); !ok || twice || !t.Schema.Declares(key) || strings.ContainsAny(value, "%+,;\"'\n") {
			return nil, false
		}
		m = append(m, ordered.Member{Key: key, Value: t.Schema.Field(key, value)})
	}
	return m.Object(), true
}

// HoldsInput tells whether a text is an object with a free-form tool's input, rather than the
// input itself.
func HoldsInput(text string) bool {
	d, err := lenient.Decode([]byte(strings.TrimSpace(text)), lenient.Rules{})
	if err != nil || d.JSON[0] != '{' {
		return false
	}
	m := ordered.Members(d.JSON)
	return len(m) == 1 && m[0].Key == InputKey
}

// callInArguments is the rule for a whole call where its arguments belong: {"name": "f",
// "arguments": {…}} sent to f.
const callInArguments = "call-in-arguments"

// callInside returns the arguments of a call of the same tool that stands in place of its
// arguments.
func (t *Tool) callInside(args []byte) (json.RawMessage, bool) {
	var inner json.RawMessage
	named := false
	for _, e := range ordered.Members(args) {
		if t.Schema.Declares(e.Key) {
			return nil, false
		}
		switch {
		case slices.Contains(NameKeys, e.Key):
			name, _ := ordered.Text(e.Value)
			named = strings.TrimPrefix(name, ToolsPrefix) == t.Prompt
		case slices.Contains(ArgsKeys, e.Key) && e.Value[0] == '{':
			inner = e.Value
		default:
			return nil, false
		}
	}
	return inner, named && inner != nil
}

func (t *Tool) fieldArguments(c *RawCall) ([]byte, error) {
	var m ordered.MemberList
	for _, f := range c.Fields {
		v := t.fieldValue(f)
		if old, twice := m.First(f.Key); twice {
			if !bytes.Equal(old, v) {
				return nil, fmt.Errorf("argument %q has two values", f.Key)
			}
			c.Repairs = append(c.Repairs, lenient.DuplicateKey)
			continue
		}
		m = append(m, ordered.Member{Key: f.Key, Value: v})
	}
	return m.Object(), nil
}

func (t *Tool) fieldValue(f Field) json.RawMessage {
	if f.Tree != nil {
		return t.value(*f.Tree, f.Value, t.Schema.Root().Inside(f.Key))
	}
	switch f.Kind {
	case AsText:
		return lenient.AppendString(nil, f.Value)
	case AsJSON:
		trimmed := strings.TrimSpace(f.Value)
		if d, err := lenient.Decode([]byte(trimmed), lenient.Rules{}); err == nil && d.End == len(trimmed) {
			return d.JSON
		}
	}
	return t.Schema.Field(f.Key, f.Value)
}

var errPlace = errors.New("arguments without keywords do not fit the parameters at their places")

// InPlace refuses arguments without keywords that do not validate as they stand.
func (t *Tool) InPlace(d lenient.Decoded) error {
	if slices.Contains(d.Repairs, lenient.Positional) && t.Schema.Validate(d.JSON) != nil {
		return errPlace
	}
	return nil
}

// readString reads arguments that are an object in a string. It says whether they are.
func (t *Tool) readString(c *RawCall) bool {
	inside, ok := ordered.Text(c.Args)
	if !ok || !strings.HasPrefix(strings.TrimSpace(inside), "{") {
		return false
	}
	d, err := lenient.Decode([]byte(inside), lenient.Rules{})
	ok = err == nil && strings.TrimSpace(inside[d.End:]) == "" && !slices.ContainsFunc(ordered.Members(d.JSON), t.Unknown)
	if ok {
		c.Args, c.Repairs = d.JSON, append(d.Repairs, conform.JSONFromString)
	}
	return ok
}

// Unknown tells whether a tool does not name an argument.
func (t *Tool) Unknown(e ordered.Member) bool { return !t.Schema.Declares(e.Key) }

// Named reads arguments that are written as in Python, each with the name of one of the tool's.
func (t *Tool) Named(line []byte) (d lenient.Decoded, ok bool) {
	written := slices.Concat([]byte("("), line, []byte(")"))
	d, err := lenient.DecodeArguments(written, lenient.Rules{Python: true})
	all := ordered.Members(d.JSON)
	return d, err == nil && d.End == len(written) && len(all) > 0 && !slices.ContainsFunc(all, t.Unknown)
}

// ReadLine reads arguments that are no object: as in Python, city="Rome", if they name arguments
// of the tool, or as the text of its only argument.
func (t *Tool) ReadLine(c *RawCall) {
	if len(c.Args) == 0 || t.readString(c) {
		return
	}
	if d, ok := t.Named(c.Args); ok {
		c.Args, c.Repairs = d.JSON, Without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)
		return
	}
	key, ok := t.Schema.OnlyArgument()
	if !ok {
		return
	}
	v := string(c.Args)
	for _, quote := range []string{`"`, "'", "`"} {
		inner, ok := strings.CutPrefix(v, quote)
		if inner, end := strings.CutSuffix(inner, quote); ok && end && !strings.Contains(inner, quote) {
			v = inner
			break
		}
	}
	c.Args, c.Fields = nil, []Field{{Key: key, Value: v}}
	c.Repairs = []string{"only-argument"}
}

// RawCall is a call as a model wrote it.
type RawCall struct {
	Name    string
	Args    []byte  // JSON or what was meant as such; nil where fields holds them
	Fields  []Field // arguments in tags, in the order written
	Repairs []string
	Source  []byte   // its text, should it prove to be none
	Untyped bool     // args holds strings where the format has only text
	Beside  []string // keys of the call's object that no call has; what they hold is left out
	Err     error    // why it cannot be one
}

// Field is an argument whose value stands between tags.
type Field struct {
	Key   string
	Value string
	Kind  fieldKind
	Tree  *Elements // its value is elements; nil: it is text
}

// fieldKind says how the value of a field is to be read.
type fieldKind uint8

const (
	BySchema fieldKind = iota // text where the schema allows a string, else JSON
	AsText
	AsJSON
)

// Without leaves out the repairs that are how a family writes.
func Without(repairs []string, native ...string) []string {
	return slices.DeleteFunc(repairs, func(r string) bool { return slices.Contains(native, r) })
}
