package socket

import (
	"encoding/json"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// loadSettings reads how a model is to be loaded. Keys that say nothing here have no effect: SDKs
// send all that the app knows.
func loadSettings(stack kvStack, m lmstudio.Model) (s fleet.Settings, err error) {
	own := map[string]setter{
		"contextLength":       value(&s.Context),
		"numParallelSessions": value(&s.Slots),
		"llama.evalBatchSize": value(&s.Batch),
		"llama.acceleration.offloadRatio": func(raw json.RawMessage) error {
			s.GPULayers, err = m.Offload("llama.acceleration.offloadRatio", raw)
			return err
		},
		"llama.kCacheQuantizationType": checked(func(t string) error { s.CacheTypeK = t; return nil }),
		"llama.vCacheQuantizationType": checked(func(t string) error { s.CacheTypeV = t; return nil }),
		"llama.flashAttention": func(raw json.RawMessage) error {
			s.FlashAttention = map[string]string{"true": "on", "false": "off"}[string(raw)]
			return nil
		},
	}
	setters := map[string]setter{}
	for key, set := range own {
		setters["llm.load."+key] = set
		setters["embedding.load."+key] = set
	}
	if _, err := stack.merge().read(setters); err != nil {
		return s, err
	}
	if s.Context < 0 || s.Slots < 0 || s.Batch < 0 {
		return s, chat.Invalidf("loadConfigStack", "has a negative length or number")
	}
	return s, nil
}

// add collects settings to tell.
func (c *kvConfig) add(key string, v any) {
	raw, err := json.Marshal(v)
	if err == nil {
		c.Fields = append(c.Fields, kvField{key, raw})
	}
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

// baseConfig is what the model's file says of sampling: the layer below all that a client sends.
func baseConfig(i lmstudio.Instance) kvConfig {
	c := kvConfig{Fields: []kvField{}}
	d := i.Instance.Model.Defaults
	if d.Temperature != nil {
		c.add(predictionKey+"temperature", *d.Temperature)
	}
	if d.TopK != nil {
		c.add(predictionKey+"topKSampling", *d.TopK)
	}
	for key, v := range map[string]*float32{"topPSampling": d.TopP, "minPSampling": d.MinP, "repeatPenalty": d.RepeatPenalty} {
		if v != nil {
			c.add(predictionKey+key, checkbox[float32]{true, *v})
		}
	}
	return c
}

// toldConfig are the settings that a prediction's success repeats: the model's own, and over them
// the client's.
func toldConfig(i lmstudio.Instance, used merged) kvConfig {
	c := kvConfig{Fields: []kvField{}}
	for _, f := range baseConfig(i).Fields {
		if _, ok := used[f.Key]; !ok {
			c.Fields = append(c.Fields, f)
		}
	}
	for _, key := range told {
		if v, ok := used[predictionKey+key]; ok {
			c.Fields = append(c.Fields, kvField{predictionKey + key, v})
		}
	}
	return c
}
