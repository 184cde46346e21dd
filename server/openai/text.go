package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
)

// embeddingRequest is the body of POST /v1/embeddings.
type embeddingRequest struct {
	Model          string          `json:"model"`
	Input          json.RawMessage `json:"input"`
	EncodingFormat string          `json:"encoding_format"` // "float", "base64"
	Dimensions     *int            `json:"dimensions"`
}

type embeddingList struct {
	Object string      `json:"object"` // "list"
	Data   []embedding `json:"data"`
	Model  string      `json:"model"`
	Usage  struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	} `json:"usage"`
}

type embedding struct {
	Object    string `json:"object"` // "embedding"
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // numbers, or their bytes in base64
}

// Embeddings serves POST /v1/embeddings.
func (a API) Embeddings(w http.ResponseWriter, r *http.Request) {
	list, err := a.embed(w, r)
	reply(w, list, err)
}

// reply answers with v, or with the error.
func reply(w http.ResponseWriter, v any, err error) {
	if err != nil {
		wire.WriteOpenAIError(w, chat.AsError(err))
		return
	}
	wire.WriteJSON(w, http.StatusOK, v)
}

func (a API) embed(w http.ResponseWriter, r *http.Request) (*embeddingList, error) {
	var sent embeddingRequest
	ignored, err := wire.Decode(r.Body, &sent, otherCompletions)
	if err != nil {
		return nil, err
	}
	wire.SetIgnored(w, ignored)
	if f := sent.EncodingFormat; f != "" && f != "float" && f != "base64" {
		return nil, chat.Invalidf("encoding_format", "is %q; expected float or base64", f)
	}
	inputs, err := decodePrompts(sent.Input)
	if err != nil {
		return nil, chat.Invalidf("input", "expected a string, an array of token ids, or an array of either")
	}
	prompts := make([]engine.Prompt, len(inputs))
	for i, p := range inputs {
		prompts[i] = p.prompt
	}
	vectors, err := a.Service.Embed(r.Context(), sent.Model, prompts)
	if err != nil {
		return nil, err
	}
	sent.Model = a.Service.Named(sent.Model)
	return encodeEmbeddings(sent, vectors)
}

func encodeEmbeddings(sent embeddingRequest, vectors []engine.Embedding) (*embeddingList, error) {
	list := &embeddingList{Object: "list", Model: sent.Model, Data: []embedding{}}
	for i, v := range vectors {
		vector := v.Vector
		if d := sent.Dimensions; d != nil {
			if *d < 1 || *d > len(vector) {
				return nil, chat.Invalidf("dimensions", "is %d; this model's vectors have %d", *d, len(vector))
			}
			vector = shorten(vector, *d)
		}
		out := embedding{Object: "embedding", Index: i, Embedding: vector}
		if sent.EncodingFormat == "base64" {
			out.Embedding = packVector(vector)
		}
		list.Data = append(list.Data, out)
		list.Usage.PromptTokens += v.Tokens
	}
	list.Usage.TotalTokens = list.Usage.PromptTokens
	return list, nil
}

// shorten keeps the first n dimensions and makes the vector's length 1 again (Matryoshka
// embeddings, arXiv 2205.13147).
func shorten(vector []float32, n int) []float32 {
	out := append([]float32{}, vector[:n]...)
	var sum float64
	for _, x := range out {
		sum += float64(x) * float64(x)
	}
	if sum > 0 {
		scale := float32(1 / math.Sqrt(sum))
		for i := range out {
			out[i] *= scale
		}
	}
	return out
}

func packVector(vector []float32) string {
	b := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

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
