//go:build cgo

package llama

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
)

// noise is logits of a model of real shape: most far below the few that matter.
func noise(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	logits := make([]float32, n)
	for i := range logits {
		logits[i] = float32(r.NormFloat64() * 3)
	}
	return logits
}

func newSampler(t testing.TB, m *Model, s engine.Sampling) *Sampler {
	t.Helper()
	sampler, err := m.NewSampler(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sampler.Close)
	return sampler
}

func pick(t *testing.T, s *Sampler, logits []float32, c Candidates) int32 {
	t.Helper()
	id, err := s.Sample(logits, c)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func bitsOf(n int, ids ...int32) []uint64 {
	bits := make([]uint64, (n+63)/64)
	for _, id := range ids {
		bits[id/64] |= 1 << (id % 64)
	}
	return bits
}

func allBut(n int, ids ...int32) []int32 {
	var rest []int32
	for id := range int32(n) {
		if !slices.Contains(ids, id) {
			rest = append(rest, id)
		}
	}
	return rest
}

// The three ways to say a mask must mean the same, under every combination of samplers.
func TestSample_neverLeavesTheMask(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	n := m.Vocab().Size()
	allowed := []int32{3, 64, 65, 127, 128, int32(n - 1)}
	masks := map[string]Candidates{
		"only": {Only: allowed}, "bits": {Bits: bitsOf(n, allowed...)}, "except": {Except: allBut(n, allowed...)},
	}
	settings := map[string]engine.Numbers{
		"defaults": {}, "greedy": {Temperature: ref[float32](0)},
		"no top-k": {TopK: ref(0)}, "top-k 1": {TopK: ref(1)},
		"typical": {TypicalP: ref[float32](0.5)}, "xtc": {XTCProbability: ref[float32](1), XTCThreshold: ref[float32](0.05)},
		"penalties": {RepeatPenalty: ref[float32](1.5), PresencePenalty: ref[float32](1), FrequencyPenalty: ref[float32](-2)},
		"dry":       {DRYMultiplier: ref[float32](1)},
		"mirostat":  {Mirostat: ref(1)}, "mirostat 2": {Mirostat: ref(2)},
		"bias": {},
	}
	for setting, numbers := range settings {
		sampling := engine.Sampling{Numbers: numbers}
		if setting == "bias" {
			sampling.LogitBias = map[int32]float32{3: 5, 7: 100, 64: float32(math.Inf(-1))}
		}
		for name, mask := range masks {
			s := newSampler(t, m, sampling)
			for round := range 50 {
				id := pick(t, s, noise(n, uint64(round)), mask)
				if !slices.Contains(allowed, id) || setting == "bias" && id == 64 {
					t.Fatalf("%s, %s: token %d is not allowed", setting, name, id)
				}
				s.Accept(id)
			}
		}
	}
}

func TestSample_considersOnlyWhatIsAllowed(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{Vocab: 20000}}, ModelOptions{})
	n := m.Vocab().Size()
	for _, c := range []struct {
		name     string
		sampling engine.Sampling
		mask     Candidates
		most     int
	}{
		{"twelve allowed", engine.Sampling{Numbers: engine.Numbers{TopK: ref(0)}}, Candidates{Only: []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, 12},
		{"free text", engine.Sampling{}, Candidates{}, 40},
		{"free text, greedy", engine.Sampling{Numbers: engine.Numbers{Temperature: ref[float32](0)}}, Candidates{}, 1},
		{"free text but for markers", engine.Sampling{Numbers: engine.Numbers{RepeatPenalty: ref[float32](1.1)}}, Candidates{Except: []int32{5, 9000}}, 40 + 3},
	} {
		s := newSampler(t, m, c.sampling)
		s.Accept(7, 8, 9)
		pick(t, s, noise(n, 1), c.mask)
		if got := s.Considered(); got > c.most {
			t.Errorf("%s: %d candidates, want at most %d", c.name, got, c.most)
		}
	}
}

// Choosing among the best few must give what choosing among all gives: top-k keeps them anyway.
func TestSample_fewCandidatesAsAll(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	n := m.Vocab().Size()
	every := allBut(n)
	for name, sampling := range map[string]engine.Sampling{
		"defaults":  {},
		"penalties": {Numbers: engine.Numbers{RepeatPenalty: ref[float32](1.3), FrequencyPenalty: ref[float32](0.5)}},
		"rewards":   {Numbers: engine.Numbers{FrequencyPenalty: ref[float32](-1)}},
		"bias":      {LogitBias: map[int32]float32{10: 8, 11: -8}},
		"dry":       {Numbers: engine.Numbers{DRYMultiplier: ref[float32](0.8)}},
		"greedy":    {Numbers: engine.Numbers{Temperature: ref[float32](0), RepeatPenalty: ref[float32](1.3)}},
	} {
		few, all := newSampler(t, m, sampling), newSampler(t, m, sampling)
		for round := range 200 {
			logits := noise(n, uint64(round%7))
			a, b := pick(t, few, logits, Candidates{}), pick(t, all, logits, Candidates{Only: every})
			if a != b {
				t.Fatalf("%s, round %d: %d among the best, %d among all", name, round, a, b)
			}
			few.Accept(a)
			all.Accept(a)
		}
	}
}

func TestSample_seedRepeats(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	n := m.Vocab().Size()
	run := func(s *Sampler) []int32 {
		var ids []int32
		for round := range 20 {
			ids = append(ids, pick(t, s, noise(n, uint64(round)), Candidates{}))
			s.Accept(ids[len(ids)-1])
		}
		return ids
	}
	hot := engine.Sampling{Numbers: engine.Numbers{Temperature: ref[float32](2), RepeatPenalty: ref[float32](1.2)}, Seed: ref[uint32](42)}
	a, b := newSampler(t, m, hot), newSampler(t, m, hot)
	if first := run(a); !slices.Equal(first, run(b)) {
		t.Error("the same seed gave other tokens")
	}
	hot.Seed = ref[uint32](43)
	if slices.Equal(run(newSampler(t, m, hot)), run(newSampler(t, m, engine.Sampling{Numbers: engine.Numbers{Temperature: ref[float32](2)}, Seed: ref[uint32](42)}))) {
		t.Error("another seed gave the same tokens")
	}
}

func TestSample_penaltyLowersWhatWasSaid(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	logits := make([]float32, m.Vocab().Size())
	logits[5], logits[6] = 10, 9
	s := newSampler(t, m, engine.Sampling{Numbers: engine.Numbers{Temperature: ref[float32](0), RepeatPenalty: ref[float32](2)}})
	if id := pick(t, s, logits, Candidates{}); id != 5 {
		t.Fatalf("token %d, want 5", id)
	}
	s.Accept(5)
	if id := pick(t, s, logits, Candidates{}); id != 6 {
		t.Errorf("token %d after 5 was said, want 6", id)
	}
}

func TestSample_noCandidate(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	n := m.Vocab().Size()
	forbidden := newSampler(t, m, engine.Sampling{LogitBias: map[int32]float32{4: float32(math.Inf(-1))}})
	for name, c := range map[string]Candidates{
		"empty list": {Only: []int32{}}, "empty bits": {Bits: bitsOf(n)}, "forbidden by bias": {Only: []int32{4}},
	} {
		if _, err := forbidden.Sample(noise(n, 1), c); !errors.Is(err, ErrNoCandidate) {
			t.Errorf("%s: %v, want ErrNoCandidate", name, err)
		}
	}
	for name, c := range map[string]Candidates{
		"outside": {Only: []int32{int32(n)}}, "negative": {Only: []int32{-1}}, "short bits": {Bits: make([]uint64, 1)},
	} {
		if _, err := forbidden.Sample(noise(n, 1), c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestNewSampler_refusesNonsense(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	for name, s := range map[string]engine.Sampling{
		"temperature":    {Numbers: engine.Numbers{Temperature: ref(float32(math.NaN()))}},
		"repeat_penalty": {Numbers: engine.Numbers{RepeatPenalty: ref[float32](0)}},
		"mirostat":       {Numbers: engine.Numbers{Mirostat: ref(3)}},
		"breaker":        {DRYBreakers: []string{"a\x00b"}},
		"bias":           {LogitBias: map[int32]float32{1: float32(math.Inf(1))}},
	} {
		if _, err := m.NewSampler(s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSampling_fileOverDefaults(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Metadata: map[string]any{
		"general.sampling.temp": float32(0.25), "general.sampling.top_k": int32(7), "general.sampling.top_p": "often",
	}}, ModelOptions{})
	s := m.Sampling()
	if *s.Temperature != 0.25 || *s.TopK != 7 || *s.TopP != 0.95 || *s.MinP != 0.05 {
		t.Errorf("temperature %v, top_k %v, top_p %v, min_p %v", *s.Temperature, *s.TopK, *s.TopP, *s.MinP)
	}
}

func TestLogprob_isLogSoftmax(t *testing.T) {
	for _, n := range []int{1, 31, 32, 1000, 150001} {
		logits := noise(n, 3)
		var sum float64
		for _, l := range logits {
			sum += math.Exp(float64(l))
		}
		want := float64(logits[n/2]) - math.Log(sum)
		got, top := TopLogprobs(logits, int32(n/2), 5)
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("%d logits: %v, want %v", n, got, want)
		}
		order := allBut(n)
		slices.SortFunc(order, func(a, b int32) int {
			if logits[a] > logits[b] {
				return -1
			}
			return 1
		})
		if len(top) != min(5, n) {
			t.Fatalf("%d alternatives, want %d", len(top), min(5, n))
		}
		for i, alternative := range top {
			if alternative.ID != order[i] {
				t.Errorf("%d logits: alternative %d is %d, want %d", n, i, alternative.ID, order[i])
			}
		}
	}
}

func BenchmarkSample(b *testing.B) {
	m := load(b, tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{Vocab: 151936}}, ModelOptions{})
	n := m.Vocab().Size()
	logits := noise(n, 1)
	s := newSampler(b, m, engine.Sampling{})
	for name, c := range map[string]Candidates{
		"free": {}, "12 of 151936": {Only: []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, "dense mask": {Bits: bitsOf(n, allBut(n)...)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Sample(logits, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("logprobs", func(b *testing.B) {
		for b.Loop() {
			TopLogprobs(logits, 5, 20)
		}
	})
}

// Issue 19: a turn takes memory for what penalties look back at. Neither a request nor a file can
// make that more than a million tokens, or than the model's own context.
func TestSampling_windowsAreBounded(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	s := m.Sampling()
	for _, asked := range []int{-1, math.MaxInt32, math.MaxInt} {
		s.RepeatLastN, s.DRYPenaltyLastN = ref(asked), ref(asked)
		c := m.cSampling(s)
		if most := min(m.TrainedContext(), longestWindow); int(c.repeat_last_n) > most || int(c.dry_penalty_last_n) > most {
			t.Errorf("%d tokens back: %d and %d, at most %d", asked, c.repeat_last_n, c.dry_penalty_last_n, most)
		}
	}
}

// A field that the copy for C forgot would be passed over in silence, and one of another type
// would hold the bits of a number of the other kind.
func TestSampling_reachesC(t *testing.T) {
	c := reflect.TypeOf((*Model).cSampling).Out(0)
	if fields, want := c.NumField(), len(engine.SamplingFields)+1; fields != want {
		t.Errorf("C's sampling has %d fields; want %d, a row of the table each and the seed", fields, want)
	}
	for _, f := range engine.SamplingFields {
		want := reflect.Float32
		if f.Whole {
			want = reflect.Int32
		}
		if field, ok := c.FieldByName(f.Key); !ok || field.Type.Kind() != want {
			t.Errorf("C's %s is not of kind %v", f.Key, want)
		}
	}
}

// What a model file says badly must not make every turn fail.
func TestFileSampling_whatNoTurnCouldUseStaysUnset(t *testing.T) {
	said := map[string]string{
		"temp": "nan", "penalty_repeat": "0", "mirostat": "3", "top_p": "1.5", "min_p": "inf", "penalty_last_n": "-2",
		"top_k": "-5", "mirostat_tau": "4", "xtc_threshold": "much",
	}
	got := FileSampling(func(key string) (string, bool) {
		text, ok := said[strings.TrimPrefix(key, "general.sampling.")]
		return text, ok
	})
	all := ref(-1) // of the likeliest tokens: all
	if want := (engine.Sampling{Numbers: engine.Numbers{TopK: all, MirostatTau: ref[float32](4)}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func ref[T any](v T) *T { return &v }
