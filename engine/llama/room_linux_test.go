//go:build cgo

package llama

import (
	"os"
	"sync"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// Weights that are read lie in room that is made ready for them: in it they are what they are in
// the file, whoever loads beside, and it goes when the model does.
func TestRoom_holdsTheWeightsAndIsGivenBack(t *testing.T) {
	const loads = 8
	path := tinymodel.File(t, tinymodel.Options{
		Kind: tinymodel.FullAttention, Seed: 1, Shape: tinymodel.Shape{Layers: 2, Embedding: 256, FeedForward: 2048},
	})
	read := func() *Model {
		m, err := Load(t.Context(), path, ModelOptions{LoadMode: LoadNone, GPULayers: new(int)})
		if err != nil {
			t.Error(err)
		}
		return m
	}
	mapped, err := Load(t.Context(), path, ModelOptions{LoadMode: LoadMmap, GPULayers: new(int)})
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	ids := text(t, mapped, 40)
	want := evaluate(t, newContext(t, mapped, ContextOptions{Size: 256}), 0, ids)
	before := resident(t)
	for range loads {
		var models [2]*Model
		var both sync.WaitGroup
		for i := range models {
			both.Go(func() { models[i] = read() })
		}
		both.Wait()
		for _, m := range models {
			c, err := m.NewContext(ContextOptions{Size: 256, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := evaluate(t, c, 0, ids); distance(got, want) > 1e-3 {
				t.Error("logits of weights that were read differ from those of mapped ones")
			}
			c.Close()
			m.Close()
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if all, grown := 2*loads*int(info.Size()), resident(t)-before; grown > all/2 {
		t.Errorf("models of %d bytes that were closed leave %d", all, grown)
	}
}
