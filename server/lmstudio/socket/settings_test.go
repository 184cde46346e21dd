package socket

import (
	"encoding/json"
	"testing"

	"tenon/server/chat"
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
