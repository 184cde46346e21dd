package gbnf

import (
	"slices"
	"strconv"
	"strings"
)

// symbol reads <text>, <[text]>, <[id]> and their negations with !. The text of <text> includes
// the angle brackets, as in llama.cpp; that of <[text]> is what stands inside, which may be any
// marker.
func (r *reader) symbol() (*Node, error) {
	at := r.pos
	n := &Node{Op: Symbol, Not: r.take("!")}
	start := r.pos
	if !r.take("<") {
		return nil, r.errorf(at, "expected a special token such as <|call|> after !")
	}
	if r.take("[") {
		end := strings.Index(r.src[r.pos:], "]>")
		if end <= 0 {
			return nil, r.errorf(at, "the special token has no closing ]>")
		}
		n.Text = r.src[r.pos : r.pos+end]
		r.pos += end + 2
		if id, err := strconv.ParseInt(n.Text, 10, 32); err == nil && id >= 0 {
			n.Text, n.ID = "", int32(id)
		}
		return n, nil
	}
	end := strings.IndexAny(r.src[r.pos:], ">\n")
	if end < 0 || r.src[r.pos+end] == '\n' {
		return nil, r.errorf(at, "the special token has no closing >")
	}
	r.pos += end + 1
	n.Text = r.src[start:r.pos]
	return n, nil
}

// terminal reads what begins with %.
func (r *reader) terminal() (*Node, error) {
	at := r.pos
	r.pos++
	switch word := r.name(); word {
	case "json":
		return r.jsonSchema(at)
	case "regex":
		s, err := r.argument(at)
		return &Node{Op: Regex, Text: s}, err
	case "lark":
		return r.lark(at)
	case "until":
		return r.until(at)
	case "text":
		return &Node{Op: Until}, nil
	case "check":
		return &Node{Op: Check}, nil
	case "plain":
		return r.plain(at)
	case "quoted":
		s, err := r.argument(at)
		return &Node{Op: Quoted, Text: s}, err
	case "each":
		return r.each(at)
	default:
		return nil, r.errorf(at, "unknown terminal %%%s; there are %%json, %%plain, %%regex, %%quoted, %%lark, %%until, %%text, %%each and %%check", word)
	}
}

// argument reads the literal that a terminal takes.
func (r *reader) argument(at int) (string, error) {
	r.space(false)
	if r.pos >= len(r.src) || r.src[r.pos] != '"' {
		return "", r.errorf(at, "expected a literal in quotes after the terminal")
	}
	return r.quoted()
}

// lark reads a Lark grammar in a literal and takes its rules over, under names of their own.
func (r *reader) lark(at int) (*Node, error) {
	s, err := r.argument(at)
	if err != nil {
		return nil, err
	}
	sub, err := ReadLark(s)
	if err != nil {
		return nil, r.errorf(at, "lark grammar: %s", err)
	}
	prefix := "lark" + strconv.Itoa(len(r.g.Rules)) + "_"
	moved := make([]int, len(sub.Rules))
	for i, rule := range sub.Rules {
		name := prefix + rule.Name
		if _, taken := r.index[name]; taken {
			return nil, r.errorf(at, "rule %q is defined twice", name)
		}
		moved[i] = r.ruleIndex(name, at)
		r.defined[moved[i]] = true
	}
	for i, rule := range sub.Rules {
		renumber(rule.Node, moved)
		r.g.Rules[moved[i]].Node = rule.Node
	}
	return &Node{Op: Ref, Rule: moved[sub.Root]}, nil
}

func renumber(n *Node, moved []int) {
	if n.Op == Ref {
		n.Rule = moved[n.Rule]
	}
	for _, k := range n.Kids {
		renumber(k, moved)
	}
}

// until reads ("a" | "b").
func (r *reader) until(at int) (*Node, error) {
	if !r.take("(") {
		return nil, r.errorf(at, `expected markers such as %%until("</think>" | "<tool_call>")`)
	}
	return r.markers(at, &Node{Op: Until})
}

// markers reads the markers of a terminal and what closes them.
func (r *reader) markers(at int, n *Node) (*Node, error) {
	for {
		r.space(true)
		s, err := r.argument(at)
		if err != nil {
			return nil, err
		}
		if s == "" {
			return nil, r.errorf(at, "a marker cannot be empty")
		}
		if !slices.Contains(n.Markers, s) {
			n.Markers = append(n.Markers, s)
		}
		r.space(true)
		if r.take(")") {
			return n, nil
		}
		if !r.take("|") {
			return nil, r.errorf(r.pos, "expected | or ) after a marker")
		}
	}
}

// jsonSchema reads a schema and the options that may follow it without a blank.
func (r *reader) jsonSchema(at int) (*Node, error) {
	r.space(false)
	n := &Node{Op: JSON}
	end := jsonEnd(r.src[r.pos:])
	if end == 0 {
		return nil, r.errorf(at, "expected a JSON Schema after %%json")
	}
	n.Text = strings.Clone(r.src[r.pos : r.pos+end]) // it outlives the grammar
	r.pos += end
	if !r.take("[") {
		return n, nil
	}
	err := r.jsonOptions(&n.Options)
	return n, err
}

// jsonEnd finds the end of the object, true or false that s begins with, by its braces and strings
// alone: whether it is JSON is for the schema's compiler to say.
func jsonEnd(s string) int {
	for _, word := range []string{"true", "false"} {
		if strings.HasPrefix(s, word) {
			return len(word)
		}
	}
	if s == "" || s[0] != '{' {
		return 0
	}
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// The values an option of %json can have. Package grammar says what they mean.
var optionValues = map[string][]string{
	"order":   {"any", "declared"},
	"space":   {"any", "bounded", "none"},
	"escapes": {"any", "common", "canonical"},
	"numbers": {"any", "plain", "canonical"},
	"extra":   {"any", "none"},
	"formats": {"assert", "annotate"},
}

func (r *reader) jsonOptions(o *JSONOptions) error {
	for {
		r.space(true)
		at := r.pos
		key := r.name()
		value := ""
		r.space(false)
		if r.take("=") {
			r.space(false)
			var err error
			if value, err = r.optionValue(key); err != nil {
				return err
			}
		}
		if !o.set(key, value) {
			return r.errorf(at, "unknown option of %%json: %s=%s", key, value)
		}
		r.space(true)
		if r.take("]") {
			return nil
		}
		if !r.take(",") {
			return r.errorf(r.pos, "expected , or ] after an option of %%json")
		}
	}
}

func (r *reader) optionValue(key string) (string, error) {
	switch {
	case key == "documents":
		at := r.pos
		end := jsonEnd(r.src[at:])
		if end == 0 {
			return "", r.errorf(at, "expected an object of schemas by URI after documents=")
		}
		r.pos += end
		return r.src[at:r.pos], nil
	case r.pos < len(r.src) && r.src[r.pos] == '"':
		return r.quoted()
	}
	return r.name(), nil
}

func (o *JSONOptions) set(key, value string) bool {
	switch {
	case key == "tool":
		o.Tool = value
		return true
	case key == "documents" && value != "":
		o.Documents = value
		return true
	case key == "lenient" && value == "":
		o.Lenient = true
		return true
	case !slices.Contains(optionValues[key], value):
		return false
	}
	*o.field(key) = value
	return true
}

func (o *JSONOptions) field(key string) *string {
	switch key {
	case "order":
		return &o.Order
	case "space":
		return &o.Space
	case "escapes":
		return &o.Escapes
	case "numbers":
		return &o.Numbers
	case "extra":
		return &o.Extra
	default:
		return &o.Format
	}
}

// String writes the options as they stand behind %json, or nothing for the defaults.
func (o JSONOptions) String() string {
	var parts []string
	if o.Tool != "" {
		parts = append(parts, "tool="+Quote(o.Tool))
	}
	for _, key := range []string{"order", "space", "escapes", "numbers", "extra", "formats"} {
		if v := *o.field(key); v != "" {
			parts = append(parts, key+"="+v)
		}
	}
	if o.Documents != "" {
		parts = append(parts, "documents="+o.Documents)
	}
	if o.Lenient {
		parts = append(parts, "lenient")
	}
	if parts == nil {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
