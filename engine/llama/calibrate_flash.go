//go:build cgo

package llama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// flashChoices are the settings that [Model.Calibrate] compares.
var flashChoices = []FlashAttention{FlashOff, FlashOn}

// Calibrate finds out which setting of flash attention is faster for this model on this machine:
// neither always is. With a shared libllama on one CPU, 1,200 tokens deep, a 0.6B model decodes at
// 28 tokens a second without and at 19 with it, where another gains a tenth by it. What other
// conversations have in the cache counts too, and not alike: flash attention passes over their
// cells, without it they are multiplied before they are masked.
//
// The settings are tried side by side, which takes some seconds; a model so slow that it would
// take longer gets [ErrSlow] and what is likeliest, and so does, with [ErrBusy], a machine whose
// processors others use. On a GPU it is [FlashAuto]; a quantized V cache needs [FlashOn].
func (m *Model) Calibrate(ctx context.Context, o ContextOptions) (FlashAttention, error) {
	if kvTypes[o.ValueType] != kvTypes[KVF16] {
		return FlashOn, nil
	}
	if m.offloaded || m.Bidirectional() {
		return FlashAuto, nil
	}
	o.Size, o.Batch, o.MicroBatch, o.Sequences = calibrationContext, 0, 0, conversations
	trials := make([]*trial, len(flashChoices))
	for i, flash := range flashChoices {
		o.Flash = flash
		c, err := m.NewContext(o)
		if err != nil {
			return FlashAuto, fmt.Errorf("calibrate flash attention: %w", err)
		}
		defer c.Close()
		trials[i] = &trial{flash: flash, context: c, batch: NewBatch(calibrationContext, 1), token: math.MaxInt64, prompt: math.MaxInt64}
		defer trials[i].batch.Close()
	}
	if err := compare(ctx, trials); err != nil {
		return FlashAuto, fmt.Errorf("calibrate flash attention: %w", err)
	}
	return fastest(trials)
}

// ErrSlow: a model is too slow, now at least, to find out what is faster.
var ErrSlow = errors.New("the model is too slow for a measurement")

// ErrBusy: other processes take so much of the processors' time that a measurement would tell of
// them.
var ErrBusy = errors.New("the machine is too busy for a measurement")

// fastest of the trials, the first among equals.
func fastest(trials []*trial) (FlashAttention, error) {
	best := trials[0]
	for _, t := range trials {
		if t.depth < leastDepth {
			return flashUnmeasured, ErrSlow
		}
		if !t.measured() {
			return flashUnmeasured, ErrBusy
		}
		if t.cost() < best.cost() {
			best = t
		}
	}
	return best.flash, nil
}

// CalibrationKey is what the result depends on: the engine, the processor, the number of threads,
// the model's shape and the type of the cache.
func (m *Model) CalibrationKey(o ContextOptions) string {
	return fmt.Sprintf("%v by %d of %d; %s; %s, %d threads; %s, %d parameters, %d bytes; %s keys", flashChoices, calibrationBatch, conversations, Source, processor(),
		cmp.Or(o.Threads, GrantedThreads()), m.Description(), m.Parameters(), m.Size(), cmp.Or(o.KeyType, KVF16))
}

const (
	calibrationContext = 2048
	calibrationTime    = 1500 * time.Millisecond // for filling each context
	// what is done once for each batch must not count for more than in a prompt
	calibrationBatch  = 128
	calibrationRounds = 3
	calibrationLimit  = 8 * time.Second // no measurement begins after it
	// where others disturb them; the context holds no more
	mostRounds = 7
	firstBatch = 8   // shows whether the model is fast enough to go on
	leastDepth = 128 // with less in the cache, attention does not show
	// share the cache, as those of the slots do; the first is measured
	conversations = 4
)

// trial is one setting being measured. Times are the best seen undisturbed: what disturbs only
// adds.
type trial struct {
	flash         FlashAttention
	context       *Context
	batch         *Batch
	depth         int                // tokens in the cache
	lengths       [conversations]int // of them in each sequence
	prompt, token time.Duration
}

// compare fills all contexts alike, as far as the time allows, and measures them in turn.
func compare(ctx context.Context, trials []*trial) error {
	for _, t := range trials {
		// the very first reads the weights from the disk
		if _, err := t.decode(ctx, firstBatch, 0); err != nil {
			return err
		}
		again, err := t.decode(ctx, firstBatch, 0)
		if err != nil || again/firstBatch*leastDepth > 3*calibrationTime {
			return err
		}
	}
	begin := time.Now()
	var spent time.Duration
	undisturbed := false
	for batch := 1; batch*calibrationBatch <= calibrationContext/2 && spent < calibrationTime; batch++ {
		for _, t := range trials {
			d, err := t.decode(ctx, calibrationBatch, batch%conversations)
			if err != nil {
				return err
			}
			spent += d / time.Duration(len(trials))
			undisturbed = undisturbed || t.context.undisturbed()
		}
	}
	if !undisturbed {
		return nil // nor would the rounds be
	}
	for round := 0; round < calibrationRounds || round < mostRounds && !allMeasured(trials); round++ {
		for _, t := range trials {
			if time.Since(begin) > calibrationLimit {
				return nil
			}
			if err := t.measure(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func allMeasured(trials []*trial) bool {
	return !slices.ContainsFunc(trials, func(t *trial) bool { return !t.measured() })
}

func (t *trial) measured() bool { return t.prompt < math.MaxInt64 && t.token < math.MaxInt64 }

func (t *trial) measure(ctx context.Context) error {
	d, err := t.decode(ctx, calibrationBatch, 0)
	if err != nil {
		return err
	}
	if t.context.undisturbed() {
		t.prompt = min(t.prompt, d/calibrationBatch)
	}
	for range 4 {
		if d, err = t.decode(ctx, 1, 0); err != nil {
			return err
		}
		if t.context.undisturbed() {
			t.token = min(t.token, d)
		}
	}
	return nil
}

// decode n tokens more of a sequence.
func (t *trial) decode(ctx context.Context, n, sequence int) (time.Duration, error) {
	t.batch.Clear()
	for i := range n {
		id := int32((t.depth + i) % min(t.context.model.vocab.size, 1000))
		if _, err := t.batch.Add(id, t.lengths[sequence]+i, i == n-1, sequence); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err := t.context.Decode(ctx, t.batch)
	t.depth += n
	t.lengths[sequence] += n
	return time.Since(start), err
}

// cost of a turn with tools: the prompt is long, most of it cached, and the answer short.
func (t *trial) cost() time.Duration { return 1000*t.prompt + 200*t.token }
