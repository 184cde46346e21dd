package contract_test

import (
	"net/http"
	"strings"
	"testing"

	"tenon/server/servertest"
	"tenon/server/servertest/contract"
)

func faults(method, path string, status int, kind, body string) string {
	var all []string
	for _, err := range contract.Faults(servertest.Exchange{Method: method, Path: path, Status: status, Type: kind, Response: []byte(body)}) {
		all = append(all, err.Error())
	}
	return strings.Join(all, "\n")
}

const (
	whole  = "application/json"
	stream = "text/event-stream"
)

// Conformance that can fail (issue 7): what departs from a contract of our own is found without
// OpenAI's description too.
func TestFaults_ofOurOwnContracts(t *testing.T) {
	const message = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}`
	for name, c := range map[string]struct {
		method, path string
		status       int
		kind, body   string
		fault        string // "": it is in order
	}{
		"a message":                  {"POST", "/v1/messages", 200, whole, message, ""},
		"a message without usage":    {"POST", "/v1/messages", 200, whole, strings.Replace(message, `"usage"`, `"use"`, 1), "usage"},
		"an event that is none":      {"POST", "/v1/messages", 200, stream, "event: x\ndata: {\"type\":\"x\"}\n\n", "message_event"},
		"an error in another shape":  {"POST", "/v1/messages", 400, whole, `{"error":{"message":"m"}}`, "message_error"},
		"no JSON":                    {"POST", "/v1/messages", 200, whole, `{`, "EOF"},
		"a page for people":          {"GET", "/metrics", 200, "text/plain", "x 1", ""},
		"the head of an answer":      {"HEAD", "/v1/models", 200, whole, "", ""},
		"a probe that fails":         {"GET", "/health", 503, whole, `{"status":"loading"}`, ""},
		"tokens":                     {"POST", "/tokenize", 200, whole, `{"tokens":[1]}`, ""},
		"tokens that are none":       {"POST", "/tokenize", 200, whole, `{"tokens":["a"]}`, "tokens"},
		"a route without a contract": {"POST", "/nowhere", 200, whole, `{}`, ""},
	} {
		if got := faults(c.method, c.path, c.status, c.kind, c.body); (got == "") != (c.fault == "") || !strings.Contains(got, c.fault) {
			t.Errorf("%s: %q, want %q", name, got, c.fault)
		}
	}
}

func TestFaults_ofOpenAIsDescription(t *testing.T) {
	if _, err := contract.OpenAI(); err != nil {
		t.Skipf("OpenAI's description is not at hand: %v", err)
	}
	const chunk = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a"},"logprobs":null,"finish_reason":null}]}`
	for name, c := range map[string]struct {
		path       string
		kind, body string
		fault      string
	}{
		"a chunk":              {"/v1/chat/completions", stream, "data: " + chunk + "\n\ndata: [DONE]\n\n", ""},
		"a chunk of another":   {"/v1/chat/completions", stream, "data: " + strings.Replace(chunk, ".chunk", "", 1) + "\n\n", "object"},
		"an error as an event": {"/v1/chat/completions", stream, `data: {"error":{"message":"m","type":"t","param":null,"code":null}}` + "\n\n", ""},
		"an unknown event":     {"/v1/responses", stream, `data: {"type":"response.sung"}` + "\n\n", "response.sung"},
		// no POST there
		"a deleted response": {"/v1/responses/resp_1", whole, `{"id":"resp_1"}`, ""},
		"a whole answer":     {"/v1/chat/completions", whole, `{"id":"c"}`, "choices"},
	} {
		if got := faults(http.MethodPost, c.path, http.StatusOK, c.kind, c.body); (got == "") != (c.fault == "") || !strings.Contains(got, c.fault) {
			t.Errorf("%s: %q, want %q", name, got, c.fault)
		}
	}
}

// What a client that left did not get may be cut off anywhere.
func TestFaults_anExchangeThatBrokeOffHasNone(t *testing.T) {
	if got := contract.Faults(servertest.Exchange{Method: "POST", Path: "/v1/messages", Status: 200, Type: whole, Response: []byte(`{"id`), Broken: true}); got != nil {
		t.Errorf("%v", got)
	}
}
