package socket

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// Python's SDK sends what is switched off by False as a checked box with the value false.
func TestSettings_falseIsOff(t *testing.T) {
	var stack kvStack
	if err := json.Unmarshal([]byte(`{"layers":[{"layerName":"apiOverride","config":{"fields":[
		{"key":"llm.prediction.maxPredictedTokens","value":{"checked":true,"value":false}},
		{"key":"llm.prediction.topPSampling","value":{"checked":true,"value":false}}]}}]}`), &stack); err != nil {
		t.Fatal(err)
	}
	var r chat.Request
	if _, err := decodePrediction(stack, &r); err != nil || r.MaxTokens != 0 || r.Sampling.TopP == nil || *r.Sampling.TopP != 1 {
		t.Errorf("%v %+v", err, r)
	}
}

// stackOf is a stack of one layer with one key.
func stackOf(t *testing.T, key, value string) (stack kvStack) {
	t.Helper()
	if err := json.Unmarshal([]byte(`{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"`+key+`","value":`+value+`}]}}]}`), &stack); err != nil {
		t.Fatal(err)
	}
	return stack
}

// fieldAtFault is what an error of the request names; "" of any other.
func fieldAtFault(err error) string {
	var e *chat.Error
	if !errors.As(err, &e) || e.Kind != chat.Invalid && e.Kind != chat.NotSupportedHere {
		return ""
	}
	return e.Field
}

// Every value that is refused names its key, and none that means nothing passes in silence.
func TestSettings_errorsNameTheirKey(t *testing.T) {
	for _, c := range [][2]string{
		{"temperature", "-1"}, {"temperature", `"hot"`}, {"temperature", "1e300"}, {"topKSampling", "1.5"}, {"topKSampling", "-2"},
		{"topPSampling", `{"checked":true,"value":1.5}`}, {"minPSampling", `{"checked":true,"value":-0.5}`}, {"repeatPenalty", `{"checked":true,"value":0}`},
		{"repeatPenalty", "0"}, {"repeatPenalty", `{"checked":"yes"}`}, {"llama.presencePenalty", `{"checked":true,"value":-1e300}`}, {"llama.xtcThreshold", `{"checked":true,"value":2}`},
		{"llama.mirostatSampling", `{"version":3}`}, {"llama.mirostatSampling", `{"version":1,"learningRate":-1}`}, {"llama.mirostatSampling", `{"version":1,"targetEntropy":"x"}`},
		{"llama.logitBias", `[[1,"much"]]`}, {"llama.logitBias", `[[-1,2]]`}, {"llama.logitBias", `5`}, {"seed", `{"checked":true,"value":1.5}`},
		{"maxPredictedTokens", `{"checked":true,"value":0}`}, {"maxPredictedTokens", `{"checked":true,"value":-2}`}, {"stopStrings", `[""]`}, {"stopStrings", `"x"`},
		{"logProbs", `{"checked":true,"value":101}`}, {"reasoning.enableThinking", `"yes"`}, {"reasoning.budgetTokens", `{"checked":true,"value":-5}`}, {"reasoning.parsing", `5`},
		{"contextOverflowPolicy", `"x"`}, {"structured", `{"type":"xml"}`}, {"tools", `{"type":"x"}`}, {"tools", `{"type":"toolArray","tools":[{}]}`}, {"toolChoice", `{"mode":"x"}`},
		{"systemPrompt", `5`}, {"promptTemplate", `{"type":"jinja"}`},
	} {
		var r chat.Request
		_, err := decodePrediction(stackOf(t, predictionKey+c[0], c[1]), &r)
		if !strings.HasPrefix(fieldAtFault(err), predictionKey+c[0]) {
			t.Errorf("%s %s: %v", c[0], c[1], err)
		}
	}
	for _, c := range [][2]string{
		{"contextLength", "0"}, {"contextLength", "-1"}, {"contextLength", "1.5"}, {"contextLength", "1e12"}, {"numParallelSessions", "0"}, {"numParallelSessions", "1024"},
		{"llama.evalBatchSize", "0"}, {"llama.evalBatchSize", `"x"`}, {"llama.acceleration.offloadRatio", "2"}, {"llama.kCacheQuantizationType", `{"checked":true,"value":"q5_1"}`},
		{"llama.vCacheQuantizationType", `{"checked":true,"value":5}`}, {"llama.flashAttention", `"auto"`},
	} {
		for _, scope := range []string{"llm.load.", "embedding.load."} {
			_, _, _, err := loadSettings(stackOf(t, scope+c[0], c[1]), lmstudio.Model{})
			if fieldAtFault(err) != scope+c[0] {
				t.Errorf("%s %s: %v", scope+c[0], c[1], err)
			}
		}
	}
}

// Each key that sets a number names a row of the table of sampling fields.
func TestSettings_numbersAreFieldsOfSampling(t *testing.T) {
	for key, one := range samplings {
		if f := fieldNamed(one.field); f.Name != one.field {
			t.Errorf("%s sets %s", key, f.Name)
		}
	}
}

// Of several values at fault, each request is told the same one.
func TestSettings_errorsNameTheFirst(t *testing.T) {
	stack := stackOf(t, predictionKey+"temperature", "-1")
	fields := &stack.Layers[0].Config.Fields
	for _, key := range []string{"topKSampling", "seed", "repeatPenalty"} {
		one := (*fields)[0]
		one.Key, one.Value = predictionKey+key, []byte(`"x"`)
		*fields = append(*fields, one)
	}
	for range 20 {
		if _, err := decodePrediction(stack, new(chat.Request)); !strings.HasPrefix(fieldAtFault(err), predictionKey+"repeatPenalty") {
			t.Fatal(err)
		}
	}
}

// What the SDKs send is taken: whole numbers as 40.0, no limit as -1, empty boxes as off.
func TestSettings_valuesOfTheSDKs(t *testing.T) {
	for _, c := range []struct {
		key, value string
		want       func(chat.Request) any
	}{
		{"topKSampling", "40.0", func(r chat.Request) any { return *r.Sampling.TopK == 40 }},
		{"topKSampling", "-1", func(r chat.Request) any { return *r.Sampling.TopK == -1 }},
		{"repeatPenalty", `{"checked":false,"value":1.1}`, func(r chat.Request) any { return *r.Sampling.RepeatPenalty == 1 }},
		{"repeatPenalty", `{"checked":true,"value":1.5}`, func(r chat.Request) any { return *r.Sampling.RepeatPenalty == 1.5 }},
		{"minPSampling", `{"checked":false}`, func(r chat.Request) any { return *r.Sampling.MinP == 0 }},
		{"maxPredictedTokens", `{"checked":true,"value":-1}`, func(r chat.Request) any { return r.MaxTokens == 0 }},
		{"maxPredictedTokens", `{"checked":false,"value":1000}`, func(r chat.Request) any { return r.MaxTokens == 0 }},
		{"maxPredictedTokens", `{"checked":true,"value":7}`, func(r chat.Request) any { return r.MaxTokens == 7 }},
		{"llama.mirostatSampling", `{"version":2,"learningRate":0.2,"targetEntropy":4}`, func(r chat.Request) any {
			return *r.Sampling.Mirostat == 2 && *r.Sampling.MirostatEta == 0.2 && *r.Sampling.MirostatTau == 4
		}},
		{"llama.logitBias", `[[5,"-inf"],[6,1.5]]`, func(r chat.Request) any { return r.Sampling.LogitBias[5] == wire.Ban && r.Sampling.LogitBias[6] == 1.5 }},
		{"seed", `{"checked":true,"value":-1}`, func(r chat.Request) any { return r.Sampling.Seed == nil }},
		{"reasoning.budgetTokens", `{"checked":true,"value":64}`, func(r chat.Request) any { return r.Thinking.Budget == 64 }},
	} {
		var r chat.Request
		if _, err := decodePrediction(stackOf(t, predictionKey+c.key, c.value), &r); err != nil || c.want(r) != true {
			t.Errorf("%s %s: %v %+v", c.key, c.value, err, r.Sampling)
		}
	}
}
