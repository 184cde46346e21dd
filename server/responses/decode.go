package responses

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/templates"
	"tenon/tools"
)

// others are the described fields that the struct does not have.
var others = wire.Others{
	Refused: map[string]string{
		"conversation":       "conversations are not kept; use previous_response_id or send the items",
		"prompt":             "hosted prompts are not kept; send instructions and input",
		"context_management": "nothing is compacted here",
	},
	Harmless: map[string]wire.Type{
		"max_tool_calls": wire.Integer, "moderation": wire.Object, "prompt_cache_key": wire.String, "prompt_cache_options": wire.Object,
		"prompt_cache_retention": wire.String, "safety_identifier": wire.String, "service_tier": wire.String, "stream_options": wire.Object, "user": wire.String,
	},
}

// decoder turns a request into a turn.
type decoder struct {
	notes  []string     // what was left out, for the header of ignored fields
	turn   chat.Request // what has been decoded so far
	inside bool         // a namespace's tools are being read
	tools  []tool       // the declared ones, as they are echoed
	items  []item       // the input, normalised: a string is one message
	past   *stored      // what previous_response_id names
	find   func(id string) (*stored, error)
	item   func(id string) (item, error) // what an item_reference means; nil: nothing is kept
}

// request reads a body. Its errors are *chat.Error and name the field.
func (d *decoder) request(body io.Reader) (createRequest, error) {
	var w createRequest
	ignored, err := wire.Decode(body, &w, others)
	if err != nil {
		return w, err
	}
	d.turn = chat.Request{Model: w.Model, Logprobs: -1, ToolFormat: w.ToolFormat, OneCall: w.ParallelToolCalls != nil && !*w.ParallelToolCalls, Several: w.ParallelToolCalls != nil && *w.ParallelToolCalls}
	d.turn.Conversation.Args = w.ChatTemplateKwargs
	for _, step := range []func(createRequest) error{d.limits, d.thinking, d.previous, d.readItems, d.declare, d.choice, d.answer, d.input} {
		if err := step(w); err != nil {
			return w, err
		}
	}
	d.turn.Ignored = append(ignored, d.notes...)
	return w, nil
}

func (d *decoder) limits(w createRequest) error {
	if w.Background && w.Store != nil && !*w.Store {
		return chat.Invalidf("background", "cannot be combined with store: false: what is not kept could not be asked for")
	}
	if w.Background && w.Stream {
		return chat.Invalidf("background", "cannot be combined with stream: ask for the response until it is complete, or stream it and stay")
	}
	switch w.Truncation {
	case "", "disabled":
	case "auto":
		d.turn.Truncate = true
	default:
		return chat.Invalidf("truncation", "is %q; expected auto or disabled", w.Truncation)
	}
	if err := checkMetadata(w.Metadata); err != nil {
		return err
	}
	if n := w.MaxOutputTokens; n != nil {
		if *n < 1 {
			return chat.Invalidf("max_output_tokens", "is %d; expected at least 1", *n)
		}
		d.turn.MaxTokens = *n
	}
	for i, wanted := range w.Include {
		switch wanted {
		case includeReasoning:
		case includeLogprobs:
			d.turn.Logprobs = 0
		default: // of hosted tools, or of another time
			d.notes = append(d.notes, fmt.Sprintf("include[%d] (%s)", i, wanted))
		}
	}
	if err := wire.TopLogprobs(w.TopLogprobs, &d.turn.Logprobs); err != nil {
		return err
	}
	return wire.Sampling(w, map[string]wire.Range{"temperature": {Min: 0, Max: 2}}, &d.turn.Sampling)
}

// checkMetadata keeps to the limits that the description gives.
func checkMetadata(all map[string]string) error {
	const pairs, key, value = 16, 64, 512
	if len(all) > pairs {
		return chat.Invalidf("metadata", "has %d pairs; expected at most %d", len(all), pairs)
	}
	for k, v := range all {
		if utf8.RuneCountInString(k) > key || utf8.RuneCountInString(v) > value {
			return chat.Invalidf("metadata", "has a key of more than %d characters, or a value of more than %d", key, value)
		}
	}
	return nil
}

func (d *decoder) thinking(w createRequest) error {
	if err := wire.ThinkingBudget(w.ThinkingBudget, &d.turn.Thinking); err != nil {
		return err
	}
	if w.Reasoning == nil {
		return nil
	}
	if w.Reasoning.Summary == nil {
		w.Reasoning.Summary, w.Reasoning.Older = w.Reasoning.Older, nil
	}
	if summary := w.Reasoning.Summary; summary != nil && !slices.Contains([]string{"auto", "concise", "detailed"}, *summary) {
		return chat.Invalidf("reasoning.summary", "is %q; expected auto, concise or detailed", *summary)
	}
	if w.Reasoning.Effort == nil {
		return nil
	}
	return wire.Effort("reasoning.effort", *w.Reasoning.Effort, &d.turn.Thinking)
}

func (d *decoder) answer(w createRequest) error {
	if w.Grammar != "" {
		d.turn.Answer, d.turn.AnswerPlace.Field = &tools.Answer{Syntax: "gbnf", Definition: w.Grammar}, "grammar"
	}
	if w.Text != nil && w.Text.Verbosity != "" {
		if !slices.Contains([]string{"low", "medium", "high"}, w.Text.Verbosity) {
			return chat.Invalidf("text.verbosity", "is %q; expected low, medium or high", w.Text.Verbosity)
		}
		d.notes = append(d.notes, "text.verbosity")
	}
	if w.Text == nil || w.Text.Format == nil || w.Text.Format.Type == "text" {
		return nil
	}
	if d.turn.Answer != nil {
		return chat.Invalidf("text.format", "cannot be combined with grammar")
	}
	f, schema := w.Text.Format, json.RawMessage(nil)
	if f.Type == "json_schema" {
		schema = f.Schema
	}
	at := chat.AnswerPlace{Field: "text.format.schema", Strict: f.Strict != nil && *f.Strict}
	err := wire.AnswerFormat("text.format", f.Type, schema, at, &d.turn)
	if err == nil && f.Type == "json_schema" && f.Name == "" { // the answer repeats it
		return chat.Invalidf("text.format.name", "is required beside json_schema")
	}
	return err
}

// previous finds the conversation that the request goes on with.
func (d *decoder) previous(w createRequest) error {
	if w.PreviousResponseID == "" {
		return nil
	}
	past, err := d.find(w.PreviousResponseID)
	if errors.Is(err, errNotThere) {
		return &chat.Error{Kind: chat.Invalid, Field: "previous_response_id", Code: "previous_response_not_found",
			Message: fmt.Sprintf("there is no response %q; it was not stored, was deleted, or is too old", w.PreviousResponseID)}
	}
	if err != nil {
		return err
	}
	if past.Unfinished {
		return chat.Invalidf("previous_response_id", "%q is not complete", w.PreviousResponseID)
	}
	d.past = past
	return nil
}

// input decodes the conversation: instructions, what came before, and the new items. Instructions
// are not inherited.
func (d *decoder) input(w createRequest) error {
	if wire.IsNull(w.Input) && d.past == nil && (w.Instructions == nil || *w.Instructions == "") {
		return chat.Invalidf("input", "is required where there are neither instructions nor previous_response_id; expected a string or an array of items")
	}
	c := conversation{notes: &d.notes}
	if w.Instructions != nil && *w.Instructions != "" {
		c.add(templates.Message{Role: templates.System, Text: *w.Instructions})
	}
	if d.past != nil {
		for i, it := range d.past.whole() {
			if err := c.item(it, fmt.Sprintf("previous_response_id.items[%d]", i)); err != nil {
				return err
			}
		}
	}
	for i, it := range d.items {
		if err := c.item(it, fmt.Sprintf("input[%d]", i)); err != nil {
			return err
		}
	}
	c.flush()
	d.turn.Conversation.Messages = c.messages
	d.approvals()
	return nil
}

// approvals are the client's answers to requests for approval that have not led to a call: a
// client that keeps the conversation itself sends old ones too.
func (d *decoder) approvals() {
	for i, it := range d.items {
		if it.Type != "mcp_approval_response" || slices.ContainsFunc(d.items, func(o item) bool { return o.Type == "mcp_call" && o.Approval == it.Approval }) {
			continue
		}
		at := fmt.Sprintf("input[%d]", i)
		if it.Approval == "" || it.Approve == nil {
			d.notes = append(d.notes, at+" (mcp_approval_response without approval_request_id or approve)")
			continue
		}
		d.turn.Hosted.Approvals = append(d.turn.Hosted.Approvals, chat.Approval{ID: it.Approval, Approve: *it.Approve, Reason: it.Reason, Field: at + ".approval_request_id"})
	}
}

// readItems reads input: a string is one message of the user, and an empty array is a request that
// only asks whether the server answers (Codex's probe). References to kept items become the items.
func (d *decoder) readItems(w createRequest) error {
	if wire.IsNull(w.Input) {
		return nil
	}
	text, isText, ignored, err := wire.TextOr(w.Input, &d.items, "input", "items")
	if isText {
		content, _ := json.Marshal(text) // a string always marshals
		d.items = []item{{Type: "message", Role: "user", Content: content}}
	}
	d.notes = append(d.notes, ignored...)
	if err != nil {
		return err
	}
	for i, it := range d.items {
		if it.Type != "item_reference" && (it.Type != "" || it.Role != "" || it.ID == "") {
			continue
		}
		kept, err := item{}, errNotThere
		if d.item != nil {
			kept, err = d.item(it.ID)
		}
		if errors.Is(err, errNotThere) {
			return chat.Invalidf(fmt.Sprintf("input[%d].id", i), "is %q, which is no item that is kept; send the item itself", it.ID)
		}
		if err != nil {
			return err
		}
		d.items[i] = kept
	}
	return nil
}
