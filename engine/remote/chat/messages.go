package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
)

// Messages is Anthropic's /v1/messages. Earlier thinking does not go back: it bears a signature
// there, which is not kept.
var Messages = API{
	Path: "/v1/messages", Sampling: "temperature,top_p,top_k",
	Limits: []string{"max_tokens"}, Words: []string{engine.ChatFormat, engine.ChatEffort, engine.ChatThinking},
	Body: messagesBody, Read: readMessages,
}

const (
	// mostMessage is how many tokens an answer has where the turn leaves it open: the API wants to
	// be told, and models refuse more than they can.
	mostMessage = 8192
	// leastThinking is the smallest budget of thinking that the API takes.
	leastThinking = 1024
)

func messagesBody(t Turn) Object {
	most := t.Most
	if most == 0 {
		most = min(t.Room, mostMessage)
	}
	body, all := Object{t.Limit: most}, t.Messages // there is one
	if all[0].Role == "system" && len(all) > 1 {
		body["system"], all = all[0].Text, all[1:]
	}
	body["messages"] = blocksOf(all)
	config := Object{}
	if t.Thinking.Effort != "" {
		config["effort"] = t.Thinking.Effort
	}
	if t.Format != nil {
		config["format"] = Object{"type": "json_schema", "schema": t.Format}
	}
	if len(config) > 0 {
		body["output_config"] = config
	}
	messagesTools(body, t)
	if on := t.Thinking.Enabled; on != nil && *on && most > leastThinking && t.Call != "required" && mayThink(all) {
		body["thinking"] = Object{"type": "enabled", "budget_tokens": max(leastThinking, most/2)}
	}
	return body
}

// mayThink: behind a call's results the thought before the call is demanded, with the signature that
// it bore, and an answer that has begun has none. Nor may a call be demanded of who thinks.
func mayThink(all []Message) bool {
	for i, m := range slices.Backward(all) {
		if m.Role == "assistant" {
			return len(m.Calls) == 0 && i < len(all)-1
		}
	}
	return true
}

// messagesTools writes the tools and how they are to be called.
func messagesTools(body Object, t Turn) {
	var tools []Object
	for _, tool := range t.Tools {
		tools = append(tools, tool.object("input_schema"))
	}
	how := Object{"type": "auto"}
	switch {
	case tools == nil: // who has called must have tools
		tools, how["type"] = formerTools(t.Messages), "none"
	case t.Declares(t.Tool):
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
				tools = append(tools, Tool{Name: c.Name}.object("input_schema"))
			}
			seen[c.Name] = true
		}
	}
	return tools
}

// blocksOf are messages whose roles alternate. Results are the user's, and a text must not be blank.
func blocksOf(all []Message) (out []Object) {
	for i, m := range all {
		role := "user"
		if m.Role == "assistant" {
			role = m.Role
		}
		if role == "assistant" && i == len(all)-1 {
			m.Text = strings.TrimRight(m.Text, " \t\n") // it is gone on with
		}
		blocks := m.blocks()
		switch n := len(out) - 1; {
		case len(blocks) == 0:
		case n >= 0 && out[n]["role"] == role:
			out[n]["content"] = append(out[n]["content"].([]Object), blocks...)
		default:
			out = append(out, Object{"role": role, "content": blocks})
		}
	}
	return out
}

func (m Message) blocks() (all []Object) {
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
	case "error":
		return p, ErrTold
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
			p.Ends, err = ending(in.Delta.Stop)
		}
	case "message_stop":
		p.Last = true
	}
	return p, err
}

// block reads a part's start, which may hold all of it, or its end, which may hold a call once more.
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
