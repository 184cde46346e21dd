package sdktest

import (
	"context"
	"math"
	"testing"

	"github.com/openai/openai-go/v3"

	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/llama"
	"tenon/engine/worker"
)

func TestOpenAI_embeddingsOfARealModel(t *testing.T) {
	if !llama.Available {
		t.Skip("no local engine: " + llama.Source)
	}
	e, err := worker.Start(context.Background(), worker.Options{Name: "vectors", Model: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.Embedding}), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() }) // the worker ends with it
	c := openaiClient(serve(t, e, false))
	ask := openai.EmbeddingNewParams{Model: model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"once", "twice"}}}
	whole, err := c.Embeddings.New(t.Context(), ask)
	if err != nil || len(whole.Data) != 2 || whole.Data[1].Index != 1 || whole.Usage.PromptTokens == 0 {
		t.Fatalf("%v: %+v", err, whole)
	}
	ask.Dimensions = openai.Int(3)
	short, err := c.Embeddings.New(t.Context(), ask)
	if err != nil || len(short.Data) != 2 || len(short.Data[0].Embedding) != 3 || len(whole.Data[0].Embedding) <= 3 {
		t.Fatalf("%v: %+v", err, short)
	}
	for _, d := range append(whole.Data, short.Data...) {
		var sum float64
		for _, x := range d.Embedding {
			sum += x * x
		}
		if math.Abs(sum-1) > 1e-3 {
			t.Errorf("a vector of length %v", math.Sqrt(sum))
		}
	}
}
