package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat/loader"
	"tenon/server/servertest"
)

// studio is a server with a fleet: the chat model "m", which does as its prompt says, and nothing
// loaded.
func studio(t *testing.T, change ...func(*server.Options)) (*httptest.Server, *enginetest.Scripted, *fleet.Fleet) {
	t.Helper()
	e := servertest.Obedient(engine.Model{Context: 1 << 16, Slots: 2})
	f, o := servertest.Fleet(map[string]engine.Engine{"m": e})
	t.Cleanup(func() { _ = f.Close() })
	for _, c := range change {
		c(&o)
	}
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	return s, e, f
}

// ask answers a request as decoded JSON.
func askStudio(t *testing.T, s *httptest.Server, method, path, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, b)
	}
	return resp.StatusCode, out
}

// at walks into decoded JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			a, _ := v.([]any)
			if p >= len(a) {
				return nil
			}
			v = a[p]
		}
	}
	return v
}

func membersOf(v any) []string {
	var out []string
	m, _ := v.(map[string]any)
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// The members of each answer are those of LM Studio's documentation.
func TestStudio_modelsFieldByField(t *testing.T) {
	s, _, _ := studio(t)
	status, v1 := askStudio(t, s, "GET", "/api/v1/models", "")
	want := []string{
		"architecture", "capabilities", "description", "display_name", "format", "key", "loaded_instances", "max_context_length", "params_string", "publisher", "quantization", "size_bytes", "type",
	}
	if diff := cmp.Diff(want, membersOf(at(v1, "models", 0))); diff != "" || status != 200 || at(v1, "models", 0, "capabilities", "trained_for_tool_use") != true {
		t.Errorf("%d %s", status, diff)
	}
	_, v0 := askStudio(t, s, "GET", "/api/v0/models", "")
	// The documentation shows loaded_context_length for loaded models only. Zed takes the
	// longest window where it is missing.
	want = []string{"arch", "capabilities", "compatibility_type", "id", "loaded_context_length", "max_context_length", "object", "publisher", "quantization", "state", "type"}
	if diff := cmp.Diff(want, membersOf(at(v0, "data", 0))); diff != "" || at(v0, "data", 0, "state") != "not-loaded" || at(v0, "data", 0, "type") != "llm" {
		t.Error(diff, v0)
	}
	status, loaded := askStudio(t, s, "POST", "/api/v1/models/load", `{"model":"m","context_length":4096,"echo_load_config":true}`)
	if status != 200 || loaded["status"] != "loaded" || loaded["instance_id"] != "m" || at(loaded, "load_config", "context_length") == nil {
		t.Errorf("%d %v", status, loaded)
	}
	_, v1 = askStudio(t, s, "GET", "/api/v1/models", "")
	if at(v1, "models", 0, "loaded_instances", 0, "id") != "m" || at(v1, "models", 0, "loaded_instances", 0, "config", "context_length") == nil {
		t.Errorf("%v", v1)
	}
	if _, one := askStudio(t, s, "GET", "/api/v0/models/m", ""); one["state"] != "loaded" || one["loaded_context_length"] == nil {
		t.Errorf("%v", one)
	}
	if status, out := askStudio(t, s, "POST", "/api/v1/models/unload", `{"instance_id":"m"}`); status != 200 || out["instance_id"] != "m" {
		t.Errorf("%d %v", status, out)
	}
}

// S3-12: v0 answers as OpenAI does, with statistics beside.
func TestStudio_v0TellsStatistics(t *testing.T) {
	s, _, _ := studio(t)
	_, out := askStudio(t, s, "POST", "/api/v0/chat/completions", `{"model":"m","messages":[{"role":"user","content":"[[a]]hello[[/]]"}]}`)
	if at(out, "choices", 0, "message", "content") != "hello" || at(out, "stats", "stop_reason") != "eosFound" || at(out, "model_info", "arch") != "llama" || at(out, "runtime", "name") == nil {
		t.Errorf("%v", out)
	}
	if diff := cmp.Diff([]string{"generation_time", "stop_reason", "time_to_first_token", "tokens_per_second"}, membersOf(out["stats"])); diff != "" {
		t.Error(diff)
	}
	_, out = askStudio(t, s, "POST", "/api/v0/completions", `{"model":"m","prompt":"[[b]]on[[/]]"}`)
	if at(out, "choices", 0, "text") != "on" || at(out, "stats", "stop_reason") == nil {
		t.Errorf("%v", out)
	}
	if _, plain := askStudio(t, s, "POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`); plain["stats"] != nil {
		t.Error("/v1 tells statistics that its protocol has not")
	}
}

// A chat is kept and gone on with, by whoever holds its id.
func TestStudio_chatIsStateful(t *testing.T) {
	s, e, _ := studio(t)
	_, first := askStudio(t, s, "POST", "/api/v1/chat", `{"model":"m","input":"[[a]]<think>why</think>hello[[/]]","system_prompt":"Be brief."}`)
	if diff := cmp.Diff([]any{
		map[string]any{"type": "reasoning", "content": "why"}, map[string]any{"type": "message", "content": "hello"},
	}, first["output"]); diff != "" {
		t.Error(diff)
	}
	id, _ := first["response_id"].(string)
	if !regexp.MustCompile(`^resp_[0-9a-f]{48}$`).MatchString(id) || at(first, "stats", "total_output_tokens") == nil || first["model_instance_id"] != "m" {
		t.Errorf("%v", first)
	}
	_, second := askStudio(t, s, "POST", "/api/v1/chat", `{"model":"m","input":[{"type":"text","content":"[[b]]again[[/]]"}],"previous_response_id":"`+id+`","store":false}`)
	prompt := e.Turns()[1].Prompt.String()
	if second["response_id"] != nil || !strings.Contains(prompt, "Be brief.") || !strings.Contains(prompt, "hello") {
		t.Errorf("%v\n%s", second, prompt)
	}
}

// Issue 23: the default model answers here under any name, and under none.
func TestStudio_defaultModelServesEveryName(t *testing.T) {
	s, _, _ := studio(t, func(o *server.Options) { o.Service.Default = "m" })
	for _, name := range []string{`"model":"gpt-9",`, ""} {
		status, out := askStudio(t, s, "POST", "/api/v1/chat", `{`+name+`"input":"[[a]]hello[[/]]"}`)
		if status != http.StatusOK || out["model_instance_id"] != "m" || at(out, "output", 0, "content") != "hello" {
			t.Errorf("%s: %d %v", name, status, out)
		}
	}
	_, out := askStudio(t, s, "POST", "/api/v0/chat/completions", `{"model":"gpt-9","messages":[{"role":"user","content":"[[a]]hello[[/]]"}]}`)
	if at(out, "model_info", "arch") != "llama" {
		t.Errorf("%v", out)
	}
}

// The events come in the documented order, and the last holds the whole answer.
func TestStudio_chatStreamsNamedEvents(t *testing.T) {
	s, _, _ := studio(t)
	resp, err := http.Post(s.URL+"/api/v1/chat", "application/json", strings.NewReader(`{"model":"m","stream":true,"input":"[[a]]<think>w</think>hello[[/]]"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^event: (.*)\ndata: \{.*"type":"([^"]+)"`).FindAllStringSubmatch(string(b), -1) {
		if len(names) == 0 || names[len(names)-1] != m[1] {
			names = append(names, m[1])
		}
	}
	want := []string{
		"chat.start", "model_load.start", "model_load.progress", "model_load.end", "prompt_processing.start", "prompt_processing.end",
		"reasoning.start", "reasoning.delta", "reasoning.end", "message.start", "message.delta", "message.end", "chat.end",
	}
	if diff := cmp.Diff(want, names); diff != "" || !strings.Contains(string(b), `"output":[{"type":"reasoning","content":"w"},{"type":"message","content":"hello"}]`) {
		t.Errorf("%s\n%s", diff, b)
	}
}

// A chat that fails is not kept: there is nothing to go on from.
func TestStudio_chatsThatFailAreNotKept(t *testing.T) {
	s, _ := keyed(t)
	_, stream := postTo(t, s, "/api/v1/chat", `{"model":"m","stream":true,"input":"`+strings.Repeat("word ", 4096)+`"}`)
	if !strings.Contains(stream, "event: error\n") || !strings.Contains(stream, "event: chat.end\n") || strings.Contains(stream, "response_id") {
		t.Error(stream)
	}
	if _, stream = postTo(t, s, "/api/v1/chat", `{"model":"m","stream":true,"input":"hi"}`); !strings.Contains(stream, `"response_id":"resp_`) {
		t.Error(stream)
	}
}

// S3-23: sixteen calls at once, without an error.
func TestStudio_sixteenCallsAtOnce(t *testing.T) {
	s, _, _ := studio(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			status, out := postTo(t, s, "/api/v0/chat/completions", fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"[[n%d]]{\"tool\": \"w\", \"arguments\": {\"c\": \"%d\"}}[[/]]"}],
				"tools":[{"type":"function","function":{"name":"w","parameters":{"type":"object","properties":{"c":{"type":"string"}},"required":["c"]}}}]}`, i, i))
			if status != 200 || !strings.Contains(out, `"finish_reason":"tool_calls"`) || !strings.Contains(strings.ReplaceAll(out, " ", ""), fmt.Sprintf(`{\"c\":\"%d\"}`, i)) {
				t.Errorf("%d: %d %s", i, status, out)
			}
		})
	}
	all.Wait()
}

// A chat that goes on with another system prompt has that one alone.
func TestStudio_systemPromptIsReplaced(t *testing.T) {
	s, e, _ := studio(t)
	_, first := askStudio(t, s, "POST", "/api/v1/chat", `{"model":"m","input":"[[a]]hello[[/]]","system_prompt":"First."}`)
	id, _ := first["response_id"].(string)
	_, _ = askStudio(t, s, "POST", "/api/v1/chat", `{"model":"m","input":"[[b]]again[[/]]","system_prompt":"Second.","previous_response_id":"`+id+`"}`)
	all := e.Turns()
	if prompt := all[len(all)-1].Prompt.String(); strings.Contains(prompt, "First.") || strings.Count(prompt, "Second.") != 1 {
		t.Error(prompt)
	}
}

// Errors have LM Studio's shape and name their field; unknown routes are 404.
func TestStudio_errors(t *testing.T) {
	s, _, _ := studio(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		kind, param        string
	}{
		{"POST", "/api/v1/chat", `{"model":"m"}`, 400, "invalid_request", "input"},
		{"POST", "/api/v1/chat", `{"input":"x"}`, 400, "invalid_request", "model"},
		{"POST", "/api/v1/chat", `{"model":"m","input":"x","stop":["a"]}`, 400, "invalid_request", "stop"},
		{"POST", "/api/v1/chat", `{"model":"m","input":"x","integrations":["mcp/x"]}`, 400, "not_implemented", "integrations[0]"},
		{"POST", "/api/v1/chat", `{"model":"m","input":[{"type":"image","data_url":"data:"}]}`, 400, "not_implemented", "input[0].type"},
		{"POST", "/api/v1/chat", `{"model":"m","input":"x","temperature":7}`, 400, "invalid_request", "temperature"},
		{"POST", "/api/v1/chat", `{"model":"nope","input":"x"}`, 404, "model_not_found", "model"},
		{"POST", "/api/v1/chat", `{"model":"m","input":"x","previous_response_id":"resp_0"}`, 400, "invalid_request", "previous_response_id"},
		{"POST", "/api/v1/models/load", `{}`, 400, "invalid_request", "model"},
		{"POST", "/api/v1/models/load", `{"model":"m","context_length":-1}`, 400, "invalid_request", "context_length"},
		{"POST", "/api/v1/models/load", `{"model":"m","parallel":-1}`, 400, "invalid_request", "parallel"},
		{"POST", "/api/v1/models/load", `{"model":"m","eval_batch_size":-1}`, 400, "invalid_request", "eval_batch_size"},
		{"POST", "/api/v1/models/load", `{"model":"m","ttl":-5}`, 400, "invalid_request", "ttl"},
		{"POST", "/api/v1/models/load", `{"model":"m","ttl":99999999999}`, 400, "invalid_request", "ttl"},
		{"POST", "/api/v1/models/unload", `{"instance_id":"nope"}`, 404, "model_not_found", "instance_id"},
		{"POST", "/api/v1/models/download", `{"model":"a/b"}`, 400, "not_implemented", ""},
		{"GET", "/api/v1/models/download/status/job_0", ``, 404, "job_not_found", "job_id"},
		{"GET", "/api/v1/nothing", ``, 404, "invalid_request", ""},
	} {
		status, out := askStudio(t, s, c.method, c.path, c.body)
		param, _ := at(out, "error", "param").(string)
		if status != c.status || at(out, "error", "type") != c.kind || param != c.param || at(out, "error", "message") == "" {
			t.Errorf("%s %s: %d %v", c.path, c.body, status, out)
		}
	}
}

// S3-7: a history of the SDK's form, with calls and results, makes the same prompt as the same
// history in Chat Completions.
func TestStudio_historyIsThatOfChat(t *testing.T) {
	s, e, f := studio(t)
	if _, err := f.Load(t.Context(), fleet.Request{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	const tool = `{"type":"function","function":{"name":"w","parameters":{"type":"object","properties":{"c":{"type":"string"}},"required":["c"]}}}`
	askStudio(t, s, "POST", "/v1/chat/completions", `{"model":"m","tools":[`+tool+`],"messages":[{"role":"user","content":"Weather?"},
		{"role":"assistant","content":"I look.","tool_calls":[{"id":"1","type":"function","function":{"name":"w","arguments":"{\"c\":\"Oslo\"}"}},{"id":"2","type":"function","function":{"name":"w","arguments":"{\"c\":\"Rome\"}"}}]},
		{"role":"tool","tool_call_id":"1","content":"\"cold\""},{"role":"tool","tool_call_id":"2","content":"\"warm\""}]}`)
	ws, _, err := websocket.Dial(context.Background(), s.URL+"/llm", nil) //nolint:bodyclose // as above
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	for _, frame := range []string{
		`{"authVersion":1,"clientIdentifier":"a","clientPasskey":"b"}`,
		`{"type":"channelCreate","endpoint":"predict","channelId":0,"creationParameter":{"modelSpecifier":{"type":"query","query":{}},"predictionConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[
			{"key":"llm.prediction.tools","value":{"type":"toolArray","tools":[` + tool + `]}}]}}]},"history":{"messages":[{"role":"user","content":[{"type":"text","text":"Weather?"}]},
			{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"toolCallRequest","toolCallRequest":{"id":"1","type":"function","name":"w","arguments":{"c":"Oslo"}}},{"type":"toolCallRequest","toolCallRequest":{"id":"2","type":"function","name":"w","arguments":{"c":"Rome"}}}]},
			{"role":"tool","content":[{"type":"toolCallResult","content":"\"cold\"","toolCallId":"1"},{"type":"toolCallResult","content":"\"warm\"","toolCallId":"2"}]}]}}}`,
	} {
		if err := ws.Write(context.Background(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
	for b := []byte{}; !strings.Contains(string(b), "channelClose"); {
		if _, b, err = ws.Read(context.Background()); err != nil || strings.Contains(string(b), "channelError") {
			t.Fatalf("%s %v", b, err)
		}
	}
	turns := e.Turns()
	if diff := cmp.Diff(turns[0].Prompt.String(), turns[1].Prompt.String()); diff != "" {
		t.Error(diff)
	}
}

// A chat's reasoning must be one that the list of models offers; what a model cannot is refused
// before the stream begins.
func TestStudio_chatAsksForReasoningThatTheModelCan(t *testing.T) {
	for _, c := range []struct {
		traits loader.Traits
		can    string // of the options, as the list gives them
	}{
		{loader.Traits{Thinks: true, Efforts: []string{"low", "high"}}, "off on low high"}, {loader.Traits{Thinks: true}, "off on"}, {loader.Traits{}, "off"},
	} {
		s, _, _ := studio(t, func(o *server.Options) { o.Traits = func(catalog.Entry) loader.Traits { return c.traits } })
		_, list := askStudio(t, s, "GET", "/api/v1/models", "")
		if all := at(list, "models", 0, "capabilities", "reasoning", "allowed_options"); c.traits.Thinks && fmt.Sprint(all) != "["+c.can+"]" {
			t.Errorf("%+v: the list says %v", c.traits, all)
		}
		for _, r := range []string{"off", "on", "low", "medium", "high", "enormous"} {
			status, out := askStudio(t, s, "POST", "/api/v1/chat", `{"model":"m","stream":false,"input":"[[a]]x[[/]]","reasoning":"`+r+`"}`)
			if may := slices.Contains(strings.Fields(c.can), r); may != (status == 200) || !may && at(out, "error", "param") != "reasoning" {
				t.Errorf("%+v: %s: %d %v", c.traits, r, status, out)
			}
		}
	}
}
