package socket

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

// Settings travel as keys and values in named layers; of a key that several layers have, the last
// one's value holds.
type (
	kvStack struct {
		Layers []kvLayer `json:"layers"`
	}
	kvLayer struct {
		Name   string   `json:"layerName"`
		Config kvConfig `json:"config"`
	}
	kvConfig struct {
		Fields []kvField `json:"fields"`
	}
	kvField struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	}
)

// rawLayer is of the layers the one by which a client asks for the plain continuation of a text.
const rawLayer = "completeModeFormatting"

// merged are the values of a stack, by key.
type merged map[string]json.RawMessage

func (s kvStack) merge() merged {
	out := merged{}
	for _, l := range s.Layers {
		for _, f := range l.Config.Fields {
			out[f.Key] = f.Value
		}
	}
	return out
}

func (s kvStack) has(layer string) bool {
	return slices.ContainsFunc(s.Layers, func(l kvLayer) bool { return l.Name == layer })
}

// checkbox is a setting that can be off.
type checkbox[T any] struct {
	Checked bool `json:"checked"`
	Value   T    `json:"value"`
}

// UnmarshalJSON also reads what Python's SDK makes of False: checked, with the value false; and a
// value that stands in no box.
func (c *checkbox[T]) UnmarshalJSON(raw []byte) error {
	v := struct {
		Checked bool            `json:"checked"`
		Value   json.RawMessage `json:"value"`
	}{true, raw}
	if raw[0] == '{' {
		v.Checked, v.Value = false, nil
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
	}
	if *c = (checkbox[T]{}); !v.Checked || string(v.Value) == "false" {
		return nil
	}
	c.Checked = true
	if len(v.Value) == 0 {
		return nil
	}
	return json.Unmarshal(v.Value, &c.Value)
}

// setter reads the value of a key into what it sets.
type setter func(key string, raw json.RawMessage) error

// read gives every value to the setter of its key, and returns the keys that have none. Errors
// name a key behind the prefix.
func (m merged) read(prefix string, setters map[string]setter) (ignored []string, err error) {
	// of several faults the same one is told each time
	for _, key := range slices.Sorted(maps.Keys(m)) {
		set, ok := setters[key]
		if !ok {
			ignored = append(ignored, key)
			continue
		}
		if wire.IsNull(m[key]) {
			continue
		}
		if err := set(prefix+key, m[key]); err != nil {
			return nil, settingError(prefix+key, err)
		}
	}
	return ignored, nil
}

// inside gives the members of an object to their setters.
func inside(setters map[string]setter) setter {
	return func(key string, raw json.RawMessage) error {
		var v merged
		err := json.Unmarshal(raw, &v)
		if err == nil {
			_, err = v.read(key+".", setters)
		}
		return err
	}
}

// settingError names the key at fault.
func settingError(key string, err error) error {
	e := chat.AsError(err)
	if e.Kind == chat.Invalid || e.Kind == chat.NotSupportedHere {
		e.Field = cmp.Or(e.Field, key)
		return e
	}
	return chat.Invalidf(key, "cannot be read: %s", err)
}

// value sets a plain value.
func value[T any](to *T) setter {
	return func(_ string, raw json.RawMessage) error { return json.Unmarshal(raw, to) }
}

// checked gives the value of a switched-on checkbox to set.
func checked[T any](set func(T) error) setter {
	return func(_ string, raw json.RawMessage) error {
		var v checkbox[T]
		if err := json.Unmarshal(raw, &v); err != nil || !v.Checked {
			return err
		}
		return set(v.Value)
	}
}

// oneOf sets what a word means.
func oneOf[T any](words map[string]T, to *T) setter {
	return func(_ string, raw json.RawMessage) error {
		var word string
		if err := json.Unmarshal(raw, &word); err != nil {
			return err
		}
		v, ok := words[word]
		if !ok {
			return chat.Invalidf("", "is %q; expected %s", word, strings.Join(slices.Sorted(maps.Keys(words)), ", "))
		}
		*to = v
		return nil
	}
}

// noEffect is of keys that leave the answer as it is.
func noEffect(string, json.RawMessage) error { return nil }

// prediction settings, read off the merged layers.
type predictionSettings struct {
	request       *chat.Request
	structured    structured
	tools         toolSetting
	systemPrompt  string
	thinkingStart string // tags around the thinking, in fragments and in the history
	thinkingEnd   string
	used          merged // all of them
}

type structured struct {
	Type   string          `json:"type"` // "none", "json", "gbnf"
	Schema json.RawMessage `json:"jsonSchema"`
	GBNF   string          `json:"gbnfGrammar"`
}

type toolSetting struct {
	Type  string    `json:"type"` // "none", "toolArray"
	Tools []sdkTool `json:"tools"`
	Force bool      `json:"force"`
}

// sdkTool is a tool. Anthropic's name for the parameters is taken too.
type sdkTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"function"`
}

const predictionKey = "llm.prediction."

// modes are the words of a choice of tools.
var modes = map[string]tools.Mode{"auto": tools.Auto, "none": tools.None, "required": tools.Required}

// setters are the keys that have an effect.
func (p *predictionSettings) setters() map[string]setter {
	r := p.request
	out := map[string]setter{}
	for key, set := range map[string]setter{
		"llama.mirostatSampling":             inside(mirostat(&r.Sampling)),
		"llama.logitBias":                    logitBias(&r.Sampling),
		"seed":                               checked(func(n int64) error { return seed(n, &r.Sampling) }),
		"maxPredictedTokens":                 checked(func(n int) error { return most(n, &r.MaxTokens) }),
		"stopStrings":                        value(&r.Stops),
		"logProbs":                           checked(func(n int) error { return logprobs(n, r) }),
		"reasoning.enableThinking":           value(&r.Thinking.Enabled),
		"reasoning.budgetTokens":             checked(func(n int) error { return most(n, &r.Thinking.Budget) }),
		"reasoning.parsing":                  inside(map[string]setter{"startString": value(&p.thinkingStart), "endString": value(&p.thinkingEnd)}),
		"contextOverflowPolicy":              oneOf(map[string]bool{"stopAtLimit": false, "truncateMiddle": true, "rollingWindow": true}, &r.Truncate),
		"structured":                         value(&p.structured),
		"tools":                              value(&p.tools),
		"toolChoice":                         inside(map[string]setter{"mode": oneOf(modes, &r.Choice.Mode)}),
		"systemPrompt":                       value(&p.systemPrompt),
		"promptTemplate":                     refuseTemplate,
		"toolNaming":                         noEffect, // names are left as they are sent
		"speculativeDecoding.draftModel":     noEffect,
		"vision.userMaxImageDimensionPixels": noEffect,
	} {
		out[predictionKey+key] = set
	}
	for key, one := range samplings {
		out[predictionKey+key] = sampled(&r.Sampling, one.field, one.off)
	}
	return out
}

// repeated are the keys that the success packet repeats: scalars, which no SDK fails to read.
var repeated = []string{
	"temperature", "topKSampling", "topPSampling", "minPSampling", "repeatPenalty", "maxPredictedTokens", "stopStrings", "contextOverflowPolicy",
}

// decodePrediction reads the settings of a prediction into r.
func decodePrediction(stack kvStack, r *chat.Request) (*predictionSettings, error) {
	p := &predictionSettings{request: r}
	r.Logprobs = -1
	all := stack.merge()
	if stack.has(rawLayer) {
		// it says that the text is to be continued as it is
		delete(all, predictionKey+"promptTemplate")
	}
	ignored, err := all.read("", p.setters())
	if err != nil {
		return nil, err
	}
	if p.thinkingStart == "" || p.thinkingEnd == "" {
		p.thinkingStart, p.thinkingEnd = "<think>", "</think>"
	}
	r.Ignored, p.used = ignored, all
	if err := wire.Stops(predictionKey+"stopStrings", r.Stops); err != nil {
		return nil, err
	}
	if err := p.answer(); err != nil {
		return nil, err
	}
	return p, p.declared()
}

// answer is what the text must match. A model that may think would put its thought into what SDKs
// read as JSON, so that it does only where it is asked to.
func (p *predictionSettings) answer() error {
	at := chat.AnswerPlace{Field: predictionKey + "structured.jsonSchema"}
	switch s := p.structured; {
	case s.Type == "" || s.Type == "none":
		return nil
	case s.Type == "json" && wire.IsNull(s.Schema):
		p.request.Answer = &tools.Answer{Syntax: "json_object"}
	case s.Type == "json":
		p.request.Answer, p.request.AnswerPlace = &tools.Answer{Syntax: "json_schema", Definition: string(s.Schema)}, at
	case s.Type == "gbnf":
		at.Field = predictionKey + "structured.gbnfGrammar"
		p.request.Answer, p.request.AnswerPlace = &tools.Answer{Syntax: "gbnf", Definition: s.GBNF}, at
	default:
		return chat.Invalidf(predictionKey+"structured.type", "is %q; expected none, json or gbnf", s.Type)
	}
	p.request.Thinking.Enabled = cmp.Or(p.request.Thinking.Enabled, new(false))
	return nil
}

func (p *predictionSettings) declared() error {
	switch p.tools.Type {
	case "", "none":
		return nil
	case "toolArray":
	default:
		return chat.Invalidf(predictionKey+"tools.type", "is %q; expected none or toolArray", p.tools.Type)
	}
	declared, places, err := decodeTools(p.tools.Tools, predictionKey+"tools.tools")
	p.request.Tools, p.request.Places.Tools = declared, places
	if p.tools.Force && p.request.Choice.Mode == tools.Auto {
		p.request.Choice.Mode = tools.Required
	}
	return err
}

func refuseTemplate(string, json.RawMessage) error {
	return &chat.Error{Kind: chat.NotSupportedHere, Message: "a request cannot bring its own prompt template here; --chat-template-file sets a model's"}
}
