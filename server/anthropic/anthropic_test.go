package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/server/chat"
	"tenon/server/streamtest"
	"tenon/tools"
)

// base is a valid request; the cases below add fields to it.
const base = `{"model":"m","max_tokens":2000,"messages":[{"role":"user","content":"hi"}]`

func decodeString(body string) (chat.Request, []string, error) {
	d := decoder{signer: newSigner()}
	r, _, err := d.request(strings.NewReader(body), false)
	return r, r.Ignored, err
}

func TestDecode_badValuesNameTheirField(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","messages":[]}`:                                                                  "max_tokens",
		`{"model":"m","max_tokens":1,"messages":[]}`:                                                   "messages",
		base + `,"temperature":1.1}`:                                                                   "temperature",
		base + `,"top_p":-1}`:                                                                          "top_p",
		base + `,"output_format":{"type":"json_schema","schema":null}}`:                                "output_format.schema",
		base + `,"top_k":-1}`:                                                                          "top_k",
		base + `,"stop_sequences":[""]}`:                                                               "stop_sequences",
		base + `,"tools":[{"input_schema":{}}]}`:                                                       "tools[0].name",
		base + `,"tools":[{"name":"f"}]}`:                                                              "tools[0].input_schema",
		base + `,"tool_choice":{"type":"some"}}`:                                                       "tool_choice.type",
		base + `,"tool_choice":{"type":"tool"}}`:                                                       "tool_choice.name",
		base + `,"thinking":{"type":"enabled"}}`:                                                       "thinking.budget_tokens",
		base + `,"thinking":{"type":"enabled","budget_tokens":9}}`:                                     "thinking.budget_tokens",
		base + `,"thinking":{"type":"maybe"}}`:                                                         "thinking.type",
		base + `,"thread":{"type":"create"}}`:                                                          "thread",
		base + `,"mcp_servers":[{}]}`:                                                                  "mcp_servers[0].name",
		`{"model":"m","max_tokens":1,"messages":[{"role":"alien","content":""}]}`:                      "messages[0].role",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user"}]}`:                                    "messages[0].content",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image"}]}]}`:       "messages[0].content[0]",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"smell"}]}]}`:       "messages[0].content[0].type",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}`: "messages[0].content[0].tool_use_id",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"url"}}]}]}`: "messages[0].content[0].source.type",
	} {
		_, _, err := decodeString(body)
		var e *chat.Error
		if !errors.As(err, &e) || e.Kind != chat.Invalid || e.Field != want {
			t.Errorf("%s: %v, want an error at %q", body, err, want)
		}
	}
}

// What Claude Code sends: hosted tools, cache marks, a system message in between, results beside
// text.
func TestDecode_aCodingAgentsConversation(t *testing.T) {
	r, ignored, err := decodeString(`{"model":"m","max_tokens":32000,"stream":true,
		"system":[{"type":"text","text":"You are","cache_control":{"type":"ephemeral"}},{"type":"text","text":"helpful"}],
		"messages":[
			{"role":"user","content":"read it"},
			{"role":"system","content":[{"type":"text","text":"context","cache_control":{"type":"ephemeral"}}]},
			{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"elsewhere"},{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"Read","input":{"path":"a"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no such file"},{"type":"image","source":{}},{"type":"document","source":{"type":"base64"}}]},{"type":"text","text":"go on"}]}],
		"tools":[{"name":"Read","input_schema":{"type":"object"},"defer_loading":true},{"type":"web_search_20250305","name":"web_search"},{"type":"custom","name":"X","input_schema":{}}],
		"thinking":{"type":"adaptive","display":"updates"},"output_config":{"effort":"high"},
		"context_management":{"edits":[]},"metadata":{"user_id":"u"}}`)
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range r.Conversation.Messages {
		roles = append(roles, string(m.Role))
	}
	if diff := cmp.Diff([]string{"system", "user", "system", "assistant", "tool", "user"}, roles); diff != "" {
		t.Error(diff)
	}
	m := r.Conversation.Messages
	if m[3].Calls[0].Arguments != `{"path":"a"}` || m[3].Reasoning != "" || !m[4].Failed || m[4].Content() != "no such file\n[image omitted: this model reads text only]\n[document omitted: this model reads text only]" {
		t.Errorf("%+v", m)
	}
	if len(r.Tools) != 2 || r.Thinking.Effort != "high" || !*r.Thinking.Enabled {
		t.Errorf("%+v", r)
	}
	want := []string{"context_management", "metadata", "thinking.display", "tools[].defer_loading", "messages[2].content[0] (thinking signed elsewhere)"}
	if diff := cmp.Diff(want, ignored); diff != "" {
		t.Error(diff)
	}
}

func TestSignature_ownForeignAndAltered(t *testing.T) {
	s, other := newSigner(), newSigner()
	for _, c := range []struct {
		text, signature string
		want            verdict
	}{
		{"thought", s.sign("thought"), valid},
		{"thoughts", s.sign("thought"), altered},
		{"thought", other.sign("thought"), foreign},
		{"thought", "", foreign},
	} {
		if got := s.check(c.text, c.signature); got != c.want {
			t.Errorf("%q %q: %d, want %d", c.text, c.signature, got, c.want)
		}
	}
}

// played is a service that gives fixed events.
type played []chat.Event

func (p played) Run(_ context.Context, _ chat.Request, sink chat.Sink) error {
	for _, e := range p {
		if err := sink(e); err != nil {
			return err
		}
	}
	return nil
}

func (played) Count(context.Context, chat.Request) (chat.Tokens, error) {
	return chat.Tokens{N: 7}, nil
}

var turn = played{
	{Kind: chat.Started, Model: "m"},
	{Kind: chat.Reasoning, Text: "let "}, {Kind: chat.Reasoning, Text: "me"},
	{Kind: chat.Text, Text: "I "}, {Kind: chat.Text, Text: "look"},
	{Kind: chat.CallStart, Call: tools.Call{ID: "1", Name: "f"}},
	{Kind: chat.CallArguments, Text: `{"a":`}, {Kind: chat.CallArguments, Text: `1}`},
	{Kind: chat.CallEnd, Call: tools.Call{ID: "1", Name: "f", Arguments: []byte(`{"a":1}`)}},
	{Kind: chat.Finished, Finish: chat.Finish{Reason: chat.ToolCalls, Usage: chat.Usage{Prompt: 9, Cached: 4, Completion: 5}}},
}

func send(t *testing.T, a *API, body string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	a.Messages(rec, httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(body)))
	if rec.Code != http.StatusOK {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
		if err := streamtest.Check("/v1/messages", rec.Body.String()); err != nil {
			t.Error(err)
		}
	}
	return rec.Body.String()
}

// The stream, put together as Anthropic's own SDKs do, is the whole answer.
func TestMessages_streamEqualsWhole(t *testing.T) {
	a := New(turn, 0)
	var whole map[string]any
	if err := json.Unmarshal([]byte(send(t, a, base+"}")), &whole); err != nil {
		t.Fatal(err)
	}
	streamed := accumulate(t, send(t, a, base+`,"stream":true}`))
	whole["id"], streamed["id"] = "", ""
	if diff := cmp.Diff(whole, streamed); diff != "" {
		t.Errorf("whole (-) against stream (+):\n%s", diff)
	}
	if whole["stop_reason"] != "tool_use" || len(whole["content"].([]any)) != 3 {
		t.Errorf("%v", whole)
	}
}

// accumulate reads a stream by the rules of the SDKs: a block starts at the next index, deltas are
// of its type, and it stops before another starts.
func accumulate(t *testing.T, stream string) map[string]any {
	t.Helper()
	var m map[string]any
	var content []any
	var partial string
	for _, frame := range strings.Split(strings.TrimSpace(stream), "\n\n") {
		name, data, _ := strings.Cut(frame, "\n")
		var e map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil {
			t.Fatalf("%v: %s", err, frame)
		}
		if "event: "+e["type"].(string) != name {
			t.Fatalf("event name and type differ: %s", frame)
		}
		switch e["type"] {
		case "message_start":
			m = e["message"].(map[string]any)
		case "content_block_start":
			if int(e["index"].(float64)) != len(content) {
				t.Fatalf("block %v starts at %d", e["index"], len(content))
			}
			content, partial = append(content, e["content_block"]), ""
		case "content_block_delta":
			b, d := content[len(content)-1].(map[string]any), e["delta"].(map[string]any)
			switch d["type"] {
			case "text_delta":
				b["text"] = b["text"].(string) + d["text"].(string)
			case "thinking_delta":
				b["thinking"] = b["thinking"].(string) + d["thinking"].(string)
			case "signature_delta":
				b["signature"] = d["signature"]
			case "input_json_delta":
				partial += d["partial_json"].(string)
			}
		case "content_block_stop":
			if b := content[len(content)-1].(map[string]any); partial != "" {
				var input any
				if err := json.Unmarshal([]byte(partial), &input); err != nil {
					t.Fatal(err)
				}
				b["input"] = input
			}
		case "message_delta":
			for k, v := range e["delta"].(map[string]any) {
				m[k] = v
			}
			m["usage"] = e["usage"]
		}
	}
	m["content"] = content
	return m
}

func TestMessages_threadsAreRefusedAsDocumented(t *testing.T) {
	rec := httptest.NewRecorder()
	New(turn, 0).Messages(rec, httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(base+`,"thread":{"type":"create"}}`)))
	var e errorBody
	if err := json.Unmarshal(rec.Body.Bytes(), &e); err != nil || rec.Code != 400 || e.Error.Details == nil || e.Error.Details.ErrorCode != "thread_unsupported_request" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func FuzzDecode_neverPanics(f *testing.F) {
	f.Add([]byte(base + "}"))
	f.Add([]byte(base + `,"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"any"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := decoder{signer: newSigner()}
		_, _, err := d.request(bytes.NewReader(b), true)
		var e *chat.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%v is no *chat.Error", err)
		}
	})
}
