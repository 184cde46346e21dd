package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/lenient"
)

// accept resolves a call's name and makes its arguments valid. On success the call's name is the prompt's and args are
// JSON that validates.
func (p *tolerant) accept(c *rawCall) error {
	m, ok := p.plan.resolve(c.name)
	if !ok {
		return fmt.Errorf("no callable tool is named %.80q", c.name)
	}
	t := &p.plan.tools[m.tool]
	if m.rule != "" && !(m.rule == namePrefix && p.plan.dialect.prefixes()) {
		c.repairs = append(c.repairs, m.rule)
	}
	if len(c.beside) > 0 && slices.Contains(c.repairs, lenient.UnescapedQuote) {
		return fmt.Errorf("call of %q: %w", t.Name, errTorn)
	}
	args, err := t.arguments(c)
	if err == nil && slices.Contains(c.repairs, lenient.MissingClose) && slices.ContainsFunc(members(args), t.strays) {
		err = errStray
	}
	p.looked = outcome{true, m.tool, args, err}
	if err != nil {
		return fmt.Errorf("call of %q: %w", t.Name, err)
	}
	args, changed, err := t.schema.Conform(args)
	p.looked.err = err
	if err != nil {
		return fmt.Errorf("call of %q: %s", t.Name, oneLine(err))
	}
	if input, ok := text(firstInput(args)); t.Freeform != nil && ok && !t.matches(input) {
		return fmt.Errorf("call of %q: its input does not match the tool's %s grammar", t.Name, t.Freeform.Syntax)
	}
	c.name, c.args = t.prompt, args
	if len(c.beside) > 0 {
		p.leftOut(t, c.beside)
	}
	for _, r := range c.repairs {
		p.repairs = append(p.repairs, Repair{Rule: r, Tool: t.Name})
	}
	for _, r := range changed {
		if c.untyped && strings.HasSuffix(r.Rule, "-from-string") {
			continue // the format has only text for values
		}
		p.repairs = append(p.repairs, Repair{r.Rule, t.Name, r.Pointer, r.Detail})
	}
	return nil
}

var errStray = errors.New("a bracket is missing, and a key of the call stands among its arguments")

// strays tells whether an argument is a key of calls, and none of the tool's.
func (t *declared) strays(e member) bool {
	return slices.Contains(callKeys, e.key) && !t.schema.Declares(e.key)
}

// keyBesideArguments is the rule under which is counted what a call's object says beside its arguments, and no call can tell.
const keyBesideArguments = "key-beside-arguments"

// leftOut notes and counts the keys beside a call's arguments.
func (p *tolerant) leftOut(t *declared, keys []string) {
	list := fmt.Sprintf("%.200q", strings.Join(keys, ", "))
	p.repairs = append(p.repairs, Repair{Rule: keyBesideArguments, Tool: t.Name, Detail: list})
	p.note(p.region.start, fmt.Sprintf("%s: a call of %q has more than a name and arguments; left out: %s", keyBesideArguments, t.Name, list))
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// arguments makes one JSON object of what a call holds. Nothing, null and an empty string mean no arguments.
func (t *declared) arguments(c *rawCall) ([]byte, error) {
	if c.fields != nil {
		return t.fieldArguments(c)
	}
	args := bytes.TrimSpace(c.args)
	for range 2 { // JSON in a string, at most twice
		s, ok := text(args)
		if !ok {
			break
		}
		if t.Freeform != nil && !holdsInput(s) {
			return memberList{{inputKey, args}}.object(), nil
		}
		args = bytes.TrimSpace([]byte(s))
		if named, ok := t.pairs(string(args)); ok {
			c.repairs = append(c.repairs, pairsInString)
			return named, nil
		}
		c.repairs = append(c.repairs, conform.JSONFromString)
	}
	if len(args) == 0 || string(args) == "null" {
		if len(args) > 0 {
			c.repairs = append(c.repairs, conform.EmptyArguments)
		}
		return []byte("{}"), nil
	}
	d, err := lenient.Decode(args, lenient.Rules{})
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	c.repairs = append(c.repairs, d.Repairs...)
	if list := items(d.JSON); len(list) == 1 && list[0][0] == '{' {
		c.repairs = append(c.repairs, conform.UnwrapArray)
		d.JSON = list[0]
	}
	if d.JSON[0] != '{' {
		return nil, errors.New("arguments are not an object")
	}
	if inner, ok := t.callInside(d.JSON); ok {
		c.repairs = append(c.repairs, callInArguments)
		return inner, nil
	}
	return d.JSON, nil
}

// pairsInString is the rule for arguments in a string that is no JSON: "city=Rome&days=3", or as in Python.
const pairsInString = "pairs-from-string"

// pairs reads arguments written as pairs, each of which names one of the tool's, once. Where a value may be escaped, or hold what parts the
// pairs, it is not guessed at.
func (t *declared) pairs(s string) ([]byte, bool) {
	if s == "" || !nameByte(s[0]) || !strings.Contains(s, "=") {
		return nil, false
	}
	if d, ok := t.named([]byte(s)); ok && len(without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)) == 0 {
		return d.JSON, true
	}
	var m memberList
	for pair := range strings.SplitSeq(s, "&") {
		key, value, ok := strings.Cut(pair, "=")
		if _, twice := m.first(key); !ok || twice || !t.schema.Declares(key) || strings.ContainsAny(value, "%+,;\"'\n") {
			return nil, false
		}
		m = append(m, member{key, t.schema.Field(key, value)})
	}
	return m.object(), true
}

// holdsInput tells whether a text is an object with a free-form tool's input, rather than the input itself.
func holdsInput(text string) bool {
	d, err := lenient.Decode([]byte(strings.TrimSpace(text)), lenient.Rules{})
	if err != nil || d.JSON[0] != '{' {
		return false
	}
	m := members(d.JSON)
	return len(m) == 1 && m[0].key == inputKey
}

// callInArguments is the rule for a whole call where its arguments belong: {"name": "f", "arguments": {…}} sent to f.
const callInArguments = "call-in-arguments"

// callInside returns the arguments of a call of the same tool that stands in place of its arguments.
func (t *declared) callInside(args []byte) (json.RawMessage, bool) {
	var inner json.RawMessage
	named := false
	for _, e := range members(args) {
		if t.schema.Declares(e.key) {
			return nil, false
		}
		switch {
		case slices.Contains(nameKeys, e.key):
			name, _ := text(e.value)
			named = strings.TrimPrefix(name, toolsPrefix) == t.prompt
		case slices.Contains(argsKeys, e.key) && e.value[0] == '{':
			inner = e.value
		default:
			return nil, false
		}
	}
	return inner, named && inner != nil
}

func (t *declared) fieldArguments(c *rawCall) ([]byte, error) {
	var m memberList
	for _, f := range c.fields {
		v := t.fieldValue(f)
		if old, twice := m.first(f.key); twice {
			if !bytes.Equal(old, v) {
				return nil, fmt.Errorf("argument %q has two values", f.key)
			}
			c.repairs = append(c.repairs, lenient.DuplicateKey)
			continue
		}
		m = append(m, member{f.key, v})
	}
	return m.object(), nil
}

func (t *declared) fieldValue(f field) json.RawMessage {
	switch f.kind {
	case asText:
		return lenient.AppendString(nil, f.value)
	case asJSON:
		trimmed := strings.TrimSpace(f.value)
		if d, err := lenient.Decode([]byte(trimmed), lenient.Rules{}); err == nil && d.End == len(trimmed) {
			return d.JSON
		}
	}
	return t.schema.Field(f.key, f.value)
}

// emitCall sends a call that has been accepted.
func (p *tolerant) emitCall(c rawCall) {
	m, _ := p.plan.resolve(c.name) // accept found it
	t := &p.plan.tools[m.tool]
	if p.called > 0 && !p.plan.turn.Parallel {
		p.note(p.pos, fmt.Sprintf("a second call, of %q, was dropped: one call is allowed", t.Name))
		return
	}
	if p.stops.hit {
		p.note(p.pos, fmt.Sprintf("a call of %q was dropped: it came after a stop string", t.Name))
		return
	}
	payload := string(c.args)
	if t.Freeform != nil {
		payload, _ = text(firstInput(c.args))
	}
	call := p.begin(t)
	p.emit(Event{Kind: CallArguments, Text: payload, Call: call})
	p.end(p.offset+p.pos, t, call, payload)
}

// begin sends the start of a call and returns it.
func (e *emitter) begin(t *declared) Call {
	call := Call{Index: e.called, Name: t.Name, Namespace: t.Namespace}
	call.ID = e.plan.id(call)
	e.called++
	e.emit(Event{Kind: CallStart, Call: call})
	return call
}

// end sends the end of a call (at is where it stands), whose arguments or input have been sent.
func (e *emitter) end(at int, t *declared, call Call, payload string) {
	if again := t.prompt + "\x00" + payload; again == e.previous {
		e.note(at, fmt.Sprintf("the same call of %q came again: the model may be in a loop", t.Name))
	} else {
		e.previous = again
	}
	if t.Freeform != nil {
		call.Input = payload
	} else {
		call.Arguments = json.RawMessage(payload)
	}
	e.emit(Event{Kind: CallEnd, Call: call})
}

func firstInput(args []byte) json.RawMessage {
	v, _ := members(args).first(inputKey)
	return v
}

func (p *Plan) id(c Call) string {
	if p.turn.NewID != nil {
		return p.turn.NewID(c)
	}
	return fmt.Sprintf("call_%d", c.Index)
}
