package socket

import (
	"encoding/json"
	"errors"
	"testing"

	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// FuzzFrame: no frame, setting or history that a client may send is a panic, and what is wrong
// with one is the client's fault, said in its error.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":{"modelSpecifier":{"type":"query","query":{"identifier":"m"}},"history":{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"toolCallRequest","toolCallRequest":{"id":"1","name":"w","arguments":{"c":1}}}]},{"role":"tool","content":[{"type":"toolCallResult","content":"x","toolCallId":"1"}]}]},"predictionConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"llm.prediction.temperature","value":0.5},{"key":"llm.prediction.tools","value":{"type":"toolArray","tools":[{"type":"function","function":{"name":"w","parameters":{}}}]}}]}}]}}}`,
		`{"creationParameter":{"predictionConfigStack":{"layers":[{"config":{"fields":[{"key":"llm.prediction.llama.logitBias","value":[[1,"-inf"],[2,3]]},{"key":"llm.prediction.llama.mirostatSampling","value":{"version":2}},{"key":"llm.prediction.seed","value":{"checked":true,"value":-1}},{"key":"llm.prediction.structured","value":{"type":"json","jsonSchema":{"$ref":"#"}}},{"key":"llm.prediction.reasoning.parsing","value":{"startString":"<a>","endString":"<b>"}}]}}]}}}`,
		`{"creationParameter":{"loadConfigStack":{"layers":[{"config":{"fields":[{"key":"llm.load.llama.acceleration.offloadRatio","value":0.5},{"key":"llm.load.contextLength","value":-1},{"key":"llm.load.llama.kCacheQuantizationType","value":{"checked":true,"value":"q8_0"}}]}}]}}}`,
		`{"type":7}`, `[]`, `{"creationParameter":null}`, `{"creationParameter":{"history":{"messages":[{}]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var frame clientFrame
		if json.Unmarshal(raw, &frame) != nil {
			return
		}
		told := func(err error) {
			var said *chat.Error
			if err != nil && (!errors.As(err, &said) || said.Kind == chat.Internal || said.Message == "") {
				t.Errorf("%v (%T) blames nobody", err, err)
			}
		}
		if p, err := parameter[predictParameter](frame.CreationParameter); err == nil {
			settings, err := decodePrediction(p.Stack, &chat.Request{})
			told(err)
			if err == nil {
				_, err = reader{file: func(string) (upload, bool) { return upload{}, false }, start: settings.thinkingStart, end: settings.thinkingEnd}.decode(p.History)
				told(err)
			}
		}
		if p, err := parameter[loadParameter](frame.CreationParameter); err == nil {
			_, _, _, err = loadSettings(p.Stack, lmstudio.Model{})
			told(err)
		}
	})
}
