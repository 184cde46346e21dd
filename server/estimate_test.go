package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tenon/server"
	"tenon/server/chat"
)

// idle is a model that is there and not loaded.
type idle struct{ oneModel }

func (idle) Idle(name string) bool { return name == "scripted" }

// Issue 7: where no model is loaded, token counts are estimates and say so; the model is not
// loaded for them.
func TestCount_ofAModelThatIsNotLoadedIsAnEstimate(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{"/v1/messages/count_tokens", `{"model":"scripted","system":"Be brief.","messages":[{"role":"user","content":"What is the weather in Oslo?"}]}`},
		{"/v1/responses/input_tokens", `{"model":"scripted","instructions":"Be brief.","input":"What is the weather in Oslo?"}`},
	} {
		o := options(t)
		var exact, estimated struct {
			InputTokens int `json:"input_tokens"`
		}
		rec := askWith(t, server.New(o), c.path, c.body)
		if err := json.Unmarshal(rec.Body.Bytes(), &exact); err != nil || rec.Header().Get("X-Tenon-Estimate") != "" {
			t.Errorf("%s: %v %v", c.path, err, rec.Header())
		}
		o.Service = &chat.Service{Models: idle{o.Models.(oneModel)}}
		rec = askWith(t, server.New(o), c.path, c.body)
		if err := json.Unmarshal(rec.Body.Bytes(), &estimated); err != nil || rec.Header().Get("X-Tenon-Estimate") != "input_tokens" {
			t.Errorf("%s: %v %v", c.path, err, rec.Header())
		}
		// The scripted model has a token a byte, the estimate is by words.
		if estimated.InputTokens < 10 || estimated.InputTokens > exact.InputTokens/2 {
			t.Errorf("%s: about %d, exactly %d", c.path, estimated.InputTokens, exact.InputTokens)
		}
		rec = askWith(t, server.New(o), c.path, strings.Replace(c.body, "scripted", "other", 1))
		if rec.Code != 404 {
			t.Errorf("%s: an unknown model: %d %s", c.path, rec.Code, rec.Body)
		}
		o.Service.Default = "scripted"
		for _, name := range []string{"other", ""} {
			rec = askWith(t, server.New(o), c.path, strings.Replace(c.body, "scripted", name, 1))
			if rec.Header().Get("X-Tenon-Estimate") == "" {
				t.Errorf("%s: %q loads the default: %d %s", c.path, name, rec.Code, rec.Body)
			}
		}
	}
}

// A text that is one word takes a splitter of words time that grows with its square.
func TestCount_anEstimateOfHostileTextIsBounded(t *testing.T) {
	o := options(t)
	o.Service = &chat.Service{Models: idle{o.Models.(oneModel)}}
	rec := askWith(t, server.New(o), "/v1/responses/input_tokens", `{"model":"scripted","input":"`+strings.Repeat("a", 1<<20)+`"}`)
	var n struct {
		InputTokens int `json:"input_tokens"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &n); err != nil || n.InputTokens < 50_000 {
		t.Errorf("%v %s", err, rec.Body)
	}
}
