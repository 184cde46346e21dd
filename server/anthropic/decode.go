package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/templates"
	"tenon/tools"
)

// others are the documented fields that the struct does not have.
var others = wire.Others{
	Refused: map[string]string{
		"container": "this server runs no code",
	},
	Harmless: map[string]wire.Type{
		"cache_control": wire.Object, "context_management": wire.Object, "inference_geo": wire.String, "metadata": wire.Object,
		"service_tier": wire.String, "speed": wire.String,
	},
}

// decoder turns requests into turns.
type decoder struct {
	signer signer
	// thinking may come between calls, so that its budget is for more than one answer
	interleaved bool
	notes       []string // what was left out, for the header of ignored fields
}

// request reads a body. count is set for count_tokens, which needs no max_tokens. Its errors are
// *chat.Error and name the field.
func (d *decoder) request(body io.Reader, count bool) (chat.Request, messagesRequest, error) {
	var w messagesRequest
	ignored, err := wire.Decode(body, &w, others)
	if err != nil {
		return chat.Request{}, w, err
	}
	r := chat.Request{Model: w.Model, Stops: w.StopSequences, ToolFormat: w.ToolFormat, Logprobs: -1}
	r.Conversation.Args = w.ChatTemplateKwargs
	if w.Thread != nil {
		return r, w, threadsUnsupported()
	}
	steps := []func(messagesRequest, *chat.Request) error{d.sampling, d.thinking, d.servers, d.tools, d.choice, d.answer, d.conversation}
	if !count {
		steps = append([]func(messagesRequest, *chat.Request) error{d.limits}, steps...)
	}
	for _, step := range steps {
		if err := step(w, &r); err != nil {
			return r, w, err
		}
	}
	r.Ignored = append(ignored, d.notes...)
	return r, w, nil
}

// threadsUnsupported is the documented refusal after which the SDKs' tool runners send the whole
// conversation again.
func threadsUnsupported() error {
	return &chat.Error{Kind: chat.Invalid, Field: "thread", Message: "message threads are not served; send the whole conversation", Code: codeThread}
}

// codeThread marks the error whose details the SDKs look for.
const codeThread = "thread_unsupported_request"

func (d *decoder) limits(w messagesRequest, r *chat.Request) error {
	if w.MaxTokens == nil {
		return chat.Invalidf("max_tokens", "is required")
	}
	if *w.MaxTokens < 1 {
		return chat.Invalidf("max_tokens", "is %d; expected at least 1", *w.MaxTokens)
	}
	r.MaxTokens = *w.MaxTokens
	return wire.Stops("stop_sequences", w.StopSequences)
}

func (d *decoder) sampling(w messagesRequest, r *chat.Request) error {
	return wire.Sampling(w, map[string]wire.Range{"temperature": {Min: 0, Max: 1}, "top_k": {Min: 0, Max: math.Inf(1)}}, &r.Sampling)
}

// leastBudget is the protocol's smallest thinking budget, in tokens.
const leastBudget = 1024

func (d *decoder) thinking(w messagesRequest, r *chat.Request) error {
	if c := w.OutputConfig; c != nil {
		if err := wire.OneEffort("output_config.effort", c.Effort, []string{"low", "medium", "high", "xhigh", "max"}, &r.Thinking); err != nil {
			return err
		}
	}
	if err := wire.ThinkingBudget(w.ThinkingBudget, &r.Thinking); err != nil {
		return err
	}
	if w.Thinking == nil {
		return nil
	}
	on := w.Thinking.Type != "disabled"
	r.Thinking.Enabled = &on
	switch w.Thinking.Type {
	case "enabled":
		b := w.Thinking.BudgetTokens
		if b == nil {
			return chat.Invalidf("thinking.budget_tokens", "is required beside type enabled")
		}
		if *b < leastBudget || (w.MaxTokens != nil && *b >= *w.MaxTokens && !d.interleaved) {
			return chat.Invalidf("thinking.budget_tokens", "is %d; expected at least %d and less than max_tokens", *b, leastBudget)
		}
		r.Thinking.Budget = *b
	case "adaptive", "disabled":
	default:
		return chat.Invalidf("thinking.type", "is %q; expected enabled, adaptive or disabled", w.Thinking.Type)
	}
	return nil
}

func (d *decoder) tools(w messagesRequest, r *chat.Request) error {
	r.Places.Parameters = "input_schema"
	for i, t := range w.Tools {
		field := fmt.Sprintf("tools[%d]", i)
		if t.Type == "mcp_toolset" {
			if err := d.toolset(t, field, r); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(t.Type, wire.WebSearch+"_") {
			r.Hosted.Asked = append(r.Hosted.Asked, chat.HostedTools{Source: wire.BuiltIn, Names: []string{wire.WebSearch}, Kind: t.Type, Optional: true, Field: field})
			continue
		}
		t, known := t.known()
		if t.Type != "" && t.Type != "custom" && !known {
			// a hosted tool: the client knows how to do without
			d.notes = append(d.notes, field+" ("+t.Type+")")
			continue
		}
		if t.Name == "" {
			return chat.Invalidf(field+".name", "is required")
		}
		if wire.IsNull(t.InputSchema) {
			return chat.Invalidf(field+".input_schema", "is required")
		}
		r.Places.Tools = append(r.Places.Tools, field)
		r.Tools = append(r.Tools, tools.Tool{Name: t.Name, Description: t.described(), Parameters: t.InputSchema, Strict: t.Strict})
	}
	return nil
}

// described is the description with the examples of inputs, which no chat template has a place of
// its own for.
func (t tool) described() string {
	if len(t.InputExamples) == 0 {
		return t.Description
	}
	lines := []string{t.Description, "", "Examples of its input:"}
	for _, e := range t.InputExamples {
		lines = append(lines, string(e))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (d *decoder) choice(w messagesRequest, r *chat.Request) error {
	c := w.ToolChoice
	if c == nil {
		return nil
	}
	r.OneCall = c.DisableParallel != nil && *c.DisableParallel
	r.Several = c.DisableParallel != nil && !*c.DisableParallel
	switch c.Type {
	case "auto":
	case "any":
		r.Choice.Mode = tools.Required
	case "none":
		r.Choice.Mode = tools.None
	case "tool":
		if c.Name == "" {
			return chat.Invalidf("tool_choice.name", "is required beside type tool")
		}
		r.Choice = tools.Choice{Mode: tools.Required, Names: []string{c.Name}}
	default:
		return chat.Invalidf("tool_choice.type", "is %q; expected auto, any, tool or none", c.Type)
	}
	return nil
}

func (d *decoder) answer(w messagesRequest, r *chat.Request) error {
	field, format := "output_format", w.OutputFormat
	if w.OutputConfig != nil && w.OutputConfig.Format != nil {
		field, format = "output_config.format", w.OutputConfig.Format
	}
	if w.Grammar != "" {
		if format != nil {
			return chat.Invalidf(field, "cannot be combined with grammar")
		}
		r.Answer, r.AnswerPlace.Field = &tools.Answer{Syntax: "gbnf", Definition: w.Grammar}, "grammar"
		return nil
	}
	if format == nil {
		return nil
	}
	if format.Type != "json_schema" {
		return chat.Invalidf(field+".type", "is %q; expected json_schema", format.Type)
	}
	return wire.AnswerFormat(field, format.Type, format.Schema, chat.AnswerPlace{Field: field + ".schema"}, r)
}

func (d *decoder) conversation(w messagesRequest, r *chat.Request) error {
	if len(w.Messages) == 0 {
		return chat.Invalidf("messages", "is empty; send at least one message")
	}
	if !wire.IsNull(w.System) {
		m, err := d.system(w.System, "system")
		if err != nil {
			return err
		}
		r.Conversation.Messages = append(r.Conversation.Messages, m)
	}
	for i, m := range w.Messages {
		decoded, err := d.message(m, fmt.Sprintf("messages[%d]", i))
		if err != nil {
			return err
		}
		r.Conversation.Messages = append(r.Conversation.Messages, decoded...)
	}
	return nil
}

func (d *decoder) system(raw json.RawMessage, field string) (templates.Message, error) {
	m := templates.Message{Role: templates.System}
	blocks, err := d.blocks(raw, field)
	if err != nil {
		return m, err
	}
	for i, b := range blocks {
		if b.Type != "text" {
			return m, chat.Invalidf(fmt.Sprintf("%s[%d].type", field, i), "is %q; expected text", b.Type)
		}
		m.Parts = append(m.Parts, templates.Part{Text: b.Text})
	}
	return m, nil
}

// blocks reads content: a string is one text block.
func (d *decoder) blocks(raw json.RawMessage, field string) ([]block, error) {
	var blocks []block
	text, isText, ignored, err := wire.TextOr(raw, &blocks, field, "content blocks")
	if isText {
		blocks = []block{{Type: "text", Text: text}}
	}
	d.notes = append(d.notes, ignored...)
	return blocks, err
}
