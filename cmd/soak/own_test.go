package soak

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

func TestSlope_isTheGrowthInATurn(t *testing.T) {
	flat, grows := []sample{}, []sample{}
	for i := range 10 {
		flat = append(flat, sample{float64(100 * i), map[string]float64{"m": 5 + float64(i%2)}})
		grows = append(grows, sample{float64(100 * i), map[string]float64{"m": 7 + 2*float64(100*i)}})
	}
	if got := slope(grows, metric("m")); got < 1.999 || got > 2.001 {
		t.Errorf("%v", got)
	}
	if got := slope(flat, metric("m")); got < -.01 || got > .01 {
		t.Errorf("%v", got)
	}
}

func TestTurns_areJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		if next := nextTurn(r, "resp_1"); !json.Valid([]byte(next.body)) {
			t.Errorf("%s: %s", next.path, next.body)
		}
	}
}

func TestBadCall_tellsWhatDoesNotFit(t *testing.T) {
	for body, good := range map[string]bool{
		`{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{\"days\":3}"}}]}}]}`: true,
		`{"content":[{"type":"tool_use","name":"f","input":{"days":9}}]}`:                                 true,
		`{"output":[{"type":"function_call","name":"f","arguments":"{\"days\":10}"}]}`:                    false,
		`{"output":[{"type":"function_call","name":"g","arguments":"{\"days\":1}"}]}`:                     false,
		`{"output":[],"tools":[{"name":"f","input":1}]}`:                                                  false,
		`{"output":[{"type":"function_call","name":"f","arguments":"{"}]}`:                                false,
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if why := badCall(v); (why == "") != good {
			t.Errorf("%s: %q", body, why)
		}
	}
}
