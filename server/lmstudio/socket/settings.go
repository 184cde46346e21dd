package socket

import (
	"encoding/json"
	"math"
	"slices"

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

// UnmarshalJSON also reads what Python's SDK makes of False: checked, with the value false.
func (c *checkbox[T]) UnmarshalJSON(raw []byte) error {
	var v struct {
		Checked bool            `json:"checked"`
		Value   json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
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

// setter reads a value into what it sets.
type setter func(raw json.RawMessage) error

// read gives every value to the setter of its key, and returns the keys that have none.
func (m merged) read(setters map[string]setter) (ignored []string, err error) {
	for key, raw := range m {
		set, ok := setters[key]
		if !ok {
			ignored = append(ignored, key)
			continue
		}
		if wire.IsNull(raw) {
			continue
		}
		if err := set(raw); err != nil {
			return nil, settingError(key, err)
		}
	}
	slices.Sort(ignored)
	return ignored, nil
}

// settingError names the key at fault.
func settingError(key string, err error) error {
	e := chat.AsError(err)
	if e.Kind == chat.Invalid && e.Field != "" || e.Kind == chat.NotSupportedHere {
		return e
	}
	return chat.Invalidf(key, "cannot be read: %s", err)
}

// value sets a plain value.
func value[T any](to *T) setter {
	return func(raw json.RawMessage) error { return json.Unmarshal(raw, to) }
}

// number sets a number of a range.
func number(key string, least, most float64, to **float32) setter {
	return func(raw json.RawMessage) error {
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		return wire.Number{Name: key, Value: &v, Min: least, Max: most, To: to}.Decode()
	}
}

// optional sets a number of a range that can be switched off, which is what off says.
func optional(key string, least, most float64, off float32, to **float32) setter {
	return func(raw json.RawMessage) error {
		var v checkbox[float64]
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if !v.Checked {
			*to = &off
			return nil
		}
		return wire.Number{Name: key, Value: &v.Value, Min: least, Max: most, To: to}.Decode()
	}
}

// checked gives the value of a switched-on checkbox to set.
func checked[T any](set func(T) error) setter {
	return func(raw json.RawMessage) error {
		var v checkbox[T]
		if err := json.Unmarshal(raw, &v); err != nil || !v.Checked {
			return err
		}
		return set(v.Value)
	}
}

// prediction settings, read off the merged layers.
type predictionSettings struct {
	request       *chat.Request
	structured    structured
	tools         toolSetting
	choice        toolChoice
	systemPrompt  string
	overflow      string
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

type toolChoice struct {
	Type string `json:"type"` // "generic"
	Mode string `json:"mode"`
}

const predictionKey = "llm.prediction."

// predictionSetters are the keys that have an effect.
func (p *predictionSettings) setters() map[string]setter {
	r := p.request
	s := &r.Sampling
	inf := math.Inf(1)
	own := map[string]setter{
		"temperature":                        number("temperature", 0, inf, &s.Temperature),
		"topKSampling":                       topK(&s.TopK),
		"topPSampling":                       optional("topPSampling", 0, 1, 1, &s.TopP),
		"minPSampling":                       optional("minPSampling", 0, 1, 0, &s.MinP),
		"repeatPenalty":                      optional("repeatPenalty", 0, inf, 1, &s.RepeatPenalty),
		"llama.presencePenalty":              optional("presencePenalty", -2, 2, 0, &s.PresencePenalty),
		"llama.frequencyPenalty":             optional("frequencyPenalty", -2, 2, 0, &s.FrequencyPenalty),
		"llama.xtcProbability":               optional("xtcProbability", 0, 1, 0, &s.XTCProbability),
		"llama.xtcThreshold":                 optional("xtcThreshold", 0, 1, 0.1, &s.XTCThreshold),
		"llama.locallyTypicalSampling":       optional("locallyTypicalSampling", 0, 1, 1, &s.TypicalP),
		"llama.mirostatSampling":             mirostat(s),
		"llama.logitBias":                    logitBias(s),
		"seed":                               checked(func(n int64) error { return seed(n, s) }),
		"maxPredictedTokens":                 checked(func(n int) error { r.MaxTokens = max(n, 0); return nil }),
		"stopStrings":                        value(&r.Stops),
		"logProbs":                           checked(func(n int) error { return logprobs(n, r) }),
		"reasoning.enableThinking":           value(&r.Thinking.Enabled),
		"reasoning.budgetTokens":             checked(func(n int) error { return wire.ThinkingBudget(&n, &r.Thinking) }),
		"reasoning.parsing":                  p.parsing,
		"contextOverflowPolicy":              value(&p.overflow),
		"structured":                         value(&p.structured),
		"tools":                              value(&p.tools),
		"toolChoice":                         value(&p.choice),
		"systemPrompt":                       value(&p.systemPrompt),
		"promptTemplate":                     refuseTemplate,
		"toolNaming":                         func(json.RawMessage) error { return nil }, // names are left as they are sent
		"speculativeDecoding.draftModel":     func(json.RawMessage) error { return nil }, // the answer is the same without
		"vision.userMaxImageDimensionPixels": func(json.RawMessage) error { return nil },
	}
	out := map[string]setter{}
	for key, set := range own {
		out[predictionKey+key] = set
	}
	return out
}

// told are the keys that the success packet repeats: scalars, which no SDK fails to read.
var told = []string{
	"temperature", "topKSampling", "topPSampling", "minPSampling", "repeatPenalty", "maxPredictedTokens", "stopStrings", "contextOverflowPolicy",
}

// decodePrediction reads the settings of a prediction into r.
func decodePrediction(stack kvStack, r *chat.Request) (*predictionSettings, error) {
	p := &predictionSettings{request: r, thinkingStart: "<think>", thinkingEnd: "</think>"}
	r.Logprobs = -1
	all := stack.merge()
	if stack.has(rawLayer) {
		delete(all, predictionKey+"promptTemplate") // it says that the text is to be continued as it is
	}
	ignored, err := all.read(p.setters())
	if err != nil {
		return nil, err
	}
	r.Ignored, p.used = ignored, all
	for _, step := range []func() error{p.stops, p.truncation, p.answer, p.declared, p.choose} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *predictionSettings) stops() error {
	return wire.Stops(predictionKey+"stopStrings", p.request.Stops)
}

// truncation: a conversation that is too long is an error, unless the client would rather lose
// its beginning.
func (p *predictionSettings) truncation() error {
	switch p.overflow {
	case "", "stopAtLimit":
	case "truncateMiddle", "rollingWindow":
		p.request.Truncate = true
	default:
		return chat.Invalidf(predictionKey+"contextOverflowPolicy", "is %q; expected stopAtLimit, truncateMiddle or rollingWindow", p.overflow)
	}
	return nil
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
	if p.request.Thinking.Enabled == nil {
		off := false
		p.request.Thinking.Enabled = &off
	}
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
	if p.tools.Force {
		p.request.Choice.Mode = tools.Required
	}
	return err
}

func (p *predictionSettings) choose() error {
	switch p.choice.Mode {
	case "", "auto":
	case "none":
		p.request.Choice.Mode = tools.None
	case "required":
		p.request.Choice.Mode = tools.Required
	default:
		return chat.Invalidf(predictionKey+"toolChoice.mode", "is %q; expected none, auto or required", p.choice.Mode)
	}
	return nil
}

// parsing names the tags around the thinking.
func (p *predictionSettings) parsing(raw json.RawMessage) error {
	var v struct {
		Start string `json:"startString"`
		End   string `json:"endString"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	if v.Start != "" && v.End != "" {
		p.thinkingStart, p.thinkingEnd = v.Start, v.End
	}
	return nil
}

func refuseTemplate(json.RawMessage) error {
	return &chat.Error{Kind: chat.NotSupportedHere, Field: predictionKey + "promptTemplate",
		Message: "a request cannot bring its own prompt template here; --chat-template-file sets a model's"}
}
