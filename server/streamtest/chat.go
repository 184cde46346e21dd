package streamtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Chat reads a Chat Completions stream as Vercel's AI SDK tracks its tool calls: a call's first
// delta has its id and name, calls of a choice begin one after the other, and a call whose
// arguments are whole JSON takes no more of them. Each choice ends once; nothing of it follows.
func Chat(stream string) error {
	all, err := events(stream)
	if err != nil {
		return err
	}
	t := tracker{choices: map[int]*trackedChoice{}}
	for i, e := range all {
		if e.data == "[DONE]" {
			if i != len(all)-1 {
				return errors.New("the stream goes on after [DONE]")
			}
			return t.end()
		}
		if failed, err := t.chunk(e); err != nil || failed {
			return err
		}
	}
	return errors.New("the stream ends without [DONE]")
}

type tracker struct {
	id      string
	choices map[int]*trackedChoice
	usage   bool
}

type trackedChoice struct {
	role     bool
	calls    []*trackedCall
	finished string
}

type trackedCall struct {
	id, arguments string
	free          bool // its input is text
}

type chatChunk struct {
	Error   json.RawMessage `json:"error"`
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Usage   json.RawMessage `json:"usage"`
	Choices []struct {
		Index        *int    `json:"index"`
		FinishReason *string `json:"finish_reason"`
		Delta        *struct {
			Role      string      `json:"role"`
			Content   *string     `json:"content"`
			Reasoning *string     `json:"reasoning_content"`
			ToolCalls []callDelta `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

type callDelta struct {
	Index    *int    `json:"index"`
	ID       *string `json:"id"`
	Type     *string `json:"type"`
	Function *struct {
		Name      *string `json:"name"`
		Arguments string  `json:"arguments"`
	} `json:"function"`
	Custom *struct {
		Name  *string `json:"name"`
		Input string  `json:"input"`
	} `json:"custom"`
}

// chunk takes one chunk; failed tells that it was the stream's error, after which nothing is
// expected.
func (t *tracker) chunk(e event) (failed bool, err error) {
	var c chatChunk
	if err := e.decode(&c); err != nil {
		return false, err
	}
	if c.Error != nil {
		return true, nil
	}
	if e.name != "" || c.Object != "chat.completion.chunk" || c.ID == "" || c.Choices == nil {
		return false, fmt.Errorf("%s is no chunk", e.data)
	}
	if t.id != "" && t.id != c.ID {
		return false, fmt.Errorf("the id changes from %s to %s", t.id, c.ID)
	}
	t.id = c.ID
	if t.usage {
		return false, errors.New("a chunk comes after the usage")
	}
	t.usage = len(c.Choices) == 0 && len(c.Usage) > 0
	for _, choice := range c.Choices {
		if choice.Index == nil || choice.Delta == nil {
			return false, fmt.Errorf("%s: a choice lacks its index or delta", e.data)
		}
		to := t.choices[*choice.Index]
		if to == nil {
			to = &trackedChoice{}
			t.choices[*choice.Index] = to
		}
		if to.finished != "" {
			return false, fmt.Errorf("%s: choice %d has ended", e.data, *choice.Index)
		}
		if !to.role && choice.Delta.Role != "assistant" {
			return false, fmt.Errorf("%s: the first delta has no role", e.data)
		}
		to.role = true
		for _, d := range choice.Delta.ToolCalls {
			if err := to.call(d); err != nil {
				return false, fmt.Errorf("%s: %w", e.data, err)
			}
		}
		if choice.FinishReason != nil {
			to.finished = *choice.FinishReason
		}
	}
	return false, nil
}

// call takes a delta of a call, which is found by its index.
func (c *trackedChoice) call(d callDelta) error {
	if d.Index == nil {
		return errors.New("a call's delta has no index")
	}
	piece, name := "", (*string)(nil)
	switch {
	case d.Function != nil:
		piece, name = d.Function.Arguments, d.Function.Name
	case d.Custom != nil:
		piece, name = d.Custom.Input, d.Custom.Name
	default:
		return errors.New("a call's delta has neither function nor custom")
	}
	switch i := *d.Index; {
	case i > len(c.calls) || i < 0:
		return fmt.Errorf("call %d begins before call %d", i, len(c.calls))
	case i == len(c.calls):
		if d.ID == nil || *d.ID == "" || name == nil || *name == "" || d.Type == nil {
			return fmt.Errorf("the first delta of call %d lacks its id, type or name", i)
		}
		c.calls = append(c.calls, &trackedCall{id: *d.ID, free: d.Custom != nil})
	case d.ID != nil && *d.ID != c.calls[i].id:
		return fmt.Errorf("call %d changes its id", i)
	}
	call := c.calls[*d.Index]
	if !call.free && json.Valid([]byte(call.arguments)) && strings.TrimSpace(piece) != "" {
		return fmt.Errorf("call %d goes on after %s, which a client has taken for its arguments", *d.Index, call.arguments)
	}
	call.arguments += piece
	return nil
}

// end is what must be true of a stream that ended well.
func (t *tracker) end() error {
	if len(t.choices) == 0 {
		return errors.New("the stream has no choice")
	}
	for i, c := range t.choices {
		switch {
		case c.finished == "":
			return fmt.Errorf("choice %d has no finish_reason", i)
		case (len(c.calls) > 0) != (c.finished == "tool_calls") && c.finished != "length":
			return fmt.Errorf("choice %d has %d calls and ends with %s", i, len(c.calls), c.finished)
		}
		for n, call := range c.calls {
			if !call.free && !json.Valid([]byte(call.arguments)) {
				return fmt.Errorf("choice %d: the arguments of call %d are no JSON: %s", i, n, call.arguments)
			}
		}
	}
	return nil
}
