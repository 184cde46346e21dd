package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/servertest"
)

// hopeless is what models write that never make a valid call of the tool pair, however often they
// are asked: arguments that do not fit, tools that there are not, calls that end nowhere.
var hopeless = []string{
	`{"tool": "pair", "arguments": {"code": "ab"}}`,
	`{"tool": "pair", "arguments": {}}`,
	`{"tool": "pair", "arguments": {"code": "aa", "more": 1}}`,
	`{"tool": "nope", "arguments": {"code": "aa"}}`,
	`{"tool": "pair", "arguments": {"code": "a`,
	`{"tool": "pair", "arguments": `,
	`I look. {"tool": "pair", "arguments": {"code": 5}}`,
	`{"tool": "pair"`,
	`<tool_call>{"name": }</tool_call>`,
}

// S3-17: where no valid call comes of a turn, its user gets a text, with the reason of an ordinary
// end, by every route. No mask decides the pattern of the argument, and this engine has none.
func TestHopeless_everyRouteAnswersWithText(t *testing.T) {
	const schema = `{"type":"object","properties":{"code":{"type":"string","pattern":"^(a|b)\\1$"}},"required":["code"],"additionalProperties":false}`
	chatTools := `,"tools":[{"type":"function","function":{"name":"pair","parameters":` + schema + `}}]`
	chat := `{"model":"m","messages":[{"role":"user","content":%s}]` + chatTools
	for _, can := range []engine.Can{engine.Everything, enginetest.Unmasked} {
		f, o := servertest.Fleet(map[string]engine.Engine{"m": servertest.Obedient(engine.Model{Context: 1 << 16, Slots: 2, Can: can})})
		t.Cleanup(func() { _ = f.Close() })
		s := httptest.NewServer(server.New(o))
		t.Cleanup(s.Close)
		for i, says := range hopeless {
			if can == engine.Everything && i > 0 {
				break // an engine with a mask writes the first alone
			}
			for n, c := range []struct{ path, body, reason, call string }{
				{"/v1/chat/completions", chat, `"finish_reason":"stop"`, `"tool_calls":[`},
				{"/api/v0/chat/completions", chat, `"finish_reason":"stop"`, `"tool_calls":[`},
				{"/v1/responses", `{"model":"m","input":%s,"tools":[{"type":"function","name":"pair","parameters":` + schema + `}]`, `"status":"completed"`, `"type":"function_call"`},
				{"/v1/messages", `{"model":"m","max_tokens":500,"messages":[{"role":"user","content":%s}],"tools":[{"name":"pair","input_schema":` + schema + `}]`, `"stop_reason":"end_turn"`, `"type":"tool_use"`},
			} {
				for _, stream := range []string{"}", `,"stream":true}`} {
					// texts always marshal
					order, _ := json.Marshal(fmt.Sprintf("[[h%dx%dx%d]]%s[[/]]", i, n, len(stream), says))
					status, got := postTo(t, s, c.path, fmt.Sprintf(c.body, order)+stream)
					if status != http.StatusOK || !strings.Contains(got, c.reason) || strings.Contains(got, c.call) || strings.Contains(got, `"error":{`) || stream == "}" && strings.Contains(got, `"content":null`) {
						t.Errorf("mask %v, %s%s, %s: %d %s", can.Mask, c.path, stream, says, status, got)
					}
					if c.path == "/api/v0/chat/completions" && stream == "}" && !strings.Contains(got, `"stop_reason":"eosFound"`) {
						t.Errorf("%s: %s", says, got)
					}
				}
			}
			order, _ := json.Marshal(fmt.Sprintf("[[s%d]]%s[[/]]", i, says))
			got := lastOf(t, s, "llm", "any", "channel", "predict", fmt.Sprintf(`{"modelSpecifier":{"type":"query","query":{"identifier":"m"}},
				"history":{"messages":[{"role":"user","content":[{"type":"text","text":%s}]}]},"predictionConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[
				{"key":"llm.prediction.tools","value":{"type":"toolArray","tools":[{"type":"function","function":{"name":"pair","parameters":%s}}]}}]}}]}}`, order, schema))
			if !strings.Contains(got, `"stopReason":"eosFound"`) || strings.Contains(got, "toolCallGenerationEnd") || strings.Contains(got, "Failed") || !strings.Contains(got, `"type":"fragment"`) {
				t.Errorf("mask %v, socket, %s: %s", can.Mask, says, got)
			}
		}
	}
}

// S3-17: a tool that the server executes and that fails is told to the model, and the user of
// LM Studio's own chat gets its answer.
func TestHopeless_aToolThatFailsEndsInText(t *testing.T) {
	s, _, _ := studio(t, func(o *server.Options) {
		o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{failing{notebook{}}}})
	})
	const call = `{\"tool\": \"lookup\", \"arguments\": {\"q\": \"Oslo\"}}`
	status, out := askStudio(t, s, "POST", "/api/v1/chat", `{"model":"m","integrations":["mcp/notes"],"input":"[[f]]`+call+`[[|]]`+call+`[[|]]I cannot look it up.[[/]]"}`)
	output, _ := out["output"].([]any)
	if last := len(output) - 1; status != http.StatusOK || last < 1 || at(out, "output", last, "type") != "message" || at(out, "output", last, "content") != "I cannot look it up." || at(out, "response_id") == nil {
		t.Errorf("%d %v", status, out)
	}
}

// failing has tools none of which works.
type failing struct{ agent.Source }

func (f failing) Tools(ctx context.Context) ([]agent.Tool, error) {
	all, err := f.Source.Tools(ctx)
	for i := range all {
		all[i].Execute = func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
			return agent.Result{}, errors.New("the library is closed")
		}
	}
	return all, err
}
