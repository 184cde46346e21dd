package chat

import (
	"encoding/json"
	"strings"

	"tenon/templates"
	"tenon/templates/schema"
	"tenon/tools"
	"tenon/tools/conform"
)

// A model that gets lost in nested objects may be asked for flat ones ([Teaching], off by
// default): the output's grammar is made from the flattened schemas, and what was written is
// nested again before anybody sees it. What is valid flat is valid nested, see schema.Flatten.

// flatTools are the tools of a turn that are written flat, by name; none of them has a namespace.
type flatTools map[string]flatTool

type flatTool struct {
	declared, shown json.RawMessage
	back            schema.Flat
}

// flatten finds the tools that can be written flat, if the model is to write them so.
func flatten(m Model, declared []tools.Tool) flatTools {
	if !m.Teaching.Simplify.Flatten {
		return nil
	}
	flat := flatTools{}
	for _, t := range declared {
		if t.Parameters == nil || t.Namespace != "" || conform.Unwieldy(t.Parameters) != "" {
			continue
		}
		shown, back, err := schema.Flatten(t.Parameters)
		if err == nil && !back.IsZero() {
			flat[t.Name] = flatTool{t.Parameters, shown, back}
		}
	}
	return flat
}

// shown are the tools as the model writes them.
func (f flatTools) shown(declared []tools.Tool) []tools.Tool {
	out := append([]tools.Tool(nil), declared...)
	for i, t := range out {
		if flat, ok := f[t.Name]; ok && t.Namespace == "" {
			out[i].Parameters = flat.shown
		}
	}
	return out
}

// declared are the tools as they were declared, for the prompt, which flattens them by itself.
func (f flatTools) declared(shown []templates.Tool) []templates.Tool {
	for i, t := range shown {
		if flat, ok := f[t.Name]; ok {
			shown[i].Parameters = flat.declared
		}
	}
	return shown
}

// nester holds the arguments of a flat call until they are whole.
type nester struct{ arguments strings.Builder }

// event returns what becomes of a parser's event.
func (n *nester) event(e tools.Event, flat flatTools) []tools.Event {
	f, ok := flat[e.Call.Name]
	switch {
	case !ok || e.Call.Namespace != "":
	case e.Kind == tools.CallArguments:
		n.arguments.WriteString(e.Text)
		return nil
	case e.Kind == tools.CallEnd:
		nested, err := f.back.Nest([]byte(n.arguments.String()))
		n.arguments.Reset()
		if err != nil { // the call was cut off: what there is goes as it is
			break
		}
		e.Call.Arguments = nested
		arguments := e
		arguments.Kind, arguments.Text = tools.CallArguments, string(nested)
		return []tools.Event{arguments, e}
	}
	return []tools.Event{e}
}
