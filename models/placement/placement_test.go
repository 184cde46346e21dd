package placement

import (
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// What the process says is checked: a hostile file may have taken it over.
func TestEstimate_checkRefusesWhatCannotBe(t *testing.T) {
	for _, e := range []Estimate{
		nil, make(Estimate, samples+3), {{Context: 2}, {Context: 1}}, {{Context: -5}}, {{Context: 1 << 40}},
		{{Context: 1, Need: Need{Weights: -1}}}, {{Context: 1, Need: Need{VRAM: 1 << 62}}},
	} {
		if e.Check() == nil {
			t.Errorf("%+v passes", e)
		}
	}
	if err := (Estimate{{Context: 1, Need: Need{Cache: 1 << 40}}, {Context: 9}}).Check(); err != nil {
		t.Error(err)
	}
}

// A draft model takes its own weights and cache, whatever the context.
func TestMeasure_countsTheDraftModel(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	q := Question{Path: path, Wanted: 4096, Least: 2048}
	alone, err1 := Measure(q)
	q.Draft, q.DraftContext = path, 2048
	both, err2 := Measure(q)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for i, s := range both {
		if n, own := s.Need, alone[i].Need; n.Weights != 2*own.Weights || n.Cache-own.Cache != alone[0].Need.Cache || n.Total() >= own.Total()+alone[0].Need.Total() {
			t.Errorf("context %d: %+v, alone %+v", s.Context, n, own)
		}
	}
	q.Draft = "none.gguf"
	if _, err := Measure(q); err == nil {
		t.Error("a draft model that is not there is measured")
	}
}

// Between its samples an estimate is no less than the library's, and little more.
func TestEstimate_betweenSamples(t *testing.T) {
	for _, kind := range []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow, tinymodel.Hybrid} {
		q := Question{Path: tinymodel.File(t, tinymodel.Options{Kind: kind}), Wanted: 1 << 17, Least: 2048}
		estimate, err := Measure(q)
		if err != nil {
			t.Fatal(err)
		}
		if err := estimate.Check(); err != nil {
			t.Error(err)
		}
		e, err := NewEstimator(q.Path)
		if err != nil {
			t.Fatal(err)
		}
		for context := q.Least; context <= q.Wanted; context += 1792 {
			want, err1 := e.Need(context)
			got, err2 := estimate.Need(context)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if got.Total() < want.Total()-2 || float64(got.Total()) > 1.01*float64(want.Total()) {
				t.Errorf("kind %v, context %d: %d bytes, the library says %d", kind, context, got.Total(), want.Total())
			}
		}
		for _, context := range []int{q.Least - 1, q.Wanted + 1} {
			if _, err := estimate.Need(context); err == nil {
				t.Errorf("context %d: no error", context)
			}
		}
	}
}
