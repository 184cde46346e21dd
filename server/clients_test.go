package server_test

import (
	"net/http"
	"strings"
	"testing"

	"tenon/engine/enginetest"
)

// What clients were seen to need that no protocol's text says.

// OpenAI's SDKs show x-request-id, Anthropic's request-id.
func TestRequestID_isWhereBothFamiliesOfSDKsLookForIt(t *testing.T) {
	s, _ := start(t, enginetest.Say("hello"))
	for path, body := range map[string]string{"/v1/messages": `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, "/v1/chat/completions": `{}`} {
		resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("X-Request-Id"); id == "" || resp.Header.Get("Request-Id") != id {
			t.Errorf("%s: %v", path, resp.Header)
		}
	}
}
