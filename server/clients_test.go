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

// Claude Code counts its requests for billing in the first line of its prompt: were it shown to
// the model, no turn could take the prompt's beginning from the cache.
func TestMessages_theBillingLineDoesNotBreakThePrefix(t *testing.T) {
	s, e := start(t, enginetest.Say("one"), enginetest.Say("two"))
	for _, count := range []string{"a1b2c", "d3e4f"} {
		body := `{"model":"scripted","max_tokens":9,"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.329; cc_entrypoint=cli; cch=` + count + `;"},
			{"type":"text","text":"You are an agent."}],"messages":[{"role":"user","content":"hi"}]}`
		resp, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	turns := e.Turns()
	if a, b := turns[0].Prompt.String(), turns[1].Prompt.String(); a != b || !strings.Contains(a, "You are an agent.") {
		t.Errorf("%q\n%q", a, b)
	}
}
