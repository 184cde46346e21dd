package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/cmd/client"
	"tenon/cmd/terminal"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/tools/ordered"
)

// fillIn has whoever types answer what a tool asks: each value of the form, then whether it is
// sent. A form that is left is cancelled.
func fillIn(screen *terminal.Screen, lines *terminal.Lines, from string, q chat.Question) (chat.Reply, error) {
	screen.Note("%s asks: %s", screen.Bold(strings.Map(harmless, from)), strings.Map(harmless, q.Message))
	schema := ordered.Members(q.Schema)
	properties, _ := schema.First("properties")
	var required []string
	if list, ok := schema.First("required"); ok {
		_ = json.Unmarshal(list, &required) // the server has checked it
	}
	content := ordered.MemberList{}
	for _, p := range ordered.Members(properties) {
		value, err := fillInOne(lines, p, slices.Contains(required, p.Key))
		if err != nil {
			return chat.Reply{Action: "cancel"}, err
		}
		if value != nil {
			content = append(content, ordered.Member{Key: p.Key, Value: value})
		}
	}
	line, err := lines.Read("send it? (y/N) ")
	if err != nil {
		return chat.Reply{Action: "cancel"}, err
	}
	if !strings.EqualFold(line, "y") && !strings.EqualFold(line, "yes") {
		return chat.Reply{Action: "decline"}, nil
	}
	return chat.Reply{Action: "accept", Content: content.Object()}, nil
}

// fillInOne asks for a value; nil: nothing was typed.
func fillInOne(lines *terminal.Lines, p ordered.Member, required bool) (json.RawMessage, error) {
	var is struct {
		Type, Description string
		Enum, Default     json.RawMessage
	}
	_ = json.Unmarshal(p.Value, &is) // what it does not tell is not shown
	hint := is.Type
	for _, more := range []string{is.Description, string(is.Enum)} {
		if more != "" {
			hint += ", " + more
		}
	}
	switch {
	case is.Default != nil:
		hint += ", else " + string(is.Default)
	case !required:
		hint += ", may be empty"
	}
	line, err := lines.Read(strings.Map(harmless, fmt.Sprintf("%s (%s): ", p.Key, hint)))
	if err != nil || line == "" {
		return nil, err
	}
	if is.Type != "string" && json.Valid([]byte(line)) {
		return json.RawMessage(line), nil
	}
	return json.RawMessage(ordered.String(line)), nil
}

// elicit answers a question of a turn that is shown. What does not fit is asked for again.
func (c *conversation) elicit(ctx context.Context, q client.Question) {
	if c.lines == nil {
		c.lines = c.screen.Lines()
	}
	for {
		reply, err := fillIn(c.screen, c.lines, q.Label+"/"+q.Name, q.Question)
		if err == nil {
			err = c.Answer(ctx, q.ID, reply)
		} else {
			// the form was left; the question ends with the call anyway
			_ = c.Answer(ctx, q.ID, reply)
			return
		}
		if err == nil {
			return
		}
		// the form names its fields
		c.screen.Note("%s", c.screen.Bad(strings.Map(harmless, err.Error())))
		if reply.Action != "accept" {
			return
		}
	}
}

// typist answers what a server asks while a call of tenon mcp runs. No model runs there.
type typist struct {
	screen *terminal.Screen
	from   string
}

func (t typist) Sample(context.Context, agent.Prompt) (agent.Sampled, error) {
	return agent.Sampled{}, fmt.Errorf("no model runs here")
}

func (t typist) Elicit(_ context.Context, message string, schema json.RawMessage) (chat.Reply, error) {
	if !t.screen.Asking() {
		return chat.Reply{Action: "decline"}, nil
	}
	return fillIn(t.screen, t.screen.Lines(), t.from, chat.Question{Message: message, Schema: schema})
}
