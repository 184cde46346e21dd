package templates

import (
	"bytes"
	"encoding/json"
	"strings"

	"tenon/templates/schema"
)

// argumentsOf reads a call's arguments as a client replays them. The result is always the JSON of
// an object; rule names what had to be done to get there, "" if nothing.
func argumentsOf(sent string) (object, rule string) {
	s := strings.TrimSpace(sent)
	if s == "" || s == "null" {
		return "{}", ""
	}
	if isObject(s) {
		return s, ""
	}
	if inner, ok := unwrap(s); ok {
		return inner, ruleUnwrapArguments
	}
	if closed := closeJSON(s); isObject(closed) {
		return closed, ruleRepairArguments
	}
	return rawArguments(s), ruleRawArguments
}

func isObject(s string) bool { return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) }

// unwrap takes JSON strings off an object that was encoded more than once.
func unwrap(s string) (string, bool) {
	for range 3 {
		var inner string
		if json.Unmarshal([]byte(s), &inner) != nil {
			return "", false
		}
		if s = strings.TrimSpace(inner); s == "" || s == "null" {
			return "{}", true
		} else if isObject(s) {
			return s, true
		}
	}
	return "", false
}

// rawArguments keeps what is no object, under the only name that says what it is.
func rawArguments(s string) string {
	if json.Valid([]byte(s)) {
		return `{"arguments":` + s + `}`
	}
	return `{"arguments":` + schema.Quote(s) + `}`
}

// closeJSON ends JSON that was cut off, the usual fault of a replayed call: it closes the open
// string, drops what is half a literal or a key without value, and closes what is open. Line
// breaks inside strings are escaped.
func closeJSON(s string) string {
	c := closer{}
	for i := range len(s) {
		c.next(s[i])
	}
	return c.end()
}

// closer follows JSON text by its strings and brackets.
type closer struct {
	out     []byte
	open    []byte // closing brackets that are due, outermost first
	value   int    // length of out when the last complete member or item ended
	string  bool
	escaped bool
}

func (c *closer) next(b byte) {
	if c.string {
		c.inString(b)
		return
	}
	switch b {
	case '"':
		c.string = true
	case '{':
		c.open = append(c.open, '}')
	case '[':
		c.open = append(c.open, ']')
	case '}', ']':
		c.out = trimComma(c.out)
		if len(c.open) > 0 {
			c.open = c.open[:len(c.open)-1]
		}
	case ',':
		c.value = len(c.out)
	}
	c.out = append(c.out, b)
	if b == '{' || b == '[' || b == '}' || b == ']' {
		c.value = len(c.out)
	}
}

func (c *closer) inString(b byte) {
	switch {
	case c.escaped:
		c.escaped = false
	case b == '\\':
		c.escaped = true
	case b == '"':
		c.string = false
	case b == '\n':
		c.out = append(c.out, '\\')
		b = 'n'
	case b == '\t':
		c.out = append(c.out, '\\')
		b = 't'
	}
	c.out = append(c.out, b)
}

// end closes what is open. Where the last member cannot be completed it is dropped.
func (c *closer) end() string {
	whole := append([]byte(nil), c.out...)
	if c.string {
		if c.escaped {
			whole = whole[:len(whole)-1]
		}
		whole = append(whole, '"')
	}
	if s := c.closed(trimComma(whole)); json.Valid([]byte(s)) {
		return s
	}
	return c.closed(trimComma(c.out[:c.value]))
}

func (c *closer) closed(b []byte) string {
	out := append([]byte(nil), b...)
	for i := len(c.open) - 1; i >= 0; i-- {
		out = append(out, c.open[i])
	}
	return string(out)
}

func trimComma(b []byte) []byte {
	// not as a string: a copy at each bracket would cost the square of the length
	t := bytes.TrimRight(b, " \t\r\n")
	if bytes.HasSuffix(t, []byte(",")) {
		return b[:len(t)-1]
	}
	return b
}
