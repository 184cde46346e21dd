package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/chat"
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
	// The documentation shows loaded_context_length for loaded models only. Zed takes the longest
	// window where it is missing.
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

// Sockets take the key in their first frame, in either form, or in the header; greetings take
// none.
func TestStudio_socketsAskForTheKey(t *testing.T) {
	const token = "sk-lm-abcdefgh:01234567890123456789"
	var all []server.Key
	for _, text := range []string{token, "plain-key-0123456789"} {
		k, err := server.NewKey(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	s, _, _ := studio(t, func(o *server.Options) { o.Keys = all })
	if status, out := askStudio(t, s, "GET", "/lmstudio-greeting", ""); status != 200 || out["lmstudio"] != true {
		t.Errorf("greeting: %d %v", status, out)
	}
	for _, c := range []struct {
		identifier, passkey, header string
		ok                          bool
	}{
		{"abcdefgh", "01234567890123456789", "", true}, {"guest", "plain-key-0123456789", "", true}, {"guest", "any", "Bearer " + token, true},
		{"guest", "any", "", false}, {"abcdefgh", "wrong", "", false},
	} {
		ws, _, err := websocket.Dial(context.Background(), s.URL+"/llm", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {c.header}}}) //nolint:bodyclose // the socket takes the body over
		if err != nil {
			t.Fatal(err)
		}
		_ = ws.Write(context.Background(), websocket.MessageText, []byte(`{"authVersion":1,"clientIdentifier":"`+c.identifier+`","clientPasskey":"`+c.passkey+`"}`))
		_, b, err := ws.Read(context.Background())
		if err != nil || strings.Contains(string(b), `"success":true`) != c.ok {
			t.Errorf("%+v: %s %v", c, b, err)
		}
		_ = ws.CloseNow()
	}
}

// A web page of another site opens no socket, unless it is listed.
func TestStudio_socketsOfOtherPagesAreRefused(t *testing.T) {
	s, _, _ := studio(t, func(o *server.Options) { o.CORSOrigins = []string{"https://app.example"} })
	for origin, may := range map[string]bool{"": true, "https://app.example": true, s.URL: true, "https://evil.example": false, "null": false} {
		ws, resp, err := websocket.Dial(t.Context(), s.URL+"/llm", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}}) //nolint:bodyclose // the socket takes the body over
		if (err == nil) != may || !may && resp.StatusCode != http.StatusForbidden {
			t.Errorf("%q: %v", origin, err)
		}
		if err == nil {
			_ = ws.CloseNow()
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

// S3-6: of layers that differ the last wins, and the record of the request shows what is in force,
// with the keys that say nothing here.
func TestStudio_theRecordShowsTheMergeOfLayers(t *testing.T) {
	var log lockedBuffer
	s, _, f := studio(t, func(o *server.Options) {
		o.DebugRequests, o.Log = 5, slog.New(slog.NewTextHandler(&log, nil))
	})
	if _, err := f.Load(t.Context(), fleet.Request{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.Dial(t.Context(), s.URL+"/llm", nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	layer := func(name, fields string) string {
		return `{"layerName":"` + name + `","config":{"fields":[` + fields + `]}}`
	}
	for _, frame := range []string{
		`{"authVersion":1,"clientIdentifier":"a","clientPasskey":"b"}`,
		`{"type":"channelCreate","endpoint":"predict","channelId":0,"creationParameter":{"modelSpecifier":{"type":"query","query":{}},"history":{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]},"predictionConfigStack":{"layers":[` +
			layer("modelDefault", `{"key":"llm.prediction.temperature","value":0.9},{"key":"llm.prediction.topKSampling","value":7}`) + "," +
			layer("apiOverride", `{"key":"llm.prediction.temperature","value":0.25},{"key":"ext.unknown","value":1}`) + `]}}}`,
	} {
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
	for b := []byte{}; !strings.Contains(string(b), "channelClose"); {
		if _, b, err = ws.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	id := regexp.MustCompile(`id=(req_\w+) method=WS`).FindStringSubmatch(log.String())
	if id == nil {
		t.Fatal(log.String())
	}
	_, record := askStudio(t, s, "GET", "/debug/requests/"+id[1], "")
	if at(record, "turns", 0, "sampling", "Temperature") != "0.25" || at(record, "turns", 0, "sampling", "TopK") != "7" || at(record, "turns", 0, "request", "ignored", 0) != "ext.unknown" {
		t.Errorf("%v, %v", at(record, "turns", 0, "sampling"), at(record, "turns", 0, "request", "ignored"))
	}
}

// lockedBuffer is a log that is written and read by different goroutines.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A chat's reasoning must be one that the list of models offers; what a model cannot is refused
// before the stream begins.
func TestStudio_chatAsksForReasoningThatTheModelCan(t *testing.T) {
	for _, c := range []struct {
		traits chat.Traits
		can    string // of the options, as the list gives them
	}{
		{chat.Traits{Thinks: true, Efforts: []string{"low", "high"}}, "off on low high"}, {chat.Traits{Thinks: true}, "off on"}, {chat.Traits{}, "off"},
	} {
		s, _, _ := studio(t, func(o *server.Options) { o.Traits = func(catalog.Entry) chat.Traits { return c.traits } })
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

// While a model loads, a prompt is read, or the next word is slow, heartbeats are events of the
// part that is open, in the documented order; and the first event names what will answer.
func TestStudio_chatsHeartbeatsKeepTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := enginetest.Say("ab")
		reply.Hold = make(chan struct{})
		loads := make(chan struct{})
		f, o := servertest.Fleet(map[string]engine.Engine{"some-model": enginetest.Script(reply)}, func(o *fleet.Options) {
			start := o.Start
			o.Start = func(ctx context.Context, e catalog.Entry, g fleet.Grant, progress func(float64)) (engine.Engine, error) {
				progress(0.25)
				<-loads
				return start(ctx, e, g, progress)
			}
		})
		o.Heartbeat = time.Second
		rec := serveFor(t, o, "/api/v1/chat", `{"model":"some","input":"hi","stream":true}`, func() {
			for _, step := range []chan struct{}{loads, reply.Hold, reply.Hold} {
				<-time.After(2*time.Second + time.Millisecond) // the bubble's clock, not the machine's
				step <- struct{}{}
			}
		})
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^event: (.*)\ndata: (.*)$`).FindAllStringSubmatch(rec.Body.String(), -1) {
			if got = append(got, m[1]); strings.Contains(m[2], "model_instance_id") && !strings.Contains(m[2], `"model_instance_id":"some-model"`) {
				t.Error(m[0])
			}
		}
		beats := func(part string, n int) (all []string) { return slices.Repeat([]string{part}, n) }
		if said := strings.Join(slices.Compact(slices.Clone(got)), " "); said != "chat.start model_load.start model_load.progress model_load.end prompt_processing.start prompt_processing.progress prompt_processing.end message.start message.delta message.end chat.end" {
			t.Error(said)
		}
		for _, part := range []string{"model_load.progress", "prompt_processing.progress", "message.delta"} {
			if all := strings.Join(got, " "); !strings.Contains(all, strings.Join(beats(part, 2), " ")) {
				t.Errorf("no heartbeats of %s in %s", part, all)
			}
		}
		_ = f.Close() // scripted engines close well
	})
}

// The integrations of the REST API: calls and their results come as LM Studio's, streamed as
// whole, and the chat that is kept goes on from them.
func TestStudio_integrations(t *testing.T) {
	const orders = `[[s%d]]Looking. {\"tool\": \"lookup\", \"arguments\": {\"q\": \"Oslo\"}}[[|]]It rains in Oslo.[[/]]`
	s, _, _ := studio(t, func(o *server.Options) {
		o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{notebook{}}, Connector: connector(func(chat.HostedTools) {})})
	})
	for i, c := range []struct{ integration, provider string }{
		{`"mcp/notes"`, `{"plugin_id":"mcp/notes","type":"plugin"}`},
		{`{"type":"plugin","id":"mcp/notes","allowed_tools":["lookup"]}`, `{"plugin_id":"mcp/notes","type":"plugin"}`},
		{`{"type":"ephemeral_mcp","server_label":"mine","server_url":"http://127.0.0.1:1/mcp","headers":{"X":"y"}}`, `{"server_label":"mine","type":"ephemeral_mcp"}`},
	} {
		body := `{"model":"m","integrations":[` + c.integration + `],"input":"` + fmt.Sprintf(orders, i) + `"`
		status, whole := askStudio(t, s, "POST", "/api/v1/chat", body+"}")
		output, _ := whole["output"].([]any)
		if status != 200 || len(output) != 3 {
			t.Fatalf("%s: %d %v", c.integration, status, whole)
		}
		call, _ := output[1].(map[string]any)
		provider, _ := json.Marshal(call["provider_info"])
		if call["type"] != "tool_call" || call["tool"] != "lookup" || call["output"] != `[{"text":"It rains.","type":"text"}]` || string(provider) != c.provider {
			t.Errorf("%s: %v", c.integration, call)
		}
		_, stream := postTo(t, s, "/api/v1/chat", strings.Replace(body, fmt.Sprintf("[[s%d]]", i), fmt.Sprintf("[[t%d]]", i), 1)+`,"stream":true}`)
		at := 0
		for _, event := range []string{"chat.start", "prompt_processing.end", "message.start", "message.end", "tool_call.start", "tool_call.arguments", "tool_call.success", "message.start", "message.end", "chat.end"} {
			next := strings.Index(stream[at:], "event: "+event+"\n")
			if next < 0 {
				t.Fatalf("%s: no %s in\n%s", c.integration, event, stream)
			}
			at += next
		}
		if !strings.Contains(stream[at:], `"type":"tool_call"`) {
			t.Errorf("%s: the end lacks the call", c.integration)
		}
	}
}

// slowly takes its time over each call.
type slowly struct{ agent.Source }

func (s slowly) Tools(ctx context.Context) ([]agent.Tool, error) {
	all, err := s.Source.Tools(ctx)
	for i := range all {
		run := all[i].Execute
		all[i].Execute = func(ctx context.Context, arguments json.RawMessage, progress func(agent.Progress)) (agent.Result, error) {
			time.Sleep(500 * time.Millisecond)
			return run(ctx, arguments, progress)
		}
	}
	return all, err
}

// Issue 23: a stream is not silent while the server executes a call either.
func TestStudio_heartbeatsWhileACallIsExecuted(t *testing.T) {
	s, _, _ := studio(t, func(o *server.Options) {
		o.Heartbeat = 50 * time.Millisecond
		o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{slowly{notebook{}}}, Connector: connector(func(chat.HostedTools) {})})
	})
	_, stream := postTo(t, s, "/api/v1/chat", `{"model":"m","stream":true,"integrations":["mcp/notes"],"input":"[[s0]]Looking. {\"tool\": \"lookup\", \"arguments\": {\"q\": \"Oslo\"}}[[|]]It rains in Oslo.[[/]]"}`)
	_, running, found := strings.Cut(stream, "event: tool_call.start\n")
	running, _, ended := strings.Cut(running, "event: tool_call.success\n")
	if n := strings.Count(running, "event: "); !found || !ended || n < 4 {
		t.Errorf("%d events in half a second, with one due each 50 ms:\n%s", n, stream)
	}
}
