package openai

import (
	"io"
	"net/http"

	"tenon/server/chat"
	"tenon/server/wire"
)

// The routes below are llama-server's, which has one model: where there is one only, the field
// model may be left out.

type tokenizeRequest struct {
	Model        string `json:"model"`
	Content      string `json:"content"`
	AddSpecial   bool   `json:"add_special"`
	ParseSpecial *bool  `json:"parse_special"`
}

// Tokenize serves POST /tokenize.
func (a API) Tokenize(w http.ResponseWriter, r *http.Request) {
	var sent tokenizeRequest
	ignored, err := wire.Decode(r.Body, &sent, wire.Others{})
	var ids []int32
	if err == nil {
		wire.SetIgnored(w, ignored)
		ids, err = a.Service.Tokenize(r.Context(), sent.Model, sent.Content, sent.ParseSpecial == nil || *sent.ParseSpecial, sent.AddSpecial)
	}
	reply(w, map[string]any{"tokens": append([]int32{}, ids...)}, err)
}

type detokenizeRequest struct {
	Model  string  `json:"model"`
	Tokens []int32 `json:"tokens"`
}

// Detokenize serves POST /detokenize.
func (a API) Detokenize(w http.ResponseWriter, r *http.Request) {
	var sent detokenizeRequest
	ignored, err := wire.Decode(r.Body, &sent, wire.Others{})
	var text string
	if err == nil {
		wire.SetIgnored(w, ignored)
		text, err = a.Service.Detokenize(r.Context(), sent.Model, sent.Tokens)
	}
	reply(w, map[string]string{"content": text}, err)
}

// ApplyTemplate serves POST /apply-template: the prompt of a chat request.
func (a API) ApplyTemplate(w http.ResponseWriter, r *http.Request) {
	request, err := DecodeTemplate(r.Body)
	var prompt string
	if err == nil {
		wire.SetIgnored(w, request.Ignored)
		prompt, err = a.Service.Render(r.Context(), request)
	}
	reply(w, map[string]string{"prompt": prompt}, err)
}

// templateRequest is a chat request that may leave the assistant's turn unopened.
type templateRequest struct {
	chatRequest

	AddGenerationPrompt *bool `json:"add_generation_prompt"` // nil: true
}

// DecodeTemplate reads the body of POST /apply-template. Its errors are *chat.Error and name the
// field.
func DecodeTemplate(body io.Reader) (chat.Request, error) {
	var sent templateRequest
	ignored, err := wire.Decode(body, &sent, others)
	if err != nil {
		return chat.Request{}, err
	}
	request, err := sent.turn(ignored)
	request.Conversation.Closed = sent.AddGenerationPrompt != nil && !*sent.AddGenerationPrompt
	return request, err
}

// Rerank serves POST /v1/rerank: no model that this version loads can rank.
func (a API) Rerank(w http.ResponseWriter, _ *http.Request) {
	wire.WriteOpenAIError(w, &chat.Error{Kind: chat.NoRoute, Message: "no model here can rerank"})
}
