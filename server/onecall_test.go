package server_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat"
)

// untaught is a model without a chat template, as it is prepared.
type untaught struct{ oneModel }

func (m untaught) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	loaded, release, err := m.oneModel.Acquire(ctx, name)
	loaded.OneCall, loaded.Teaching = true, chat.Teaching{}
	return loaded, release, err
}

// A model without a chat template makes one call a turn, unless its client asks for several, in
// each protocol's words.
func TestOneCall_unlessSeveralAreAskedFor(t *testing.T) {
	const (
		schema = `{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}`
		calls  = `{"tool": "get_weather", "arguments": {"city": "Oslo"}}` + "\n" + `{"tool": "get_weather", "arguments": {"city": "Rome"}}`
	)
	for _, c := range []struct{ path, body, several string }{
		{"/v1/chat/completions", hello + `,"tools":[{"type":"function","function":{"name":"get_weather","parameters":` + schema + `}}]`, `,"parallel_tool_calls":true`},
		{"/v1/responses", `{"model":"scripted","input":"hi","tools":[{"type":"function","name":"get_weather","parameters":` + schema + `}]`, `,"parallel_tool_calls":true`},
		{
			"/v1/messages", `{"model":"scripted","max_tokens":999,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"get_weather","input_schema":` + schema + `}]`,
			`,"tool_choice":{"type":"auto","disable_parallel_tool_use":false}`,
		},
	} {
		for asked, want := range map[string]int{"": 1, c.several: 2} {
			o := options(t)
			m := untaught{oneModel{enginetest.Script(enginetest.Say(calls))}}
			o.Service.Models, o.Models = m, m
			s := httptest.NewServer(conforms(t, server.New(o)))
			_, got := postTo(t, s, c.path, c.body+asked+"}")
			s.Close()
			if n := strings.Count(got, "Oslo") + strings.Count(got, "Rome"); n != want {
				t.Errorf("%s with %q: %d calls, want %d: %s", c.path, asked, n, want, got)
			}
		}
	}
}
