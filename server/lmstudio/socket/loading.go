package socket

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// loadSettings reads how a model is to be loaded. It returns the first key by which that is
// otherwise than the model is set, and the keys that have no effect: SDKs send all that the app
// knows.
func loadSettings(stack kvStack, m lmstudio.Model) (s fleet.Settings, chosen string, ignored []string, err error) {
	setters := map[string]setter{}
	for key, set := range map[string]setter{
		"contextLength":       positive(&s.Context, math.MaxInt32),
		"numParallelSessions": positive(&s.Slots, 1023),
		"llama.evalBatchSize": positive(&s.Batch, math.MaxInt32),
		"llama.acceleration.offloadRatio": func(key string, raw json.RawMessage) error {
			s.GPULayers, err = m.Offload(key, raw)
			return err
		},
		"llama.kCacheQuantizationType":         checked(func(t string) error { return cacheType(t, &s.CacheTypeK) }),
		"llama.vCacheQuantizationType":         checked(func(t string) error { return cacheType(t, &s.CacheTypeV) }),
		"llama.speculativeDecoding.draftModel": func(_ string, raw json.RawMessage) error { return json.Unmarshal(raw, &s.Draft) },
		"llama.flashAttention": func(_ string, raw json.RawMessage) (err error) {
			var on bool
			err = json.Unmarshal(raw, &on)
			s.FlashAttention = map[bool]string{true: "on", false: "off"}[on]
			return err
		},
	} {
		told := func(key string, raw json.RawMessage) error {
			before := s
			err := set(key, raw)
			if chosen == "" && s != before && s != (fleet.Settings{Context: m.Context}) {
				chosen = key
			}
			return err
		}
		setters["llm.load."+key], setters["embedding.load."+key] = told, told
	}
	ignored, err = stack.merge().read("", setters)
	return s, chosen, ignored, err
}

// positive sets a number of at most so many.
func positive(to *int, most float64) setter {
	return func(key string, raw json.RawMessage) error {
		var v float64 // Python's SDK sends 4096.0
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if v != math.Trunc(v) || v < 1 || v > most {
			return chat.Invalidf(key, "is %v; expected an integer of 1 to %v", v, most)
		}
		*to = int(v)
		return nil
	}
}

// cacheType sets the type of half a KV cache.
func cacheType(t string, to *string) error {
	if !slices.Contains([]string{"f16", "q8_0", "q4_0"}, t) {
		return &chat.Error{Kind: chat.NotSupportedHere, Message: fmt.Sprintf("is %q; this server keeps f16, q8_0 or q4_0", t)}
	}
	*to = t
	return nil
}

// add collects settings to tell.
func (c *kvConfig) add(key string, v any) {
	raw, _ := json.Marshal(v) // numbers always marshal
	c.Fields = append(c.Fields, kvField{key, raw})
}

// loadConfig tells how an instance was loaded. The context's length must be there: without it
// SDKs take it for 2048.
func loadConfig(i lmstudio.Instance) kvConfig {
	c := kvConfig{Fields: []kvField{}}
	scope := i.Model.Kind() + ".load."
	if i.Context() > 0 {
		c.add(scope+"contextLength", i.Context())
	}
	if n := i.Instance.Model.Slots; n > 0 && !i.Model.Embeds {
		c.add(scope+"numParallelSessions", n)
	}
	return c
}

// baseConfig is the layer below all that a client sends: what the model's file says of sampling,
// or else the engine's defaults, which are not those that the SDKs suppose.
func baseConfig(i lmstudio.Instance) kvConfig {
	c := kvConfig{Fields: []kvField{}}
	for _, key := range repeated {
		one, known := samplings[key]
		if !known {
			continue
		}
		f := fieldNamed(one.field)
		v, ok := f.Get(i.Instance.Model.Defaults)
		if !ok {
			v = f.Default
		}
		var told any = float32(v)
		if one.box {
			told = checkbox[float32]{true, float32(v)}
		}
		c.add(predictionKey+key, told)
	}
	c.add(predictionKey+"contextOverflowPolicy", "stopAtLimit")
	return c
}

// toldConfig are the settings that a prediction's success repeats: the model's own, and over them
// the client's.
func toldConfig(i lmstudio.Instance, used merged) kvConfig {
	c := kvConfig{slices.DeleteFunc(baseConfig(i).Fields, func(f kvField) bool { return used[f.Key] != nil })}
	for _, key := range repeated {
		if v, ok := used[predictionKey+key]; ok {
			c.Fields = append(c.Fields, kvField{predictionKey + key, v})
		}
	}
	return c
}
