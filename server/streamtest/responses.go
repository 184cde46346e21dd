package streamtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Responses reads a Responses stream as OpenAI's SDKs accumulate it: every event has its place in
// the order, each item its index in the output, each part its index in the item, and what an item
// is said to be at its end equals what its deltas said.
func Responses(stream string) error {
	all, err := events(stream)
	if err != nil {
		return err
	}
	s := snapshot{sequence: -1}
	for i, e := range all {
		if err := s.take(e, i); err != nil {
			return fmt.Errorf("%s: %w", e.data, err)
		}
	}
	if s.last == "" {
		return errors.New("the stream ends without response.completed, response.incomplete or response.failed")
	}
	return nil
}

type snapshot struct {
	sequence int
	items    int    // begun so far
	open     string // id of the open item
	text     string // what the open item's deltas said
	last     string // type of the event that ended the response
}

type responsesEvent struct {
	Type         string             `json:"type"`
	Sequence     *int               `json:"sequence_number"`
	OutputIndex  *int               `json:"output_index"`
	ContentIndex *int               `json:"content_index"`
	SummaryIndex *int               `json:"summary_index"`
	ItemID       string             `json:"item_id"`
	Item         *responsesItem     `json:"item"`
	Response     *responsesResponse `json:"response"`
	Delta        *string            `json:"delta"`
	Text         *string            `json:"text"`
	Arguments    *string            `json:"arguments"`
	Input        *string            `json:"input"`
}

type responsesItem struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments *string `json:"arguments"`
	Input     *string `json:"input"`
	Content   []struct {
		Text string `json:"text"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

type responsesResponse struct {
	ID     string            `json:"id"`
	Object string            `json:"object"`
	Status string            `json:"status"`
	Model  string            `json:"model"`
	Output []json.RawMessage `json:"output"`
	Tools  []json.RawMessage `json:"tools"`
	Error  *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Usage *struct {
		InputTokens  *int `json:"input_tokens"`
		OutputTokens *int `json:"output_tokens"`
		TotalTokens  *int `json:"total_tokens"`
	} `json:"usage"`
}

func (s *snapshot) take(e event, place int) error {
	var v responsesEvent
	if err := e.decode(&v); err != nil {
		return err
	}
	switch {
	case v.Type == "" || v.Type != e.name:
		return fmt.Errorf("the event is called %q", e.name)
	case s.last != "":
		return errors.New("the response has ended")
	case v.Sequence == nil || *v.Sequence <= s.sequence:
		return errors.New("the sequence number does not grow")
	case (place == 0) != (v.Type == "response.created"), place == 1 && v.Type != "response.in_progress":
		return fmt.Errorf("it cannot be event %d", place)
	}
	s.sequence = *v.Sequence
	if v.Response != nil {
		return s.whole(v)
	}
	return s.piece(v)
}

// whole takes an event that carries the response.
func (s *snapshot) whole(v responsesEvent) error {
	r := v.Response
	if r.ID == "" || r.Object != "response" || r.Model == "" || r.Output == nil || r.Tools == nil {
		return errors.New("the response lacks a field")
	}
	switch v.Type {
	case "response.created", "response.in_progress":
		if r.Status != "in_progress" && r.Status != "queued" {
			return fmt.Errorf("the response is %s", r.Status)
		}
		return nil
	case "response.completed", "response.incomplete":
		if s.open != "" || len(r.Output) != s.items {
			return fmt.Errorf("%d items began, %d are in the response", s.items, len(r.Output))
		}
	case "response.failed":
		if r.Error == nil || r.Error.Code == "" || r.Error.Message == "" {
			return errors.New("the response has no error")
		}
	default:
		return errors.New("unknown type")
	}
	s.last = v.Type
	return nil
}

// piece takes an event about an item.
func (s *snapshot) piece(v responsesEvent) error {
	if v.OutputIndex == nil {
		return errors.New("output_index is missing")
	}
	if v.Type == "response.output_item.added" {
		return s.begin(v)
	}
	if s.open == "" || *v.OutputIndex != s.items-1 {
		return errors.New("the item is not open")
	}
	if v.Type == "response.output_item.done" {
		return s.end(v)
	}
	if v.ItemID != s.open {
		return fmt.Errorf("item_id is not %s", s.open)
	}
	if err := v.indexed(); err != nil {
		return err
	}
	if v.Delta != nil {
		s.text += *v.Delta
	}
	for _, done := range []*string{v.Text, v.Arguments, v.Input} {
		if done != nil && *done != s.text {
			return fmt.Errorf("the deltas said %q", s.text)
		}
	}
	return nil
}

// indexed checks that events about parts say which part.
func (v responsesEvent) indexed() error {
	switch {
	case strings.HasPrefix(v.Type, "response.reasoning_summary"):
		if v.SummaryIndex == nil {
			return errors.New("summary_index is missing")
		}
	case strings.HasPrefix(v.Type, "response.content_part"), strings.HasPrefix(v.Type, "response.output_text"), strings.HasPrefix(v.Type, "response.reasoning_text"):
		if v.ContentIndex == nil {
			return errors.New("content_index is missing")
		}
	}
	return nil
}

func (s *snapshot) begin(v responsesEvent) error {
	switch {
	case s.open != "":
		return fmt.Errorf("item %s is open", s.open)
	case *v.OutputIndex != s.items:
		return fmt.Errorf("output_index is not %d", s.items)
	case v.Item == nil || v.Item.ID == "" || v.Item.Type == "":
		return errors.New("the item lacks its id or type")
	}
	s.open, s.text = v.Item.ID, ""
	s.items++
	return nil
}

func (s *snapshot) end(v responsesEvent) error {
	if v.Item == nil || v.Item.ID != s.open {
		return fmt.Errorf("the item is not %s", s.open)
	}
	s.open = ""
	// which comes in one piece
	if got := v.Item.said(); got != s.text && v.Item.Type != "mcp_approval_request" {
		return fmt.Errorf("the item says %q, its deltas said %q", got, s.text)
	}
	return nil
}

// said is an item's text, arguments or input.
func (i responsesItem) said() string {
	var text string
	for _, p := range append(i.Content, i.Summary...) {
		text += p.Text
	}
	for _, s := range []*string{i.Arguments, i.Input} {
		if s != nil {
			text += *s
		}
	}
	return text
}
