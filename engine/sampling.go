package engine

// Sampling says how tokens are chosen. Nil and empty fields are unset: the file's
// general.sampling.* decide, else llama-server's defaults. Names and meanings are llama-server's.
type Sampling struct {
	Temperature      *float32
	TopK             *int
	TopP             *float32
	MinP             *float32
	TypicalP         *float32
	XTCProbability   *float32
	XTCThreshold     *float32
	RepeatPenalty    *float32
	RepeatLastN      *int // tokens looked back at; -1: the whole context
	PresencePenalty  *float32
	FrequencyPenalty *float32
	DRYMultiplier    *float32
	DRYBase          *float32
	DRYAllowedLength *int
	DRYPenaltyLastN  *int
	DRYBreakers      []string
	Mirostat         *int // 0: off, 1, 2
	MirostatTau      *float32
	MirostatEta      *float32
	Seed             *uint32
	LogitBias        map[int32]float32 // added to a token's logit; -Inf forbids it
}

// Or returns s with its unset fields taken from d.
func (s Sampling) Or(d Sampling) Sampling {
	s.Temperature = or(s.Temperature, d.Temperature)
	s.TopK = or(s.TopK, d.TopK)
	s.TopP = or(s.TopP, d.TopP)
	s.MinP = or(s.MinP, d.MinP)
	s.TypicalP = or(s.TypicalP, d.TypicalP)
	s.XTCProbability = or(s.XTCProbability, d.XTCProbability)
	s.XTCThreshold = or(s.XTCThreshold, d.XTCThreshold)
	s.RepeatPenalty = or(s.RepeatPenalty, d.RepeatPenalty)
	s.RepeatLastN = or(s.RepeatLastN, d.RepeatLastN)
	s.PresencePenalty = or(s.PresencePenalty, d.PresencePenalty)
	s.FrequencyPenalty = or(s.FrequencyPenalty, d.FrequencyPenalty)
	s.DRYMultiplier = or(s.DRYMultiplier, d.DRYMultiplier)
	s.DRYBase = or(s.DRYBase, d.DRYBase)
	s.DRYAllowedLength = or(s.DRYAllowedLength, d.DRYAllowedLength)
	s.DRYPenaltyLastN = or(s.DRYPenaltyLastN, d.DRYPenaltyLastN)
	s.Mirostat = or(s.Mirostat, d.Mirostat)
	s.MirostatTau = or(s.MirostatTau, d.MirostatTau)
	s.MirostatEta = or(s.MirostatEta, d.MirostatEta)
	s.Seed = or(s.Seed, d.Seed)
	if s.DRYBreakers == nil {
		s.DRYBreakers = d.DRYBreakers
	}
	if s.LogitBias == nil {
		s.LogitBias = d.LogitBias
	}
	return s
}

func or[T any](v, d *T) *T {
	if v != nil {
		return v
	}
	return d
}
