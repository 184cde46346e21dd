package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest/contract"
)

const olderWeather = `,"functions":[{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}]`

// Issue 7: the older form of tools is honoured, and answered in the older form.
func TestFunctions_areCalledInTheOlderForm(t *testing.T) {
	reply := enginetest.Say(cleanCall)
	h := server.New(options(t, reply, reply))
	var whole struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				FunctionCall struct{ Name, Arguments string } `json:"function_call"`
				ToolCalls    []any                            `json:"tool_calls"`
			}
		}
	}
	body := askWith(t, h, "/v1/chat/completions", hello+olderWeather+`}`).Body.Bytes()
	if err := json.Unmarshal(body, &whole); err != nil || len(whole.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	c := whole.Choices[0]
	if c.FinishReason != "function_call" || c.Message.FunctionCall.Name != "get_weather" || !json.Valid([]byte(c.Message.FunctionCall.Arguments)) || c.Message.ToolCalls != nil {
		t.Errorf("%s", body)
	}
	var name, arguments string
	stream := askWith(t, h, "/v1/chat/completions", hello+olderWeather+`,"stream":true}`).Body.String()
	for _, d := range contract.Payloads(stream) {
		var chunk struct {
			Choices []struct {
				Delta struct {
					FunctionCall struct{ Name, Arguments string } `json:"function_call"`
				}
			}
		}
		if err := json.Unmarshal([]byte(d), &chunk); err != nil {
			t.Fatalf("%v: %s", err, d)
		}
		for _, c := range chunk.Choices {
			name += c.Delta.FunctionCall.Name
			arguments += c.Delta.FunctionCall.Arguments
		}
	}
	if name != "get_weather" || arguments != c.Message.FunctionCall.Arguments || strings.Contains(stream, "tool_calls") {
		t.Errorf("name %q, arguments %q:\n%s", name, arguments, stream)
	}
}

func TestFunctions_choiceAndHistory(t *testing.T) {
	o := options(t, enginetest.Say("fine"), enginetest.Say("fine"))
	h := server.New(o)
	rec := askWith(t, h, "/v1/chat/completions", `{"model":"scripted","messages":[{"role":"user","content":"hi"},
		{"role":"assistant","content":null,"function_call":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}},
		{"role":"function","name":"get_weather","content":"rain"}]`+olderWeather+`,"function_call":"none"}`)
	if rec.Code != 200 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	prompt := o.Models.(oneModel).engine.Turns()[0].Prompt.String()
	for _, want := range []string{"Oslo", "rain"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	rec = askWith(t, h, "/v1/chat/completions", hello+olderWeather+weather)
	if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"param":"functions"`) {
		t.Errorf("both forms at once: %d %s", rec.Code, rec.Body)
	}
}

// What was not cached is evaluated: a request that wants no cached prompt shares its state with
// nobody.
func TestCachePrompt_falseSharesNothing(t *testing.T) {
	o := options(t, enginetest.Say("a"), enginetest.Say("b"), enginetest.Say("c"))
	h := server.New(o)
	for _, field := range []string{``, `,"cache_prompt":false`, `,"cache_prompt":false`} {
		askWith(t, h, "/v1/chat/completions", hello+field+`}`)
	}
	turns := o.Models.(oneModel).engine.Turns()
	if turns[0].CacheKey != "" || turns[1].CacheKey == "" || turns[1].CacheKey == turns[2].CacheKey {
		t.Errorf("keys %q %q %q", turns[0].CacheKey, turns[1].CacheKey, turns[2].CacheKey)
	}
	if turns[0].Forget || !turns[1].Forget || !turns[2].Forget {
		t.Error("the engine is not told to forget them")
	}
}
