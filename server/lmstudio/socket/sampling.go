package socket

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

// samplings are the keys of what is one number: its field in the table of sampling fields, and
// whether it stands in a checkbox, of which off is what an empty one says.
var samplings = map[string]struct {
	field string
	box   bool
	off   float64
}{
	"temperature": {"Temperature", false, 0}, "topKSampling": {"TopK", false, 0}, "topPSampling": {"TopP", true, 1}, "minPSampling": {"MinP", true, 0},
	"repeatPenalty": {"RepeatPenalty", true, 1}, "llama.presencePenalty": {"PresencePenalty", true, 0}, "llama.frequencyPenalty": {"FrequencyPenalty", true, 0},
	"llama.xtcProbability": {"XTCProbability", true, 0}, "llama.xtcThreshold": {"XTCThreshold", true, 0.1}, "llama.locallyTypicalSampling": {"TypicalP", true, 1},
}

// fieldNamed is a row of that table.
func fieldNamed(name string) engine.SamplingField {
	return engine.SamplingFields[slices.IndexFunc(engine.SamplingFields, func(f engine.SamplingField) bool { return f.Name == name })]
}

// sampled sets a field.
func sampled(s *engine.Sampling, field string, off float64) setter {
	f := fieldNamed(field)
	n := wire.Bounds(f)
	return func(key string, raw json.RawMessage) error {
		var v checkbox[float64] // of a whole number, too: Python's SDK sends 40.0
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if !v.Checked {
			v.Value = off
		}
		n.Name = key
		if err := n.Check(v.Value); err != nil {
			return err
		}
		if f.Whole && v.Value != math.Trunc(v.Value) {
			return chat.Invalidf(key, "is %v; expected an integer", v.Value)
		}
		f.Set(s, v.Value)
		return nil
	}
}

// most sets a number of tokens. -1 is no limit: Python's SDK sends it.
func most(n int, to *int) error {
	if n == 0 || n < -1 {
		return chat.Invalidf("", "is %d; expected 1 or more, or -1 for no limit", n)
	}
	*to = max(n, 0)
	return nil
}

func seed(n int64, s *engine.Sampling) error {
	if n >= 0 { // -1: a new one each time
		s.Seed = new(uint32(n))
	}
	return nil
}

func logprobs(n int, r *chat.Request) error {
	r.Logprobs = min(n, 20) // alternatives of a token are told
	return wire.Number{Max: 100}.Check(float64(n))
}

func mirostat(s *engine.Sampling) map[string]setter {
	return map[string]setter{"version": sampled(s, "Mirostat", 0), "learningRate": sampled(s, "MirostatEta", 0), "targetEntropy": sampled(s, "MirostatTau", 0)}
}

func logitBias(s *engine.Sampling) setter {
	return func(key string, raw json.RawMessage) error {
		var pairs [][2]json.RawMessage
		if err := json.Unmarshal(raw, &pairs); err != nil {
			return err
		}
		s.LogitBias = make(map[int32]float32, len(pairs))
		for i, pair := range pairs {
			var id int32
			var bias float32
			var word string
			if json.Unmarshal(pair[1], &word) == nil && word == "-inf" {
				bias = wire.Ban
			} else if json.Unmarshal(pair[1], &bias) != nil {
				return chat.Invalidf(fmt.Sprintf("%s[%d]", key, i), `expected a number or "-inf"`)
			}
			if json.Unmarshal(pair[0], &id) != nil || id < 0 {
				return chat.Invalidf(fmt.Sprintf("%s[%d]", key, i), "expected a token id")
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
