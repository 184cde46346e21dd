package wire

import "tenon/engine"

// Logprob is a token and how likely it was, as OpenAI's protocols write it.
type Logprob struct {
	Token   string  `json:"token"`
	Logprob float32 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
	// nil in an entry that is itself one of another's
	Top []Logprob `json:"top_logprobs,omitzero"`
}

// EncodeLogprobs never returns nil.
func EncodeLogprobs(tokens []engine.Token) []Logprob {
	out := make([]Logprob, len(tokens))
	for i, t := range tokens {
		out[i] = encodeLogprob(t.Bytes, t.Logprob)
		out[i].Top = make([]Logprob, len(t.Top))
		for j, other := range t.Top {
			out[i].Top[j] = encodeLogprob(other.Bytes, other.Logprob)
		}
	}
	return out
}

func encodeLogprob(b []byte, logprob float32) Logprob {
	// what OpenAI sends for a token that is all but impossible; JSON has no infinity
	const least = -9999
	p := Logprob{Token: string(b), Logprob: max(logprob, least), Bytes: make([]int, len(b))}
	for i, c := range b {
		p.Bytes[i] = int(c)
	}
	return p
}
