package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/grammar"
	"tenon/server/servertest/contract"
)

const weather = `,"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}}}]}`

func TestChat_aCallLeavesWholeAndStreamedAlike(t *testing.T) {
	reply := enginetest.Say(`Let me look.` + "\n" + `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`)
	s, _ := start(t, reply, reply)
	_, whole := post(t, s, hello+weather)
	var w struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content   string
				ToolCalls []struct {
					ID, Type string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(whole), &w); err != nil || len(w.Choices[0].Message.ToolCalls) != 1 {
		t.Fatalf("%v: %s", err, whole)
	}
	c := w.Choices[0]
	if call := c.Message.ToolCalls[0]; call.Function.Name != "get_weather" || call.Type != "function" || call.ID == "" ||
		strings.ReplaceAll(call.Function.Arguments, " ", "") != `{"city":"Oslo"}` {
		t.Errorf("call %+v", call)
	}
	if c.FinishReason != "tool_calls" || strings.TrimSpace(c.Message.Content) != "Let me look." {
		t.Errorf("finish %q, content %q", c.FinishReason, c.Message.Content)
	}
	_, stream := post(t, s, hello+`,"stream":true`+weather)
	for _, want := range []string{`"name":"get_weather","arguments":""`, `"finish_reason":"tool_calls"`} {
		if !strings.Contains(stream, want) {
			t.Errorf("the stream lacks %s:\n%s", want, stream)
		}
	}
	if got := streamedArguments(stream); got != c.Message.ToolCalls[0].Function.Arguments {
		t.Errorf("streamed arguments %s, whole %s", got, c.Message.ToolCalls[0].Function.Arguments)
	}
}

// streamedArguments joins the deltas of a stream's only call.
func streamedArguments(stream string) string {
	var all strings.Builder
	for _, chunk := range contract.Payloads(stream) {
		var c struct {
			Choices []struct {
				Delta struct {
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
			}
		}
		if json.Unmarshal([]byte(chunk), &c) != nil || len(c.Choices) == 0 {
			continue
		}
		for _, call := range c.Choices[0].Delta.ToolCalls {
			all.WriteString(call.Function.Arguments)
		}
	}
	return all.String()
}

func TestChat_whatTheMaskDoesNotEnforceIsInAHeader(t *testing.T) {
	s, _ := start(t, enginetest.Say("no"), enginetest.Say("no"))
	deep := strings.Repeat(`{"items":`, 300) + "{}" + strings.Repeat("}", 300)
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(a)\\1"}}}`: "1; f#/properties/a/pattern", deep: "1; f#/ uncallable",
	} {
		resp, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(hello+
			`,"tools":[{"type":"function","function":{"name":"f","parameters":`+schema+`}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got := resp.Header.Get("X-Tenon-Issues"); !strings.HasPrefix(got, want) || resp.StatusCode != http.StatusOK {
			t.Errorf("%d %q, want %q", resp.StatusCode, got, want)
		}
	}
}

func TestChat_contradictionsAreRefused(t *testing.T) {
	s, _ := start(t)
	for fields, want := range map[string]string{
		`,"tool_choice":"required"}`: "tool_choice",
		`,"tool_choice":{"type":"function","function":{"name":"other"}}` + weather:                            "tool_choice",
		`,"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"f"}}]}`: "tools[1]",
		`,"tool_format":"morse"}`:           "tool_format",
		`,"grammar":"root ::= ("}`:          "grammar",
		`,"grammar":"root ::= root \"a\""}`: "grammar",
	} {
		status, body := post(t, s, hello+fields)
		if status != http.StatusBadRequest || !strings.Contains(body, `"param":"`+want) {
			t.Errorf("%.300s: %d %s", fields, status, body)
		}
	}
}

func TestChat_aFunctionWithoutParametersTakesNone(t *testing.T) {
	s, e := start(t, enginetest.Say(`{"tool": "ping", "arguments": {}}`))
	if status, body := post(t, s, hello+`,"tools":[{"type":"function","function":{"name":"ping"}}]}`); status != http.StatusOK || !strings.Contains(body, `"arguments":"{}"`) {
		t.Errorf("%d %s", status, body)
	}
	if g := e.Turns()[0].Grammar; !strings.Contains(g, `"additionalProperties":false`) {
		t.Errorf("the grammar lets it have some:\n%s", g)
	}
}

// An engine that hastens the end to stay within the budget says length, though the call is whole.
func TestChat_aWholeCallWithTokensToSpareIsNotCutOff(t *testing.T) {
	reply := enginetest.Say(`{"tool": "get_weather", "arguments": {"city": "Oslo"}}`)
	reply.Reason = engine.Length
	s, _ := start(t, reply, reply)
	for budget, want := range map[string]string{"100": "tool_calls", "5": "length"} {
		if _, body := post(t, s, hello+`,"max_tokens":`+budget+weather); !strings.Contains(body, `"finish_reason":"`+want) {
			t.Errorf("budget %s: %s", budget, body)
		}
	}
}

// Issue 7: response_format beside tools: the turn ends in a valid call or a valid answer, and in
// nothing else.
func TestChat_anAnswersFormatBesideTools(t *testing.T) {
	const (
		answer = `{"celsius":3}`
		called = `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`
		format = `,"response_format":{"type":"json_schema","json_schema":{"name":"w","schema":{"type":"object","required":["celsius"],"properties":{"celsius":{"type":"integer"}},"additionalProperties":false}}}`
	)
	s, e := start(t, enginetest.Say(answer), enginetest.Say(called))
	if _, body := post(t, s, hello+format+weather); wholeContent(t, body) != answer {
		t.Errorf("%s", body)
	}
	if _, body := post(t, s, hello+format+weather); !strings.Contains(body, `"finish_reason":"tool_calls"`) {
		t.Errorf("%s", body)
	}
	g, err := grammar.Parse(e.Turns()[0].Grammar, grammar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for output, legal := range map[string]bool{answer: true, called: true, `{"celsius":"warm"}`: false, "It is warm.": false, `{"tool": "other"`: false} {
		if err := g.Parser().Feed([]byte(output)); (err == nil) != legal {
			t.Errorf("%s: %v", output, err)
		}
	}
}
