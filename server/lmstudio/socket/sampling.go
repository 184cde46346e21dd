package socket

import (
	"encoding/json"
	"fmt"
	"math"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/tools"
)

func topK(to **int) setter {
	return func(raw json.RawMessage) error {
		var v float64 // Python's SDK sends 40.0
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if v < -1 || v > math.MaxInt32 || v != math.Trunc(v) {
			return chat.Invalidf(predictionKey+"topKSampling", "is %v; expected an integer of -1 or more", v)
		}
		n := int(v)
		*to = &n
		return nil
	}
}

func seed(n int64, s *engine.Sampling) error {
	if n >= 0 { // -1: a new one each time
		v := uint32(n)
		s.Seed = &v
	}
	return nil
}

// mostLogprobs is how many alternatives of a token are told.
const mostLogprobs = 20

func logprobs(n int, r *chat.Request) error {
	if n < 0 || n > 100 {
		return chat.Invalidf(predictionKey+"logProbs", "is %d; expected 0 to 100", n)
	}
	r.Logprobs = min(n, mostLogprobs)
	return nil
}

func mirostat(s *engine.Sampling) setter {
	return func(raw json.RawMessage) error {
		var v struct {
			Version int     `json:"version"`
			Rate    float32 `json:"learningRate"`
			Entropy float32 `json:"targetEntropy"`
		}
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if v.Version < 0 || v.Version > 2 {
			return chat.Invalidf(predictionKey+"llama.mirostatSampling.version", "is %d; expected 0, 1 or 2", v.Version)
		}
		s.Mirostat, s.MirostatEta, s.MirostatTau = &v.Version, &v.Rate, &v.Entropy
		return nil
	}
}

// ban is the bias of "-inf". It is finite, so that there is always a token to choose.
const ban = -1e9

func logitBias(s *engine.Sampling) setter {
	return func(raw json.RawMessage) error {
		var pairs [][2]json.RawMessage
		if err := json.Unmarshal(raw, &pairs); err != nil {
			return err
		}
		for i, pair := range pairs {
			var id int32
			var bias float32
			var word string
			if json.Unmarshal(pair[1], &word) == nil && word == "-inf" {
				bias = ban
			} else if json.Unmarshal(pair[1], &bias) != nil {
				return chat.Invalidf(fmt.Sprintf("%sllama.logitBias[%d]", predictionKey, i), `expected a number or "-inf"`)
			}
			if json.Unmarshal(pair[0], &id) != nil || id < 0 {
				return chat.Invalidf(fmt.Sprintf("%sllama.logitBias[%d]", predictionKey, i), "expected a token id")
			}
			if s.LogitBias == nil {
				s.LogitBias = map[int32]float32{}
			}
			s.LogitBias[id] = bias
		}
		return nil
	}
}

// decodeTools reads tools, and where each stands.
func decodeTools(in []sdkTool, field string) (out []tools.Tool, places []string, err error) {
	for i, t := range in {
		at := fmt.Sprintf("%s[%d]", field, i)
		if t.Type != "" && t.Type != "function" {
			return nil, nil, chat.Invalidf(at+".type", "is %q; expected function", t.Type)
		}
		f := t.Function
		if f.Name == "" {
			return nil, nil, chat.Invalidf(at+".function.name", "is required")
		}
		parameters := f.Parameters
		if len(parameters) == 0 {
			parameters = f.InputSchema
		}
		out = append(out, tools.Tool{Name: f.Name, Description: f.Description, Parameters: parameters})
		places = append(places, at+".function")
	}
	return out, places, nil
}
