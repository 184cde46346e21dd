package chat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tenon/engine"
	"tenon/templates"
)

// Messages is Anthropic's /v1/messages. Its newer models decide by themselves how much they think,
// and refuse a budget; the older ones know nothing else. What they signed is not kept.
var Messages = API{
	Path: "/v1/messages", Sampling: "temperature,top_p,top_k",
	Limits: []string{"max_tokens"}, Words: []string{engine.ChatFormat},
	Thinks: []string{engine.ChatThinks + "," + engine.ChatEffort, engine.ChatBudget},
	Body:   messagesBody, Read: readMessages,
}

// mostMessage is how many tokens an answer has where the turn leaves it open: the API wants to be
// told, and models refuse more than they can.
const mostMessage = 8192

func messagesBody(t Turn) Object {
	most := t.Most
	if most == 0 {
		most = min(t.Room, mostMessage+max(t.Thought, 0))
	}
	// the room is a guess, and the API refuses less
	most = max(most, t.Thought+1)
	body, all := Object{t.Limit: most}, t.Messages // there is one
	if all[0].Role == templates.System && len(all) > 1 {
		body["system"], all = all[0].Text, all[1:]
	}
	body["messages"] = blocksOf(all)
	config := Object{}
	switch {
	case t.Thought > 0:
		body["thinking"] = Object{"type": "enabled", "budget_tokens": t.Thought}
	case t.Thought < 0:
		// the newest tell no thought by themselves
		body["thinking"] = Object{"type": "adaptive", "display": "summarized"}
		if effort := t.Thinking.Effort; effort != "" {
			config["effort"] = cmp.Or(map[string]string{"minimal": "low"}[effort], effort)
		}
	}
	if t.Format != nil {
		config["format"] = Object{"type": "json_schema", "schema": t.Format}
	}
	if len(config) > 0 {
		body["output_config"] = config
	}
	messagesTools(body, t)
	return body
}

// messagesTools writes the tools and how they are to be called.
func messagesTools(body Object, t Turn) {
	var tools []Object
	for _, tool := range t.Tools {
		tools = append(tools, toolOf(tool, "input_schema"))
	}
	how := Object{"type": "auto"}
	switch {
	case tools == nil: // a conversation with calls must declare tools
		tools, how["type"] = formerTools(t.Messages), "none"
	case t.named():
		how = Object{"type": "tool", "name": t.Tool}
	case t.Call == "required":
		how["type"] = "any"
	case t.Call == "none":
		how["type"] = "none"
	}
	if tools == nil {
		return
	}
	if t.OneCall && how["type"] != "none" {
		how["disable_parallel_tool_use"] = true
	}
	body["tools"], body["tool_choice"] = tools, how
}

// formerTools declare what was called earlier.
func formerTools(all []Message) (tools []Object) {
	seen := map[string]bool{}
	for _, m := range all {
		for _, c := range m.Calls {
			if !seen[c.Name] {
				tools = append(tools, toolOf(Tool{Name: c.Name}, "input_schema"))
			}
			seen[c.Name] = true
		}
	}
	return tools
}

// blocksOf are messages whose roles alternate. Results are the user's, and a text must not be
// blank.
func blocksOf(all []Message) (out []Object) {
	for i, m := range all {
		role := "user"
		if m.Role == templates.Assistant {
			role = "assistant"
		}
		if role == "assistant" && i == len(all)-1 {
			m.Text = strings.TrimRight(m.Text, " \t\n") // it is gone on with
		}
		parts := blocks(m)
		switch n := len(out) - 1; {
		case len(parts) == 0:
		case n >= 0 && out[n]["role"] == role:
			out[n]["content"] = append(out[n]["content"].([]Object), parts...)
		default:
			out = append(out, Object{"role": role, "content": parts})
		}
	}
	return out
}

func blocks(m Message) (all []Object) {
	switch {
	case m.CallID != "":
		result := Object{"type": "tool_result", "tool_use_id": plainID(m.CallID), "content": m.Text}
		if m.Failed {
			result["is_error"] = true
		}
		all = append(all, result)
	case strings.TrimSpace(m.Text) != "":
		all = append(all, Object{"type": "text", "text": m.Text})
	}
	for _, c := range m.Calls {
		all = append(all, Object{"type": "tool_use", "id": plainID(c.ID), "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return all
}

// plainID is an id of letters that the API takes.
func plainID(id string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, id)
}

type messagesEvent struct {
	Type    string `json:"type"`
	Index   *int   `json:"index"`
	Message *struct {
		ID    string         `json:"id"`
		Usage *messagesUsage `json:"usage"`
	} `json:"message"`
	Block *struct {
		Type     string          `json:"type"`
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Text     string          `json:"text"`
		Thinking string          `json:"thinking"`
		Input    json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta *struct {
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		JSON     string `json:"partial_json"`
		Stop     string `json:"stop_reason"`
	} `json:"delta"`
	Usage *messagesUsage `json:"usage"`
}

type messagesUsage struct {
	Input   int `json:"input_tokens"` // what is not cached
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

func (u *messagesUsage) usage() *engine.Usage {
	if u == nil {
		return nil
	}
	return &engine.Usage{Prompt: u.Input + u.Written + u.Cached, Cached: u.Cached, Generated: u.Output}
}

func readMessages(data []byte, c *Calls) (p Piece, err error) {
	var in messagesEvent
	if err := json.Unmarshal(data, &in); err != nil {
		return p, fmt.Errorf("an event is not as expected: %w", err)
	}
	p.Usage = in.Usage.usage()
	switch in.Type {
	case "message_start":
		if m := in.Message; m != nil {
			p.Begins, p.ID, p.Usage = true, m.ID, m.Usage.usage()
		}
	case "content_block_start", "content_block_stop":
		return p, in.block(&p, c)
	case "content_block_delta":
		if in.Delta == nil {
			return p, errors.New("an event has no delta")
		}
		p.Text, p.Thought = in.Delta.Text, in.Delta.Thinking
		if in.Delta.JSON != "" {
			c.Add(in.Index, "", "", in.Delta.JSON)
		}
	case "message_delta":
		if in.Delta != nil {
			p.Ends, err = Ending(in.Delta.Stop)
		}
	case "message_stop":
		p.Last = true
	}
	return p, err
}

// block reads a part's start, which may hold all of it, or its end, which may hold a call once
// more.
func (in messagesEvent) block(p *Piece, c *Calls) error {
	switch b := in.Block; {
	case b == nil && in.Type == "content_block_start":
		return errors.New("an event has no content_block")
	case b == nil:
	case b.Type == "tool_use":
		arguments := argumentsText(b.Input)
		if arguments == "{}" {
			arguments = "" // it follows in pieces, or there are none
		}
		c.Add(in.Index, b.ID, b.Name, arguments)
	case in.Type == "content_block_start":
		p.Text, p.Thought = b.Text, b.Thinking
	}
	return nil
}
