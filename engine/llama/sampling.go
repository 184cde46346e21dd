package llama

import (
	"strconv"

	"tenon/engine"
)

// DefaultSampling is llama-server's (v0.5.0), all fields set. Its seed is not random: draw one for
// each turn.
var DefaultSampling = defaultSampling()

func defaultSampling() engine.Sampling {
	s := engine.Sampling{DRYBreakers: []string{"\n", ":", "\"", "*"}, Seed: new(uint32)}
	for _, f := range engine.SamplingFields {
		f.Set(&s, f.Default)
	}
	return s
}

// FileSampling reads a file's general.sampling.* keys; what it does not say, or says badly, stays
// unset. Whole numbers below their least mean that, but of windows, as for llama-server.
func FileSampling(metadata func(key string) (string, bool)) engine.Sampling {
	var s engine.Sampling
	for _, f := range engine.SamplingFields {
		if f.File == "" {
			continue
		}
		text, _ := metadata("general.sampling." + f.File)
		v, err := strconv.ParseFloat(text, 32)
		if f.Whole && !f.Window {
			v = max(v, f.Min)
		}
		if err == nil && f.Takes(v) {
			f.Set(&s, v)
		}
	}
	return s
}
