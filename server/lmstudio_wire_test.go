package server_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"tenon/models/fleet"
)

// studioVolatile is what differs from run to run, and what stands for it in the golden files.
var studioVolatile = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`"(call|resp|chatcmpl|cmpl)[-_]\w+"`), `"$1-ID"`},
	{regexp.MustCompile(`"(instanceReference|lastUsedTime|created)":("[^"]*"|\d+)`), `"$1":0`},
	// as the prompt is worded
	{regexp.MustCompile(`"(promptTokensCount|totalTokensCount|prompt_tokens|total_tokens|input_tokens)":\d+`), `"$1":0`},
	{regexp.MustCompile(`"(tokensPerSecond|timeToFirstTokenSec|totalTimeSec|tokens_per_second|time_to_first_token|time_to_first_token_seconds|generation_time|model_load_time_seconds|load_time_seconds)":[-+.e\d]+`), `"$1":0`},
}

// S3-24: what LM Studio's clients are sent changes on purpose only: the files beside this test are
// written with -update.
func TestStudioWire_changesOnPurposeOnly(t *testing.T) {
	s, _, f := studio(t)
	if _, err := f.Load(t.Context(), fleet.Request{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	const tools = `{"type":"toolArray","tools":[{"type":"function","function":{"name":"w","parameters":{"type":"object","properties":{"c":{"type":"string"}},"required":["c"]}}}]}`
	channel := func(endpoint, text, fields string) string {
		return `{"type":"channelCreate","endpoint":"` + endpoint + `","channelId":1,"creationParameter":{"modelSpecifier":{"type":"query","query":{}},"modelKey":"nope","history":{"messages":[{"role":"user","content":[{"type":"text","text":"` + text +
			`"}]}]},"predictionConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[` + fields + `]}}]},"loadConfigStack":{"layers":[]}}}`
	}
	call := func(endpoint string) string {
		return `{"type":"rpcCall","endpoint":"` + endpoint + `","callId":1,"parameter":{"specifier":{"type":"query","query":{}},"throwIfNotFound":true}}`
	}
	for name, told := range map[string]string{
		"sdk-text":      socketTells(t, s.URL+"/llm", channel("predict", "[[a]]ab[[/]]", "")),
		"sdk-thought":   socketTells(t, s.URL+"/llm", channel("predict", "[[b]]<think>h</think>a[[/]]", "")),
		"sdk-call":      socketTells(t, s.URL+"/llm", channel("predict", `[[c]]{\"tool\": \"w\", \"arguments\": {\"c\": \"O\"}}[[/]]`, `{"key":"llm.prediction.tools","value":`+tools+`}`)),
		"sdk-refusal":   socketTells(t, s.URL+"/llm", channel("loadModel", "", "")),
		"sdk-info":      socketTells(t, s.URL+"/llm", call("getModelInfo")),
		"sdk-unknown":   socketTells(t, s.URL+"/llm", call("nothing")),
		"rest-v0-list":  restTells(t, s.URL, "GET", "/api/v0/models", ""),
		"rest-v0-chat":  restTells(t, s.URL, "POST", "/api/v0/chat/completions", `{"model":"m","messages":[{"role":"user","content":"[[d]]ab[[/]]"}]}`),
		"rest-v1-list":  restTells(t, s.URL, "GET", "/api/v1/models", ""),
		"rest-v1-chat":  restTells(t, s.URL, "POST", "/api/v1/chat", `{"model":"m","input":"[[e]]ab[[/]]"}`),
		"rest-v1-sse":   restTells(t, s.URL, "POST", "/api/v1/chat", `{"model":"m","input":"[[f]]ab[[/]]","stream":true}`),
		"rest-v1-error": restTells(t, s.URL, "POST", "/api/v1/chat", `{"model":"m","input":"x","stop":["y"]}`),
	} {
		for _, v := range studioVolatile {
			told = v.pattern.ReplaceAllString(told, v.by)
		}
		path := filepath.Join("testdata", "lmstudio", name+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(told), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if old, err := os.ReadFile(path); err != nil || string(old) != told {
			t.Errorf("%s: %v: it was\n%s\nand is (go test ./server -run StudioWire -update, if that is meant)\n%s", name, err, old, told)
		}
	}
}

// socketTells sends a frame and returns what comes, up to the end of its call or channel.
func socketTells(t *testing.T, url, frame string) string {
	t.Helper()
	ws, _, err := websocket.Dial(context.Background(), url, nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	var said strings.Builder
	for _, f := range []string{`{"authVersion":1,"clientIdentifier":"a","clientPasskey":"b"}`, frame} {
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(f)); err != nil {
			t.Fatal(err)
		}
	}
	for {
		_, b, err := ws.Read(t.Context())
		if err != nil {
			t.Fatalf("%v behind\n%s", err, said.String())
		}
		said.Write(append(b, '\n'))
		for _, end := range []string{`"type":"channelClose"`, `"type":"channelError"`, `"type":"rpcResult"`, `"type":"rpcError"`} {
			if strings.Contains(string(b), end) {
				return said.String()
			}
		}
	}
}

// restTells is a request's status and body.
func restTells(t *testing.T, base, method, path, body string) string {
	t.Helper()
	status, b := fetchText(t, base, method, path, body)
	return status + "\n" + strings.TrimRight(b, "\n") + "\n"
}

func fetchText(t *testing.T, base, method, path, body string) (status, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
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
	return resp.Status, string(b)
}
