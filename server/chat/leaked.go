package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/templates"
	"tenon/tools"
)

// readLeaked returns a request's messages in which calls that stand whole in an assistant's text
// are calls: another server let them through as text, and a model imitates what it sees. What the
// model is about to go on with stays as it is.
func readLeaked(m Model, d *tools.Dialect, r Request) ([]templates.Message, []templates.Heal) {
	messages := r.Conversation.Messages
	if set := m.Teaching.Leaked; set != nil && !*set {
		return messages, nil
	}
	var heals []templates.Heal
	for i, message := range messages {
		text := message.Content()
		if message.Role != templates.Assistant || len(message.Calls) > 0 || i == len(messages)-1 || !namesTool(r.Tools, text) {
			continue
		}
		plan, err := d.Plan(tools.Turn{Tools: r.Tools, Parallel: true, Stop: r.Conversation.Stop})
		if err != nil {
			break // the turn's own plan says why
		}
		read, whole := readCalls(plan, text)
		if len(read.Calls) == 0 || !whole {
			continue
		}
		if read.Reasoning = strings.TrimSpace(read.Reasoning); read.Reasoning == "" {
			read.Reasoning = message.Reasoning
		}
		if len(heals) == 0 {
			messages = slices.Clone(messages)
		}
		message.Text, message.Parts, message.Calls, message.Reasoning = strings.TrimSpace(read.Text), nil, read.Calls, read.Reasoning
		messages[i] = message
		heals = append(heals, templates.Heal{Rule: templates.RuleLeakedCalls, Message: i, Detail: fmt.Sprintf("%d calls", len(read.Calls))})
	}
	return messages, heals
}

// namesTool tells whether a text holds the name of a tool: without one it holds no call.
func namesTool(declared []tools.Tool, text string) bool {
	return slices.ContainsFunc(declared, func(t tools.Tool) bool { return strings.Contains(text, t.Name) })
}

// readCalls reads a text as an assistant's turn. It is not whole if the turn ends before the text:
// behind a call stands what the model made up of its result, perhaps with an answer.
func readCalls(plan *tools.Plan, text string) (m templates.Message, whole bool) {
	p := plan.TextParser()
	for _, e := range append(slices.Clone(p.Token([]byte(text), false)), p.Close(false)...) {
		switch e.Kind {
		case tools.Text:
			m.Text += e.Text
		case tools.Reasoning:
			m.Reasoning += e.Text
		case tools.CallEnd:
			arguments := e.Call.Arguments
			if arguments == nil { // a free-form tool's
				arguments, _ = json.Marshal(map[string]string{"input": e.Call.Input})
			}
			m.Calls = append(m.Calls, templates.Call{Name: tools.PromptName(e.Call.Namespace, e.Call.Name), Arguments: string(arguments)})
		}
	}
	return m, !p.Over()
}
