//go:build cgo

package llama

import (
	"context"
	"errors"
	"math"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

func TestCalibrate_comesToAnAnswer(t *testing.T) {
	// no sequence can be cut
	m := load(t, tinymodel.Options{Kind: tinymodel.Hybrid}, ModelOptions{})
	got, err := m.Calibrate(context.Background(), ContextOptions{Threads: 1})
	if _, known := flashTypes[got]; !known || err != nil && !errors.Is(err, ErrSlow) && !errors.Is(err, ErrBusy) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFastest_weighsPromptAndAnswer(t *testing.T) {
	deep := leastDepth
	for _, c := range []struct {
		name    string
		off, on trial
		want    FlashAttention
		err     error
	}{
		{"both better", trial{depth: deep, prompt: 5, token: 50}, trial{depth: deep, prompt: 4, token: 40}, FlashOn, nil},
		{"decode much worse", trial{depth: deep, prompt: 5, token: 50}, trial{depth: deep, prompt: 4, token: 100}, FlashOff, nil},
		{"decode a little worse", trial{depth: deep, prompt: 5, token: 50}, trial{depth: deep, prompt: 4, token: 51}, FlashOn, nil},
		{"the same", trial{depth: deep, prompt: 5, token: 50}, trial{depth: deep, prompt: 5, token: 50}, FlashOff, nil},
		{"too slow to tell", trial{depth: 8, prompt: 9, token: 90}, trial{depth: 8, prompt: 1, token: 1}, flashUnmeasured, ErrSlow},
		{"always disturbed", trial{depth: deep, prompt: 5, token: 50}, trial{depth: deep, prompt: math.MaxInt64, token: 40}, flashUnmeasured, ErrBusy},
	} {
		c.off.flash, c.on.flash = FlashOff, FlashOn
		if got, err := fastest([]*trial{&c.off, &c.on}); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
}

func TestCalibrate_whereThereIsNoChoice(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, onCPU())
	if got, err := m.Calibrate(context.Background(), ContextOptions{ValueType: KVQ8_0}); got != FlashOn || err != nil {
		t.Errorf("quantized V cache: %q, %v; want on", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Calibrate(ctx, ContextOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	vectors := load(t, tinymodel.Options{Kind: tinymodel.Embedding}, onCPU())
	if got, err := vectors.Calibrate(context.Background(), ContextOptions{}); got != FlashAuto || err != nil {
		t.Errorf("embedding model: %q, %v; want auto", got, err)
	}
}
