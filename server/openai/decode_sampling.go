package openai

import (
	"fmt"
	"math"
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
	inf := math.Inf(1)
	between := func(name string, v *float64, least, most float64, to **float32) wire.Number {
		return wire.Number{Name: name, Value: v, Min: least, Max: most, To: to}
	}
	for _, n := range []wire.Number{
		between("temperature", w.Temperature, 0, 2, &s.Temperature),
		between("top_p", w.TopP, 0, 1, &s.TopP),
		between("frequency_penalty", w.FrequencyPenalty, -2, 2, &s.FrequencyPenalty),
		between("presence_penalty", w.PresencePenalty, -2, 2, &s.PresencePenalty),
		between("min_p", w.MinP, 0, 1, &s.MinP),
		between("typical_p", w.TypicalP, 0, 1, &s.TypicalP),
		between("xtc_probability", w.XTCProbability, 0, 1, &s.XTCProbability),
		between("xtc_threshold", w.XTCThreshold, 0, 1, &s.XTCThreshold),
		{Name: "repeat_penalty", Value: w.RepeatPenalty, Max: inf, Above: true, To: &s.RepeatPenalty},
		between("dry_multiplier", w.DRYMultiplier, 0, inf, &s.DRYMultiplier),
		between("dry_base", w.DRYBase, 0, inf, &s.DRYBase),
		between("mirostat_tau", w.MirostatTau, 0, inf, &s.MirostatTau),
		between("mirostat_eta", w.MirostatEta, 0, inf, &s.MirostatEta),
	} {
		if err := n.Decode(); err != nil {
			return err
		}
	}
	if err := w.integers(s); err != nil {
		return err
	}
	var err error
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

// integer is a whole-number field and its least and greatest value.
type integer struct {
	name     string
	value    *int
	min, max int
	to       **int
}

func (w samplingFields) integers(s *engine.Sampling) error {
	for _, n := range []integer{
		{"top_k", w.TopK, -1, math.MaxInt32, &s.TopK},
		{"repeat_last_n", w.RepeatLastN, -1, math.MaxInt32, &s.RepeatLastN},
		{"dry_allowed_length", w.DRYAllowedLength, 0, math.MaxInt32, &s.DRYAllowedLength},
		{"dry_penalty_last_n", w.DRYPenaltyLastN, -1, math.MaxInt32, &s.DRYPenaltyLastN},
		{"mirostat", w.Mirostat, 0, 2, &s.Mirostat},
	} {
		if n.value != nil && (*n.value < n.min || *n.value > n.max) {
			return chat.Invalidf(n.name, "is %d; expected %d to %d", *n.value, n.min, n.max)
		}
		*n.to = n.value
	}
	if w.Seed != nil && *w.Seed != -1 { // -1: a new one each time, as in llama-server
		seed := uint32(*w.Seed) // OpenAI's seeds are 64 bits wide, the sampler's 32
		s.Seed = &seed
	}
	return nil
}

// ban is the bias of a token that the public description calls banned. It is finite, so that where
// a grammar allows banned tokens only, or all are, there is still one to choose: an answer of the
// form that was asked for, and no error.
const ban = -1e9

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
		if out[int32(id)] = float32(bias); bias == -100 {
			out[int32(id)] = ban
		}
	}
	return out, nil
}
