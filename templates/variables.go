package templates

import (
	"encoding/json"
	"fmt"

	"tenon/templates/jinja"
)

// form is how a template wants messages handed over; the probe finds it out.
type form struct {
	StringArguments bool        // arguments as JSON text rather than as an object
	Empty           emptyForm   // content of a turn that has only calls
	Thinking        thinkingKey // where a turn's thinking goes
	// tools as JSON text named functions, the time as text named datetime
	Functions  bool
	EmptyTools bool // no tools are an empty list rather than None
}

// emptyForm is what stands for the content of an assistant's turn that has only calls.
type emptyForm uint8

const (
	emptyString emptyForm = iota
	emptyNone
	emptyAbsent
)

// thinkingKey is where templates look for an assistant's thinking.
type thinkingKey uint8

const (
	thinkingKeys   thinkingKey = iota // reasoning_content and thinking
	thinkingBlocks                    // a content part of type thinking
	thinkingInline                    // in the content, between <think> and </think>
	thinkingNone                      // nowhere: the template drops it
)

// reserved says whether a client's template arguments may not take a name: a variable of ours has
// it, or a function that templates call.
func reserved(name string) bool {
	switch name {
	case "messages", "tools", "bos_token", "eos_token", "add_generation_prompt":
		return true
	}
	return jinja.IsGlobal(name)
}

// origin marks content with the message and field that it came from; source reads it back.
func origin(message int, f Field) jinja.Origin {
	return jinja.Content + jinja.Origin(message)<<fieldBits + jinja.Origin(f)
}

func source(o jinja.Origin) (message int, f Field) {
	o -= jinja.Content
	return int(o >> fieldBits), Field(o & (1<<fieldBits - 1))
}

const fieldBits = 3

func trusted(s string) jinja.Value { return jinja.NewString(s, jinja.Trusted) }

// Keys of messages and tools, made once.
var (
	keyRole, keyContent, keyName  = key("role"), key("content"), key("name")
	keyReasoning, keyThinking     = key("reasoning_content"), key("thinking")
	keyCalls, keyCallID           = key("tool_calls"), key("tool_call_id")
	keyType, keyText, keyID       = key("type"), key("text"), key("id")
	keyFunction, keyArguments     = key("function"), key("arguments")
	keyDescription, keyParameters = key("description"), key("parameters")
)

// roles are the roles as values.
var roles = map[Role]*jinja.Str{}

func init() {
	for _, r := range []Role{System, Developer, User, Assistant, ToolRole} {
		roles[r] = key(string(r))
	}
}

func key(s string) *jinja.Str { return jinja.NewString(s, jinja.Trusted) }

// member is a key of a dict with its value.
type member struct {
	key   *jinja.Str
	value jinja.Value
}

func dict(members ...member) *jinja.Dict {
	d := jinja.NewDict()
	d.Grow(len(members))
	for _, m := range members {
		d.SetKey(m.key, m.value)
	}
	return d
}

// messageValue makes a message as templates know it: OpenAI's form, content as one string.
func (f form) messageValue(t turn) (jinja.Value, error) {
	role := roles[t.Role]
	if role == nil { // the probe's
		role = key(string(t.Role))
	}
	d := jinja.NewDict()
	d.Grow(5)
	d.SetKey(keyRole, role)
	text := func(s string, field Field) jinja.Value { return jinja.NewString(s, origin(t.index, field)) }
	if t.Name != "" {
		d.SetKey(keyName, text(t.Name, FieldOther))
	}
	if c := f.content(t, text); c != nil {
		d.SetKey(keyContent, c)
	}
	if t.Reasoning != "" && f.Thinking == thinkingKeys {
		d.SetKey(keyReasoning, text(t.Reasoning, FieldReasoning))
		d.SetKey(keyThinking, text(t.Reasoning, FieldReasoning))
	}
	if len(t.Calls) > 0 {
		calls, err := f.callValues(t)
		if err != nil {
			return nil, err
		}
		d.SetKey(keyCalls, calls)
	}
	if t.Role == ToolRole && t.CallID != "" {
		d.SetKey(keyCallID, text(t.CallID, FieldOther))
	}
	return d, nil
}

// content is the message's content in the template's form; nil for none at all.
func (f form) content(t turn, text func(string, Field) jinja.Value) jinja.Value {
	switch {
	case t.Reasoning != "" && f.Thinking == thinkingBlocks:
		blocks := []jinja.Value{dict(member{keyType, keyThinking}, member{keyThinking, text(t.Reasoning, FieldReasoning)})}
		if t.Text != "" {
			blocks = append(blocks, dict(member{keyType, keyText}, member{keyText, text(t.Text, FieldText)}))
		}
		return jinja.NewList(blocks...)
	case t.Reasoning != "" && f.Thinking == thinkingInline:
		return text("<think>\n"+t.Reasoning+"\n</think>\n\n"+t.Text, FieldText)
	case t.more != nil:
		return jinja.Concat(jinja.NewString(t.Text, origin(t.index, FieldText)), t.more)
	case t.Text != "" || len(t.Calls) == 0 || f.Empty == emptyString:
		return text(t.Text, FieldText)
	case f.Empty == emptyNone:
		return jinja.None
	}
	return nil
}

func (f form) callValues(t turn) (jinja.Value, error) {
	from := origin(t.index, FieldCall)
	calls := make([]jinja.Value, len(t.Calls))
	for i, c := range t.Calls {
		var arguments jinja.Value = jinja.NewString(c.Arguments, from)
		if !f.StringArguments {
			v, err := jinja.FromJSON([]byte(c.Arguments), from)
			if err != nil {
				return nil, fmt.Errorf("read the arguments of message %d, call %d: %w", t.index, i, err)
			}
			arguments = v
		}
		call := jinja.NewDict()
		call.Grow(3)
		if c.ID != "" {
			call.SetKey(keyID, jinja.NewString(c.ID, from))
		}
		call.SetKey(keyType, keyFunction)
		call.SetKey(keyFunction, dict(member{keyName, jinja.NewString(c.Name, from)}, member{keyArguments, arguments}))
		calls[i] = call
	}
	return jinja.NewList(calls...), nil
}

// toolsValue is what stands for the declared tools.
func (f form) toolsValue(h *healing) jinja.Value {
	switch {
	case h.tools != nil && h.complete != nil:
		return h.tools.completed(h.complete)
	case h.tools != nil:
		return h.tools.value
	case f.EmptyTools:
		return jinja.NewList()
	}
	return jinja.None
}

// noParameters is the schema of a tool that takes none.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// toolValue makes a declared tool as templates know it: OpenAI's form.
func toolValue(i int, t Tool) (jinja.Value, error) {
	from := origin(i, FieldTool)
	f := dict(member{keyName, jinja.NewString(t.Name, from)})
	f.SetKey(keyDescription, jinja.NewString(t.Description, from))
	parameters := t.Parameters
	if len(parameters) == 0 {
		parameters = noParameters
	}
	v, err := jinja.FromJSON(parameters, from)
	if err != nil {
		return nil, fmt.Errorf("read the parameters of tool %q: %w", t.Name, err)
	}
	f.SetKey(keyParameters, v)
	return dict(member{keyType, keyFunction}, member{keyFunction, f}), nil
}

// variables are the template's variables for a conversation.
func (t *Template) variables(f form, h *healing) (*jinja.Dict, error) {
	vars := jinja.NewDict()
	vars.Set("bos_token", trusted(t.options.BOS))
	vars.Set("eos_token", trusted(t.options.EOS))
	vars.Set("add_generation_prompt", jinja.Bool(!h.closed && !h.prefill))
	vars.Set("documents", jinja.None)
	for _, a := range h.args {
		v, err := jinja.FromGo(a.value, origin(0, FieldArg))
		if err != nil {
			return nil, fmt.Errorf("template argument %q: %w", a.name, err)
		}
		vars.Set(a.name, v)
	}
	messages := make([]jinja.Value, len(h.turns))
	for i, m := range h.turns {
		v, err := f.messageValue(m)
		if err != nil {
			return nil, err
		}
		messages[i] = v
	}
	vars.Set("messages", jinja.NewList(messages...))
	vars.Set("tools", f.toolsValue(h))
	if f.Functions {
		vars.Set("functions", h.tools.functions())
		vars.Set("datetime", trusted(h.now.Format("2006-01-02 15:04:05 MST")))
	}
	return vars, nil
}
