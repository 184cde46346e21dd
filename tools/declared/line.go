package declared

import (
	"errors"
	"slices"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/format"
	"tenon/tools/lenient"
)

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
	inside, ok := Text(c.Args)
	if !ok || !strings.HasPrefix(strings.TrimSpace(inside), "{") {
		return false
	}
	d, err := lenient.Decode([]byte(inside), lenient.Rules{})
	ok = err == nil && strings.TrimSpace(inside[d.End:]) == "" && !slices.ContainsFunc(Members(d.JSON), t.Unknown)
	if ok {
		c.Args, c.Repairs = d.JSON, append(d.Repairs, conform.JSONFromString)
	}
	return ok
}

// Unknown tells whether a tool does not name an argument.
func (t *Tool) Unknown(e Member) bool { return !t.Schema.Declares(e.Key) }

// Named reads arguments that are written as in Python, each with the name of one of the tool's.
func (t *Tool) Named(line []byte) (d lenient.Decoded, ok bool) {
	written := slices.Concat([]byte("("), line, []byte(")"))
	d, err := lenient.DecodeArguments(written, lenient.Rules{Python: true})
	all := Members(d.JSON)
	return d, err == nil && d.End == len(written) && len(all) > 0 && !slices.ContainsFunc(all, t.Unknown)
}

// ReadLine reads arguments that are no object: as in Python, city="Rome", if they name arguments of the tool, or as the text of its only
// argument.
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
	for _, quote := range []string{format.FenceMark, `"`, "'", "`"} {
		inner, ok := strings.CutPrefix(v, quote)
		if inner, end := strings.CutSuffix(inner, quote); ok && end && !strings.Contains(inner, quote) {
			v = inner
			break
		}
	}
	c.Args, c.Fields = nil, []Field{{Key: key, Value: v}}
	c.Repairs = []string{"only-argument"}
}
