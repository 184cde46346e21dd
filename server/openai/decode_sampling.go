package openai

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
)

func decodeSampling(w chatRequest, r *chat.Request) error {
	return w.samplingFields.decode(&r.Sampling)
}

// decode checks the ranges and fills s.
func (w samplingFields) decode(s *engine.Sampling) error {
	err := wire.Sampling(w, map[string]wire.Range{"temperature": {Min: 0, Max: 2}}, s)
	if err != nil {
		return err
	}
	if w.Seed != nil && *w.Seed != -1 { // -1: a new one each time, as in llama-server
		seed := uint32(*w.Seed) // OpenAI's seeds are 64 bits wide, the sampler's 32
		s.Seed = &seed
	}
	if s.DRYBreakers, err = breakers(w.DRYBreakers); err != nil {
		return err
	}
	s.LogitBias, err = logitBias(w.LogitBias)
	return err
}

// maxBreakers: the sampler looks for each of them in every token of the vocabulary before the turn
// begins.
const maxBreakers = 64

func breakers(all []string) ([]string, error) {
	if len(all) > maxBreakers {
		return nil, chat.Invalidf("dry_sequence_breakers", "has %d strings; expected at most %d", len(all), maxBreakers)
	}
	if i := slices.IndexFunc(all, func(s string) bool { return strings.ContainsRune(s, 0) }); i >= 0 {
		return nil, chat.Invalidf(fmt.Sprintf("dry_sequence_breakers[%d]", i), "holds a NUL, which the sampler cannot look for")
	}
	return all, nil
}

func logitBias(in map[string]float64) (map[int32]float32, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := make(map[int32]float32, len(in))
	for key, bias := range in {
		id, err := strconv.ParseInt(key, 10, 32)
		if err != nil || id < 0 {
			return nil, chat.Invalidf("logit_bias", "has the key %q; expected a token id", key)
		}
		if bias < -100 || bias > 100 {
			return nil, chat.Invalidf("logit_bias", "gives token %d a bias of %v; expected -100 to 100", id, bias)
		}
		// the public description calls it banned
		if out[int32(id)] = float32(bias); bias == -100 {
			out[int32(id)] = wire.Ban
		}
	}
	return out, nil
}
