package parse

import (
	"encoding/json"
	"fmt"

	"tenon/tools/declared"
	"tenon/tools/emit"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// The grammar's captures tell the arguments of a call one by one. From them this file writes the
// JSON object that clients get, and sends each part of it as soon as it is certain.

// capturedCall is the call that the grammar is in.
type capturedCall struct {
	open    bool
	tool    *declared.Tool // nil before it is known, and once the arguments are complete
	call    turn.Call      // once its start has been sent
	out     []byte         // arguments as JSON, or input as text, as far as certain
	sent    int            // how much of out has been sent
	members int
	key     string // of the argument that is read
	at      int    // offset of the call's name in the output
	source  []byte // its text, in case that it is rejected
	refused error  // why it is rejected
	held    bool   // nothing of it is sent before it is complete and valid
	args    int    // where the arguments begin in the output, by the ends of tokens
	places  []int  // where each of those begins that has a place of its own
	fresh   bool   // no text of the last argument has come yet
}

// place notes where the first text of the last argument is. Its capture may begin later, since
// text that may be the start of a marker is held back.
func (c *capturedCall) place(at int) {
	if n := len(c.places); c.fresh {
		c.places[n-1], c.fresh = min(c.places[n-1], at), false
	}
}

// ArgumentPlaces is where the arguments of the last call stand in the output: all of them, and
// each that has a place of its own. It is exact if each byte was a token. text is the output from
// there on.
func (p *Constrained) ArgumentPlaces() (args int, places []int, text []byte, ok bool) {
	if p.Rest != nil {
		return 0, nil, nil, false
	}
	return p.call.args, p.call.places, p.output[p.call.args:], true
}

// named begins the call whose name has been read. It is held back if its arguments must be
// validated first, or if its shortest end may not fit into what remains of the budget.
func (p *Constrained) named() {
	name := string(p.word)
	p.word = p.word[:0]
	i, ok := p.plan.Names.Exact[name]
	if !ok { // a JSON string with escapes
		name, _ = ordered.Text([]byte(`"` + name + `"`))
		i = p.plan.Names.Exact[name]
	}
	t := &p.plan.Tools[i]
	p.Looked = Outcome{}
	held := t.Held || p.limited && p.grammar.Distance() > p.room
	p.call = capturedCall{open: true, tool: t, out: p.call.out[:0], at: p.before, args: p.at, source: p.call.source, held: held}
	if !held {
		p.layout()
		p.call.call = p.begin(t)
	}
}

func (p *Constrained) begunInCall(x part) {
	c := &p.call
	switch x.Name {
	case emit.CaptureCall:
		p.behindCall = false
		p.call = capturedCall{open: true, out: c.out[:0], source: c.source[:0]}
	case emit.CaptureArgs, emit.CaptureMembers:
		c.args = p.at
	case emit.CaptureMember:
		c.places, c.fresh = append(c.places, p.at), true
		c.separate()
		if x.index >= 0 {
			c.key = c.tool.Members[x.index].Key
			c.out = append(lenient.AppendString(c.out, c.key), ':')
		}
	case emit.CaptureKey:
		// of a member inside of a value
		if last := c.out[len(c.out)-1]; last != '{' && last != ',' {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, '"')
	case emit.CaptureText:
		c.out = append(c.out, '"')
	case emit.CaptureTrue, emit.CaptureFalse, emit.CaptureNull:
		c.out = append(c.out, x.Name...)
	}
}

// separate writes what comes before a member of the arguments: a brace or a comma.
func (c *capturedCall) separate() {
	if c.members++; c.members == 1 {
		c.out = append(c.out, '{')
	} else {
		c.out = append(c.out, ',')
	}
}

func (p *Constrained) overInCall(x part) {
	c := &p.call
	switch x.Name {
	case emit.CaptureName:
		p.named()
	case emit.CaptureCall:
		p.callOver()
	case emit.CaptureKey:
		c.out = append(lenient.AppendEscaped(c.out, p.whole(nil, true)), '"', ':')
		c.key = string(p.word)
		p.word = p.word[:0]
	case emit.CaptureText:
		c.out = append(lenient.AppendEscaped(c.out, p.whole(nil, true)), '"')
	case emit.CaptureField:
		c.out = append(c.out, c.tool.Schema.Field(c.key, peek.ReplaceInvalid(p.word))...)
		p.word = p.word[:0]
	case emit.CaptureTree:
		c.out = append(c.out, c.tool.Tree(c.key, p.plan.Dialect.Syntaxes[0].(format.Nested), string(p.word))...)
		p.word = p.word[:0]
	case emit.CaptureMembers:
		if c.members == 0 {
			c.out = append(c.out, '{')
		}
		c.out = append(c.out, '}')
		p.endArguments()
	case emit.CaptureInput:
		c.out = append(c.out, peek.ReplaceInvalid(p.whole(nil, true))...)
		p.endArguments()
	case emit.CaptureArgs, emit.CaptureQuoted:
		p.endArguments()
	}
}

func (p *Constrained) bytesInCall(name string, b []byte) {
	c := &p.call
	if c.tool == nil || c.held {
		c.source = append(c.source, b...)
	}
	switch name {
	case emit.CaptureName, emit.CaptureField, emit.CaptureTree:
		p.word = append(p.word, b...)
	case emit.CaptureArgs, emit.CaptureJSON:
		c.out = append(c.out, b...)
	case emit.CaptureKey:
		p.word = append(p.word, b...)
		c.out = lenient.AppendEscaped(c.out, p.whole(b, false))
	case emit.CaptureText:
		c.out = lenient.AppendEscaped(c.out, p.whole(b, false))
	case emit.CaptureInput:
		c.out = append(c.out, peek.ReplaceInvalid(p.whole(b, false))...)
	case emit.CaptureQuoted:
		p.unquote(b)
	}
}

// whole is the text so far up to the last complete character; the rest waits. last tells that
// nothing follows. The text is valid until the next call.
func (p *Constrained) whole(b []byte, last bool) []byte {
	p.partial = append(p.partial[:copy(p.partial, p.partial[p.taken:])], b...)
	p.taken = len(p.partial)
	if !last {
		p.taken -= peek.Incomplete(p.partial)
	}
	return p.partial[:p.taken]
}

// unquote decodes a free-form tool's text from a JSON string. The grammar allows escapes in their
// shortest form only.
func (p *Constrained) unquote(b []byte) {
	for _, c := range b {
		if len(p.word) == 0 && c != '\\' {
			p.call.out = append(p.call.out, c)
			continue
		}
		p.word = append(p.word, c)
		if n := len(p.word); n == 6 || n == 2 && c != 'u' {
			s, _ := ordered.Text([]byte(`"` + string(p.word) + `"`))
			p.call.out = append(p.call.out, s...)
			p.word = p.word[:0]
		}
	}
}

// sendArguments sends what has become certain of the arguments.
func (p *Constrained) sendArguments() {
	c := &p.call
	if c.tool == nil || c.held {
		return
	}
	n := len(c.out)
	n -= peek.Incomplete(c.out)
	if n > c.sent {
		p.next(turn.CallArguments, p.arena.string(c.out[c.sent:n])).Call = c.call
		c.sent = n
	}
}

// endArguments ends the call, whose arguments are complete. It validates what the grammar did not
// enforce.
func (p *Constrained) endArguments() {
	p.sendArguments()
	c := &p.call
	t := c.tool
	c.tool = nil
	if !c.held {
		p.end(t, c.call, string(c.out))
		return
	}
	payload, err := p.validated(t, string(c.out))
	if err != nil {
		c.refused = err
		p.note(c.at, "not a call: "+err.Error())
		return
	}
	p.layout()
	p.sendCall(t, payload)
}

// callOver sends a rejected call as text.
func (p *Constrained) callOver() {
	p.call.open, p.behindCall = false, p.call.refused == nil
	if p.call.refused == nil {
		return
	}
	p.call.refused = nil
	// the call has not been checked yet, and may still be written anew
	if p.plan.Dialect.Late() {
		p.none = append(p.none, p.call.source...)
		return
	}
	p.plain(&p.content, p.call.source)
	p.content.beside()
}

// giveBack sends the text of a rejected call once the marker behind it has passed.
func (p *Constrained) giveBack() {
	if len(p.none) == 0 {
		return
	}
	p.plain(&p.content, p.none)
	p.content.beside()
	p.none = p.none[:0]
}

// validated validates arguments that the grammar enforced only in part.
func (p *Constrained) validated(t *declared.Tool, payload string) (string, error) {
	if t.Freeform != nil {
		return payload, nil
	}
	args, changed, err := t.Schema.Conform(json.RawMessage(payload))
	p.Looked = Outcome{true, p.plan.Names.Exact[t.Prompt], json.RawMessage(payload), err}
	if err != nil {
		return "", fmt.Errorf("call of %q: %s", t.Name, oneLine(err))
	}
	for _, r := range changed {
		p.repairs = append(p.repairs, turn.Repair{Rule: r.Rule, Tool: t.Name, Pointer: r.Pointer, Detail: r.Detail})
	}
	return string(args), nil
}
