package responses

import "encoding/json"

// inputText is a part of a listed message that the client wrote.
type inputText struct {
	Type string `json:"type"` // "input_text"
	Text string `json:"text"`
}

// listed is the item as the list of input items shows it: with the type, status and parts that
// clients may leave out.
func (i item) listed() item {
	if i.Type == "" {
		i.Type = "message"
	}
	if i.Status == "" {
		i.Status = "completed"
	}
	var text string
	if i.Type != "message" || json.Unmarshal(i.Content, &text) != nil {
		return i
	}
	var parts []any
	if i.Role == "assistant" {
		parts = []any{textPart(text, nil)}
	} else {
		parts = []any{inputText{Type: "input_text", Text: text}}
	}
	if raw, err := json.Marshal(parts); err == nil {
		i.Content = raw
	}
	return i
}
