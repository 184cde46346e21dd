package templates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"tenon/templates/jinja"
)

// AsSent renders what a client sent and nothing else, as transformers' apply_chat_template does:
// no edit, no healing, no tidying. For comparison and debugging; what the template raises comes
// back as the error.
type AsSent struct {
	Source   string  // the template
	BOS, EOS *string // nil: undefined in the template
	Now      time.Time
}

// Request renders an OpenAI chat request. Messages are as they were, but for keys whose value is
// null, which are dropped, and thinking, which stands in all the keys that templates read it from.
func (a AsSent) Request(data []byte) (Rendering, error) {
	var r struct {
		Messages  []json.RawMessage          `json:"messages"`
		Tools     json.RawMessage            `json:"tools"`
		Documents json.RawMessage            `json:"documents"`
		Args      map[string]json.RawMessage `json:"chat_template_kwargs"`
		Open      *bool                      `json:"add_generation_prompt"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return Rendering{}, fmt.Errorf("read the request: %w", err)
	}
	vars := a.special()
	vars.Set("add_generation_prompt", jinja.Bool(r.Open == nil || *r.Open))
	messages := make([]jinja.Value, len(r.Messages))
	for i, m := range r.Messages {
		v, err := asSent(m, i)
		if err != nil {
			return Rendering{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
		messages[i] = v
	}
	vars.Set("messages", jinja.NewList(messages...))
	args := map[string]json.RawMessage{"tools": r.Tools, "documents": r.Documents}
	for name, v := range r.Args {
		args[name] = v
	}
	for name, raw := range args {
		v, err := orNone(raw)
		if err != nil {
			return Rendering{}, fmt.Errorf("%s: %w", name, err)
		}
		vars.Set(name, v)
	}
	return a.render(vars)
}

// Context renders with the members of a JSON object as the template's variables.
func (a AsSent) Context(data []byte) (Rendering, error) {
	v, err := jinja.FromJSON(data, jinja.Content)
	if err != nil {
		return Rendering{}, fmt.Errorf("read the context: %w", err)
	}
	context, ok := v.(*jinja.Dict)
	if !ok {
		return Rendering{}, fmt.Errorf("read the context: it must be a JSON object")
	}
	vars := a.special()
	context.Each(vars.Set)
	return a.render(vars)
}

// special are the variables for special tokens.
func (a AsSent) special() *jinja.Dict {
	vars := jinja.NewDict()
	if a.BOS != nil {
		vars.Set("bos_token", trusted(*a.BOS))
	}
	if a.EOS != nil {
		vars.Set("eos_token", trusted(*a.EOS))
	}
	return vars
}

func (a AsSent) render(vars *jinja.Dict) (Rendering, error) {
	t, err := jinja.Parse(a.Source)
	if err != nil {
		return Rendering{}, err
	}
	out, err := t.Render(vars, jinja.Options{Now: a.Now})
	if err != nil {
		return Rendering{}, err
	}
	var r Rendering
	r.writeAll(out, newMarkers(nil))
	return r, nil
}

// Keys that hold an assistant's thinking, the client's first.
var thinkingFields = []string{"reasoning_content", "reasoning", "thinking"}

// asSent is a message without its nulls.
func asSent(raw json.RawMessage, i int) (jinja.Value, error) {
	v, err := jinja.FromJSON(raw, origin(i, FieldText))
	if err != nil {
		return nil, err
	}
	sent, ok := v.(*jinja.Dict)
	if !ok {
		return nil, fmt.Errorf("must be an object")
	}
	m := jinja.NewDict()
	sent.Each(func(key string, v jinja.Value) {
		if v != jinja.None {
			m.Set(key, v)
		}
	})
	for _, from := range thinkingFields {
		if v, ok := m.Get(from); ok {
			for _, to := range []string{"thinking", "reasoning_content"} {
				if _, set := m.Get(to); !set {
					m.Set(to, v)
				}
			}
			break
		}
	}
	return m, nil
}

func orNone(raw json.RawMessage) (jinja.Value, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return jinja.None, nil
	}
	return jinja.FromJSON(raw, jinja.Content)
}
