package server_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
)

// embedder is an engine whose vector of a prompt is its length, three times over.
type embedder struct{ *enginetest.Scripted }

func (e embedder) Embed(ctx context.Context, prompts []engine.Prompt) ([]engine.Embedding, error) {
	out := make([]engine.Embedding, len(prompts))
	for i, p := range prompts {
		ids, err := e.Tokens(ctx, p)
		if err != nil {
			return nil, err
		}
		if n := e.Model().Context; len(ids) > n {
			return nil, &engine.ContextError{Prompt: len(ids), Context: n}
		}
		n := float32(len(ids))
		out[i] = engine.Embedding{Vector: []float32{n, 2 * n, 2 * n}, Tokens: len(ids)}
	}
	return out, nil
}

func embedding(t *testing.T, fields string) (status int, body string) {
	t.Helper()
	e := enginetest.Script()
	e.Info.Can.Embeddings = true
	h := server.New(servertest.Options(servertest.Model{ID: "scripted", Engine: embedder{e}}))
	rec := askWith(t, h, "/v1/embeddings", `{"model":"scripted",`+fields+`}`)
	return rec.Code, rec.Body.String()
}

func TestEmbeddings_inputsOfEveryForm(t *testing.T) {
	for input, lengths := range map[string][]float32{
		`"four"`:         {4},
		`["a","bcd"]`:    {1, 3},
		`[1,2,3,4,5]`:    {5},
		`[[1,2],[3]]`:    {2, 1},
		`["ab",[7,8,9]]`: {2, 3},
	} {
		status, body := embedding(t, `"input":`+input)
		var list struct {
			Data []struct {
				Index     int
				Embedding []float32
			}
			Usage struct {
				PromptTokens int `json:"prompt_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK || len(list.Data) != len(lengths) {
			t.Fatalf("%s: %d %v %s", input, status, err, body)
		}
		var sum float32
		for i, n := range lengths {
			if d := list.Data[i]; d.Index != i || len(d.Embedding) != 3 || d.Embedding[0] != n {
				t.Errorf("%s: %+v", input, d)
			}
			sum += n
		}
		if list.Usage.PromptTokens != int(sum) {
			t.Errorf("%s: usage %+v", input, list.Usage)
		}
	}
}

func TestEmbeddings_asBase64AndShortened(t *testing.T) {
	_, body := embedding(t, `"input":"four","encoding_format":"base64","dimensions":2`)
	var list struct{ Data []struct{ Embedding string } }
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Data) != 1 {
		t.Fatalf("%v %s", err, body)
	}
	b, err := base64.StdEncoding.DecodeString(list.Data[0].Embedding)
	if err != nil || len(b) != 8 {
		t.Fatalf("%v, %d bytes", err, len(b))
	}
	x, y := math.Float32frombits(binary.LittleEndian.Uint32(b)), math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
	if length := math.Hypot(float64(x), float64(y)); math.Abs(length-1) > 1e-6 || math.Abs(float64(y/x)-2) > 1e-6 {
		t.Errorf("(%v, %v)", x, y)
	}
}

func TestEmbeddings_badFieldsAreNamed(t *testing.T) {
	for fields, want := range map[string]string{
		`"input":[]`: "input", `"input":{}`: "input", `"input":"a","dimensions":4`: "dimensions", `"input":"a","dimensions":0`: "dimensions",
		`"input":"a","encoding_format":"hex"`: "encoding_format", `"input":"a","user":7`: "user", `"input":[[]]`: "input",
	} {
		status, body := embedding(t, fields)
		if status != http.StatusBadRequest || !strings.Contains(body, `"param":"`+want) {
			t.Errorf("%s: %d %s", fields, status, body)
		}
	}
}

func TestEmbeddings_tooLongATextIsNamedWithItsLength(t *testing.T) {
	status, body := embedding(t, `"input":["a","`+strings.Repeat("x", 5000)+`"]`)
	if status != http.StatusBadRequest || !strings.Contains(body, `"param":"input"`) || !strings.Contains(body, "5000 tokens") {
		t.Errorf("%d %s", status, body)
	}
}
