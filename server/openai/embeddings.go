package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
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
