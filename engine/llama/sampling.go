package llama

import (
	"strconv"

	"tenon/engine"
)

// DefaultSampling is llama-server's (v0.5.0), all fields set. Its seed is not random: draw one for
// each turn.
var DefaultSampling = engine.Sampling{
	Temperature:      ref[float32](0.8),
	TopK:             ref(40),
	TopP:             ref[float32](0.95),
	MinP:             ref[float32](0.05),
	TypicalP:         ref[float32](1),
	XTCProbability:   ref[float32](0),
	XTCThreshold:     ref[float32](0.1),
	RepeatPenalty:    ref[float32](1),
	RepeatLastN:      ref(64),
	PresencePenalty:  ref[float32](0),
	FrequencyPenalty: ref[float32](0),
	DRYMultiplier:    ref[float32](0),
	DRYBase:          ref[float32](1.75),
	DRYAllowedLength: ref(2),
	DRYPenaltyLastN:  ref(64),
	DRYBreakers:      []string{"\n", ":", "\"", "*"},
	Mirostat:         ref(0),
	MirostatTau:      ref[float32](5),
	MirostatEta:      ref[float32](0.1),
	Seed:             ref[uint32](0),
}

func ref[T any](v T) *T { return &v }

// FileSampling reads a file's general.sampling.* keys; what it does not say, or says badly, stays
// unset.
func FileSampling(metadata func(key string) (string, bool)) engine.Sampling {
	number := func(key string) *float32 {
		text, _ := metadata("general.sampling." + key)
		v, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return nil
		}
		return ref(float32(v))
	}
	count := func(key string) *int {
		text, _ := metadata("general.sampling." + key)
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil
		}
		return &v
	}
	return engine.Sampling{
		Temperature:    number("temp"),
		TopK:           count("top_k"),
		TopP:           number("top_p"),
		MinP:           number("min_p"),
		XTCProbability: number("xtc_probability"),
		XTCThreshold:   number("xtc_threshold"),
		RepeatLastN:    count("penalty_last_n"),
		RepeatPenalty:  number("penalty_repeat"),
		Mirostat:       count("mirostat"),
		MirostatTau:    number("mirostat_tau"),
		MirostatEta:    number("mirostat_eta"),
	}
}
