package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/servertest"
	"tenon/templates"
	"tenon/tools"
)

// oneModel is a scripted engine, served.
type oneModel struct{ engine *enginetest.Scripted }

func (m oneModel) served() servertest.Model {
	return servertest.Model{ID: "scripted", Aliases: []string{"gpt-4o"}, Engine: m.engine}
}

func (m oneModel) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	return m.served().Acquire(ctx, name)
}

func (m oneModel) Status() []models.Status { return m.served().Status() }

func options(_ *testing.T, replies ...enginetest.Reply) server.Options {
	m := oneModel{enginetest.Script(replies...)}
	return server.Options{Service: &chat.Service{Models: m}, Models: m, Log: slog.New(slog.DiscardHandler)}
}

func start(t *testing.T, replies ...enginetest.Reply) (*httptest.Server, *enginetest.Scripted) {
	t.Helper()
	o := options(t, replies...)
	s := httptest.NewServer(conforms(t, server.New(o)))
	t.Cleanup(s.Close)
	return s, o.Models.(oneModel).engine
}

func post(t *testing.T, s *httptest.Server, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

const hello = `{"model":"scripted","messages":[{"role":"user","content":"hi"}]`

func TestChat_wholeAnswer(t *testing.T) {
	s, e := start(t, enginetest.Say("grüß dich 👋"))
	status, body := post(t, s, hello+`}`)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	if got := wholeContent(t, body); got != "grüß dich 👋" {
		t.Errorf("content %q", got)
	}
	if got := e.Turns()[0].Prompt.String(); got != "User: hi\n\nAssistant:" {
		t.Errorf("prompt %q", got)
	}
	if e.Running() != 0 {
		t.Error("the slot was not freed")
	}
}

func TestChat_streamEqualsWhole(t *testing.T) {
	reply := enginetest.Say("two words 👋")
	s, _ := start(t, reply, reply)
	_, whole := post(t, s, hello+`}`)
	_, stream := post(t, s, hello+`,"stream":true,"stream_options":{"include_usage":true}}`)
	content, usage := readStream(t, stream)
	if diff := cmp.Diff(wholeContent(t, whole), content); diff != "" {
		t.Errorf("whole (-) against stream (+):\n%s", diff)
	}
	if usage["completion_tokens"] != float64(11) {
		t.Errorf("usage %v", usage)
	}
}

func TestChat_badInputNamesTheField(t *testing.T) {
	s, _ := start(t)
	for body, want := range map[string]string{
		`{`:                        "",
		`{"model":3}`:              "model",
		`{"messages":[]}`:          "model",
		`{"model":"scripted"}`:     "messages",
		hello + `,"max_tokens":0}`: "max_tokens",
		hello + `,"stream":true,"max_tokens":-2}`:                                            "max_tokens",
		`{"model":"scripted","messages":[{"role":"alien","content":""}]}`:                    "messages[0].role",
		`{"model":"scripted","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`: "messages[0].content[0]",
	} {
		status, got := post(t, s, body)
		var e struct{ Error struct{ Param *string } }
		if err := json.Unmarshal([]byte(got), &e); err != nil || status != http.StatusBadRequest {
			t.Errorf("%s: status %d, %v: %s", body, status, err, got)
			continue
		}
		if p := e.Error.Param; (p == nil && want != "") || (p != nil && *p != want) {
			t.Errorf("%s: %s, want param %q", body, got, want)
		}
	}
}

func TestServer_errorsAreJSON(t *testing.T) {
	s, _ := start(t)
	if status, body := post(t, s, strings.Replace(hello, "scripted", "other", 1)+`}`); status != http.StatusNotFound || !strings.Contains(body, "scripted") {
		t.Errorf("unknown model: %d %s", status, body)
	}
	for path, want := range map[string]int{"/nowhere": http.StatusNotFound, "/v1/chat/completions": http.StatusMethodNotAllowed, "/health": http.StatusOK} {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var body map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != want {
			t.Errorf("GET %s: %d, %v", path, resp.StatusCode, err)
		}
		if resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("GET %s: no request id", path)
		}
	}
}

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
	for _, chunk := range data(stream) {
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
	s, _ := start(t, enginetest.Say("no"))
	resp, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(hello+
		`,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","pattern":"(a)\\1"}}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("X-Tenon-Issues"); !strings.HasPrefix(got, "1; f#/properties/a/pattern") {
		t.Errorf("%q", got)
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
		`,"tools":[{"type":"function","function":{"name":"f","parameters":` + strings.Repeat(`{"properties":{"a":`, 3000) + "{}" + strings.Repeat("}}", 3000) + `}}]}`: "tools[0].parameters",
	} {
		status, body := post(t, s, hello+fields)
		if status != http.StatusBadRequest || !strings.Contains(body, `"param":"`+want) {
			t.Errorf("%s: %d %s", fields, status, body)
		}
	}
}

func TestChat_tooLongAPromptIsCountedByPart(t *testing.T) {
	s, _ := start(t)
	status, body := post(t, s, `{"model":"scripted","messages":[{"role":"system","content":"`+strings.Repeat("s", 100)+`"},{"role":"user","content":"`+strings.Repeat("u", 5000)+`"}]`+weather)
	if status != http.StatusBadRequest || !strings.Contains(body, `"context_length_exceeded"`) {
		t.Fatalf("%d %s", status, body)
	}
	for _, want := range []string{"system 100", "history 5000", "tools ", "context 4096"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", body, want)
		}
	}
}

func TestChat_nChoicesHaveSeedsOfTheirOwn(t *testing.T) {
	s, e := start(t, enginetest.Say("one"), enginetest.Say("two"), enginetest.Say("three"))
	status, body := post(t, s, hello+`,"n":3,"seed":7}`)
	if status != http.StatusOK || !strings.Contains(body, `"content":"three"`) {
		t.Fatalf("%d %s", status, body)
	}
	for i, turn := range e.Turns() {
		if *turn.Sampling.Seed != uint32(7+i) {
			t.Errorf("choice %d has seed %d", i, *turn.Sampling.Seed)
		}
	}
}

func TestChat_aClientThatLeavesFreesItsSlot(t *testing.T) {
	reply := enginetest.Say("never")
	reply.Hold = make(chan struct{})
	s, e := start(t, reply)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(hello+`,"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = resp.Body.Close()
	for e.Running() > 0 { // bounded by the test's own time limit
		runtime.Gosched()
	}
}

func TestChat_anErrorAfterTheFirstByteIsAnEvent(t *testing.T) {
	reply := enginetest.Say("half an ")
	reply.Err = engine.ErrWorkerLost
	s, _ := start(t, reply, reply)
	if status, _ := post(t, s, hello+`}`); status != http.StatusServiceUnavailable {
		t.Errorf("whole: status %d", status)
	}
	status, body := post(t, s, hello+`,"stream":true}`)
	if status != http.StatusOK || !strings.Contains(body, `data: {"error":{`) || strings.Contains(body, "[DONE]") || strings.Contains(body, `"finish_reason":"`) {
		t.Errorf("stream: %d %s", status, body)
	}
}

func TestModels_oneAnswerForThreeReaders(t *testing.T) {
	s, _ := start(t)
	get := func(path string) map[string]any {
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var v map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	list := get("/v1/models")
	if list["object"] != "list" || list["has_more"] != false || list["first_id"] != "scripted" || len(list["models"].([]any)) != 1 {
		t.Errorf("%v", list)
	}
	if m := get("/v1/models/GPT-4o"); m["id"] != "gpt-4o" || m["state"] != "loaded" || m["context_length"] != float64(4096) {
		t.Errorf("%v", m)
	}
	if e := get("/v1/models/some/other")["error"].(map[string]any); e["code"] != "model_not_found" {
		t.Errorf("%v", e)
	}
}

func TestServer_drainingRefusesAllButProbes(t *testing.T) {
	o := options(t)
	o.Draining = func() bool { return true }
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	if status, body := post(t, s, hello+`}`); status != http.StatusServiceUnavailable || !strings.Contains(body, "shutting down") {
		t.Errorf("%d %s", status, body)
	}
	resp, err := http.Get(s.URL + "/health/live")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("probe: %d", resp.StatusCode)
	}
}

func TestModels_anthropicsClientsGetTheirErrors(t *testing.T) {
	s, _ := start(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models/other", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body struct{ Type string }
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || resp.StatusCode != http.StatusNotFound || body.Type != "error" {
		t.Errorf("%d %v %+v", resp.StatusCode, err, body)
	}
}

func TestChat_aFunctionWithoutParametersTakesNone(t *testing.T) {
	s, e := start(t, enginetest.Say(`{"tool": "ping", "arguments": {}}`))
	if status, body := post(t, s, hello+`,"tools":[{"type":"function","function":{"name":"ping"}}]}`); status != http.StatusOK || !strings.Contains(body, `"arguments":"{}"`) {
		t.Errorf("%d %s", status, body)
	}
	if g := e.Turns()[0].Grammar.Text; !strings.Contains(g, `"additionalProperties":false`) {
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

// lostOnce is an engine whose worker had ended unnoticed before the first turn.
type lostOnce struct {
	*enginetest.Scripted
	lost bool
}

func (l *lostOnce) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	if !l.lost {
		l.lost = true
		return nil, engine.ErrWorkerLost
	}
	return l.Scripted.Open(ctx, t)
}

func (l *lostOnce) Acquire(context.Context, string) (chat.Model, func(), error) {
	return chat.Model{ID: "scripted", Engine: l, Renderer: templates.Builtin{}, Dialect: tools.Fallback()}, func() {}, nil
}

func TestChat_aWorkerFoundDeadBeforeATurnIsStartedAgain(t *testing.T) {
	l := &lostOnce{Scripted: enginetest.Script(enginetest.Say("alive"))}
	o := options(t)
	o.Service = &chat.Service{Models: l}
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	if status, body := post(t, s, hello+`}`); status != http.StatusOK || !strings.Contains(body, "alive") {
		t.Errorf("%d %s", status, body)
	}
}

func wholeContent(t *testing.T, body string) string {
	t.Helper()
	var c struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	return c.Choices[0].Message.Content
}

func readStream(t *testing.T, body string) (content string, usage map[string]any) {
	t.Helper()
	var last string
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if last = data; data == "[DONE]" {
			break
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
			Usage   map[string]any
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		for _, c := range chunk.Choices {
			content += c.Delta.Content
		}
		usage = chunk.Usage
	}
	if last != "[DONE]" {
		t.Errorf("the stream ends with %q", last)
	}
	return content, usage
}
