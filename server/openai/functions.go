package openai

import (
	"encoding/json"
	"fmt"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

// The older form of tools: functions, function_call, and one call at most, in the message's
// function_call.

// decodeFunctions decodes the older form. It cannot be mixed with today's.
func decodeFunctions(w chatRequest, r *chat.Request) error {
	if len(w.Functions) == 0 {
		if !wire.IsNull(w.FunctionCall) {
			return chat.Invalidf("function_call", "needs functions")
		}
		return nil
	}
	if len(w.Tools) > 0 || !wire.IsNull(w.ToolChoice) {
		return chat.Invalidf("functions", "cannot be combined with tools")
	}
	for i, f := range w.Functions {
		at := fmt.Sprintf("functions[%d]", i)
		if f.Name == "" {
			return chat.Invalidf(at+".name", "is required")
		}
		r.Places.Tools = append(r.Places.Tools, at)
		r.Tools = append(r.Tools, tools.Tool{Name: f.Name, Description: f.Description, Parameters: parameters(f.Parameters)})
	}
	r.OneCall = true
	return functionChoice(w.FunctionCall, r)
}

func functionChoice(raw json.RawMessage, r *chat.Request) error {
	if wire.IsNull(raw) {
		return nil
	}
	switch string(raw) {
	case `"auto"`:
		return nil
	case `"none"`:
		r.Choice.Mode = tools.None
		return nil
	}
	var named nameOnly
	if err := json.Unmarshal(raw, &named); err != nil || named.Name == "" {
		return chat.Invalidf("function_call", "expected auto, none or an object with a name")
	}
	for _, t := range r.Tools {
		if t.Name == named.Name {
			r.Choice = tools.Choice{Mode: tools.Required, Names: []string{named.Name}}
			return nil
		}
	}
	return chat.Invalidf("function_call.name", "is %q, which is not among the functions", named.Name)
}

// older is the call, or the piece of one, in the older form.
func older(calls []toolCall) *callFunction {
	if len(calls) == 0 {
		return nil
	}
	return calls[0].Function
}

// olderReason is the finish reason of the older form.
func olderReason(reason string) string {
	if reason == "tool_calls" {
		return "function_call"
	}
	return reason
}
