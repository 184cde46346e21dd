package responses

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/server/chat"
	"tenon/server/streamtest"
	"tenon/templates"
	"tenon/tools"
)

// played is a service that gives fixed events and remembers what it was asked.
type played struct {
	events []chat.Event
	asked  []chat.Request
}

func (*played) Named(model string) string { return model }

func (p *played) Run(_ context.Context, r chat.Request, sink chat.Sink) error {
	p.asked = append(p.asked, r)
	for _, e := range p.events {
		if err := sink(e); err != nil {
			return err
		}
	}
	return nil
}

func (p *played) Count(context.Context, chat.Request) (chat.Tokens, error) {
	return chat.Tokens{N: 7}, nil
}

func turn() *played {
	return &played{events: []chat.Event{
		{Kind: chat.Started, Model: "m"},
		{Kind: chat.Reasoning, Text: "let "}, {Kind: chat.Reasoning, Text: "me"},
		{Kind: chat.Text, Text: "I "}, {Kind: chat.Text, Text: "look"},
		{Kind: chat.CallStart, Call: tools.Call{ID: "call_1", Name: "f", Namespace: "ns"}},
		{Kind: chat.CallArguments, Text: `{"a":`}, {Kind: chat.CallArguments, Text: `1}`},
		{Kind: chat.CallEnd, Call: tools.Call{ID: "call_1", Name: "f", Arguments: []byte(`{"a":1}`)}},
		{Kind: chat.CallStart, Call: tools.Call{ID: "call_2", Name: "patch"}, Freeform: true},
		{Kind: chat.CallArguments, Text: "*** Begin"},
		{Kind: chat.CallEnd, Call: tools.Call{ID: "call_2", Name: "patch", Input: "*** Begin"}},
		{Kind: chat.Finished, Finish: chat.Finish{Reason: chat.ToolCalls, Usage: chat.Usage{Prompt: 9, Cached: 4, Completion: 5, Reasoning: 2}}},
	}}
}

func create(t *testing.T, a *API, body string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	a.Create(rec, httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body)))
	if rec.Code != http.StatusOK {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// volatile fields differ between two runs.
func normalise(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == "id" || k == "item_id" || k == "created_at" || k == "completed_at" {
				v[k] = nil
			}
			normalise(e)
		}
	case []any:
		for _, e := range v {
			normalise(e)
		}
	}
}

func TestCreate_streamEqualsWholeAndFollowsTheDocumentedOrder(t *testing.T) {
	for name, fields := range map[string]string{"text": "", "summary": `,"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"]`} {
		var whole map[string]any
		if err := json.Unmarshal([]byte(create(t, New(turn(), nil, 0), `{"model":"m","input":"hi"`+fields+`}`)), &whole); err != nil {
			t.Fatal(err)
		}
		events := read(t, create(t, New(turn(), nil, 0), `{"model":"m","input":"hi","stream":true`+fields+`}`))
		streamed := events[len(events)-1]["response"].(map[string]any)
		normalise(whole)
		normalise(streamed)
		if diff := cmp.Diff(whole, streamed); diff != "" {
			t.Errorf("%s: whole (-) against stream (+):\n%s", name, diff)
		}
	}
}

// read reads a stream, as strict clients do.
func read(t *testing.T, stream string) []map[string]any {
	t.Helper()
	if err := streamtest.Check("/v1/responses", stream); err != nil {
		t.Error(err)
	}
	var events []map[string]any
	for _, frame := range strings.Split(strings.TrimSpace(stream), "\n\n") {
		name, data, _ := strings.Cut(frame, "\n")
		var e map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil {
			t.Fatalf("%v: %s", err, frame)
		}
		if name != "event: "+e["type"].(string) {
			t.Fatalf("event name and type differ: %s", frame)
		}
		events = append(events, e)
	}
	return events
}

func TestCreate_goesOnFromAStoredResponse(t *testing.T) {
	service := turn()
	a := New(service, nil, 0)
	var first response
	if err := json.Unmarshal([]byte(create(t, a, `{"model":"m","input":"hi","instructions":"be brief"}`)), &first); err != nil {
		t.Fatal(err)
	}
	create(t, a, `{"model":"m","previous_response_id":"`+first.ID+`","input":[{"type":"function_call_output","call_id":"call_1","output":"42"},{"role":"user","content":"and?"}]}`)
	var roles []string
	for _, m := range service.asked[1].Conversation.Messages {
		roles = append(roles, string(m.Role))
	}
	if diff := cmp.Diff([]string{"user", "assistant", "tool", "user"}, roles); diff != "" {
		t.Error(diff)
	}
	m := service.asked[1].Conversation.Messages[1]
	if m.Reasoning != "let me" || m.Content() != "I look" || len(m.Calls) != 2 || m.Calls[0].Name != "ns__f" || m.Calls[1].Arguments != "*** Begin" {
		t.Errorf("%+v", m)
	}
}

func TestStored_canBeReadListedAndDeleted(t *testing.T) {
	a := New(turn(), nil, 0)
	var made response
	if err := json.Unmarshal([]byte(create(t, a, `{"model":"m","input":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"user","content":"c"}]}`)), &made); err != nil {
		t.Fatal(err)
	}
	get := func(f func(http.ResponseWriter, *http.Request, string), target string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		f(rec, httptest.NewRequest(http.MethodGet, target, nil), made.ID)
		return rec
	}
	if rec := get(a.Get, "/"); rec.Code != 200 || !strings.Contains(rec.Body.String(), made.ID) {
		t.Errorf("get: %d %s", rec.Code, rec.Body)
	}
	var page itemList
	if err := json.Unmarshal(get(a.InputItems, "/?limit=2").Body.Bytes(), &page); err != nil || len(page.Data) != 2 || !page.HasMore {
		t.Errorf("%v %+v", err, page)
	}
	if err := json.Unmarshal(get(a.InputItems, "/?limit=2&after="+*page.LastID).Body.Bytes(), &page); err != nil || len(page.Data) != 1 || page.HasMore {
		t.Errorf("%v %+v", err, page)
	}
	for target, want := range map[string]string{"/?order=up": "order", "/?after=msg_none": "after", "/?limit=0": "limit"} {
		if rec := get(a.InputItems, target); rec.Code != 400 || !strings.Contains(rec.Body.String(), `"param":"`+want+`"`) {
			t.Errorf("%s: %d %s", target, rec.Code, rec.Body)
		}
	}
	if err := json.Unmarshal(get(a.InputItems, "/?order=asc").Body.Bytes(), &page); err != nil || !strings.Contains(string(page.Data[0]), `"a"`) {
		t.Errorf("%v %s", err, page.Data)
	}
	if rec := get(a.Get, "/?stream=true"); rec.Code != 400 || !strings.Contains(rec.Body.String(), `"param":"stream"`) {
		t.Errorf("get as a stream: %d %s", rec.Code, rec.Body)
	}
	if rec := get(a.Cancel, "/"); rec.Code != 200 || !strings.Contains(rec.Body.String(), `"completed"`) {
		t.Errorf("cancel what has ended: %d %s", rec.Code, rec.Body)
	}
	if rec := get(a.Delete, "/"); rec.Code != 200 {
		t.Errorf("delete: %d", rec.Code)
	}
	if rec := get(a.Get, "/"); rec.Code != 404 {
		t.Errorf("get after delete: %d", rec.Code)
	}
}

func TestCreate_aProbeWithoutInputSucceeds(t *testing.T) {
	service := turn()
	body := create(t, New(service, nil, 0), `{"model":"m","input":[],"max_output_tokens":1}`)
	if len(service.asked) != 0 || !strings.Contains(body, `"status":"completed"`) {
		t.Error(body)
	}
}

func TestCreate_failuresAreEvents(t *testing.T) {
	service := &failing{turn()}
	rec := httptest.NewRecorder()
	New(service, nil, 0).Create(rec, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"model":"m","input":"hi","stream":true}`)))
	events := read(t, rec.Body.String())
	last := events[len(events)-1]
	if last["type"] != "response.failed" || last["response"].(map[string]any)["error"].(map[string]any)["code"] != "context_length_exceeded" {
		t.Errorf("%v", last)
	}
}

type failing struct{ *played }

func (f *failing) Run(_ context.Context, _ chat.Request, sink chat.Sink) error {
	if err := sink(chat.Event{Kind: chat.Started}); err != nil {
		return err
	}
	return &chat.Error{Kind: chat.TooLong, Message: "too long"}
}

// What Codex sends, and what SDKs echo.
func TestDecode_everyFormOfInput(t *testing.T) {
	d := &decoder{}
	_, err := d.request(strings.NewReader(`{"model":"m","input":[
		{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec","format":{"type":"grammar","syntax":"lark","definition":"start: \"a\""}},{"type":"function","name":"wait","parameters":{"type":"object"}}]}]},
		{"type":"message","role":"developer","content":[{"type":"input_text","text":"a"}]},
		{"role":"developer","content":"b"},
		{"role":"user","content":"c"},
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"foreign"},
		{"role":"assistant","content":"d"},
		{"type":"function_call","call_id":"1","name":"wait","namespace":"functions","arguments":"{}","status":"completed"},
		{"type":"custom_tool_call","call_id":"2","name":"exec","namespace":"functions","input":"ls"},
		{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"done"},{"type":"input_image"}]},
		{"type":"custom_tool_call_output","call_id":"2","output":"files"},
		{"type":"web_search_call","id":"ws_1"}],
		"tools":[{"type":"web_search"},{"type":"function","name":"shell","strict":false,"parameters":{"type":"object"}}],
		"store":false,"include":[],"prompt_cache_key":"k","client_metadata":{},"tool_choice":"auto","parallel_tool_calls":true}`))
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range d.turn.Conversation.Messages {
		roles = append(roles, string(m.Role))
	}
	if diff := cmp.Diff([]string{"developer", "developer", "user", "assistant", "tool", "tool"}, roles); diff != "" {
		t.Error(diff)
	}
	m := d.turn.Conversation.Messages
	if m[3].Reasoning != "hm" || m[3].Content() != "d" || len(m[3].Calls) != 2 || m[3].Calls[1].Arguments != "ls" || m[4].Content() != "done\n[image omitted: this model reads text only]" {
		t.Errorf("%+v", m)
	}
	if len(d.turn.Tools) != 3 || d.turn.Tools[1].Freeform == nil || d.turn.Tools[1].Namespace != "functions" {
		t.Errorf("%+v", d.turn.Tools)
	}
	if got := strings.Join(d.turn.Ignored, "; "); got != "client_metadata; prompt_cache_key; input[10] (web_search_call)" {
		t.Errorf("ignored %q", got)
	}
}

func TestDecode_allowedTools(t *testing.T) {
	for sent, want := range map[string]struct{ names, notes []string }{
		`[{"type":"function","name":"f"},{"type":"custom","name":"c"}]`: {names: []string{"f", "c"}},
		`[{"name":"f"}]`: {names: []string{"f"}},
		`[{"type":"function","name":"create","namespace":"issues"}]`:      {names: []string{tools.PromptName("issues", "create")}},
		`[{"type":"web_search"},{"type":"function","name":"f"}]`:          {names: []string{"f"}, notes: []string{"tool_choice.tools[0] (web_search)"}},
		`[{"type":"mcp","server_label":"s"},{"type":"image_generation"}]`: {},
	} {
		d := &decoder{}
		_, err := d.request(strings.NewReader(`{"model":"m","input":"x","tool_choice":{"type":"allowed_tools","mode":"required","tools":` + sent + `}}`))
		if len(want.names) == 0 {
			var e *chat.Error
			if !errors.As(err, &e) || e.Field != "tool_choice.tools" {
				t.Errorf("%s: %v", sent, err)
			}
			continue
		}
		if err != nil || d.turn.Choice.Mode != tools.Required || !slices.Equal(d.turn.Choice.Names, want.names) || !slices.Equal(d.turn.Ignored, want.notes) {
			t.Errorf("%s: %v, %+v, ignored %v", sent, err, d.turn.Choice, d.turn.Ignored)
		}
	}
}

func TestDecode_badValuesNameTheirField(t *testing.T) {
	for fields, want := range map[string]string{
		`"model":"m","input":7`:                                                                                "input",
		`"model":"m","input":[{"type":"smell"}]`:                                                               "input[0].type",
		`"model":"m","input":[{"role":"alien"}]`:                                                               "input[0].role",
		`"model":"m","input":[{"role":"user","content":[{"type":"input_image"}]}]`:                             "input[0].content[0]",
		`"model":"m","input":[{"type":"function_call_output"}]`:                                                "input[0].call_id",
		`"model":"m","input":[{"type":"item_reference","id":"x"}]`:                                             "input[0].id",
		`"model":"m","input":[{"id":"x"}]`:                                                                     "input[0].id",
		`"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":5}]}]`:                     "input[0].content[0].text",
		`"model":"m","metadata":{"k":"` + strings.Repeat("v", 513) + `"}`:                                      "metadata",
		`"model":"m","metadata":{"` + strings.Repeat("k", 65) + `":"v"}`:                                       "metadata",
		`"model":"m","metadata":{"` + strings.Join(strings.Split("abcdefghijklmnopq", ""), `":"","`) + `":""}`: "metadata",
		`"model":"m","input":{}`:                                                                               "input",
		`"model":"m","input":["x"]`:                                                                            "input[0]",
		`"model":"m","tools":{}`:                                                                               "tools",
		`"model":"m","tools":[{"type":"function","name":"a"},{"type":"function","name":5}]`:                    "tools[1].name",
		`"model":"m","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","strict":1}]}]`:       "tools[0].tools[0].strict",
		`"model":"m","input":[{"type":"additional_tools","tools":[{"type":"function","name":[]}]}]`:            "input[0].tools[0].name",
		`"model":"m","tools":[{"type":"custom","name":"x","format":{"type":"grammar","syntax":"lark"}}]`:       "tools[0].format.definition",
		`"model":"m","text":{"format":{"type":"json_schema","schema":{}}}`:                                     "text.format.name",
		`"model":"m","background":true,"store":false`:                                                          "background",
		`"model":"m","truncation":"some"`:                                                                      "truncation",
		`"model":"m","max_output_tokens":0`:                                                                    "max_output_tokens",
		`"model":"m","temperature":3`:                                                                          "temperature",
		`"model":"m","top_logprobs":21`:                                                                        "top_logprobs",
		`"model":"m","conversation":"c"`:                                                                       "conversation",
		`"model":"m","prompt":{"id":"p"}`:                                                                      "prompt",
		`"model":"m","reasoning":{"effort":"huge"}`:                                                            "reasoning.effort",
		`"model":"m","text":{"format":{"type":"xml"}}`:                                                         "text.format.type",
		`"model":"m","text":{"format":{"type":"json_schema"}}`:                                                 "text.format.schema",
		`"model":"m","text":{"format":{"type":"json_schema","name":"n","schema":null}}`:                        "text.format.schema",
		`"model":"m","tools":[{"type":"function"}]`:                                                            "tools[0].name",
		`"model":"m","tools":[{}]`:                                                                             "tools[0].type",
		`"model":"m","tools":[{"type":"custom","name":"x","format":{"type":"grammar","syntax":"peg"}}]`:        "tools[0].format.syntax",
		`"model":"m","reasoning":{"summary":"long"}`:                                                           "reasoning.summary",
		`"model":"m","text":{"verbosity":"shouting"}`:                                                          "text.verbosity",
		`"model":"m","tool_choice":"maybe"`:                                                                    "tool_choice",
		`"model":"m","tool_choice":{"type":"allowed_tools","tools":[]}`:                                        "tool_choice.tools",
		`"model":"m","previous_response_id":"resp_none"`:                                                       "previous_response_id",
	} {
		d := &decoder{find: func(string) (*stored, error) { return nil, errNotThere }}
		_, err := d.request(strings.NewReader("{" + fields + "}"))
		var e *chat.Error
		if !errors.As(err, &e) || e.Kind != chat.Invalid || e.Field != want {
			t.Errorf("%s: %v, want an error at %q", fields, err, want)
		}
	}
}

// A hosted tool is left out of the turn and comes back in the answer as it was sent, with what is
// not known here of it.
func TestCreate_hostedToolsAreEchoedAsTheyWereSent(t *testing.T) {
	const hosted = `{"type":"mcp","server_label":"s","server_url":"http://127.0.0.1:1/","require_approval":"never"}`
	got := create(t, New(turn(), nil, 0), `{"model":"m","input":"x","include":["reasoning.encrypted_content","file_search_call.results"],"tools":[`+hosted+`,{"type":"function","name":"f"}]}`)
	if want := `"tools":[` + hosted + `,{"type":"function","name":"f","parameters":null,"strict":false}]`; !strings.Contains(got, want) {
		t.Errorf("%s lacks %s", got, want)
	}
}

func TestPack_thinkingComesBack(t *testing.T) {
	if got, ok := unpack(pack("grüße")); !ok || got != "grüße" {
		t.Error(got, ok)
	}
	if _, ok := unpack("gAAAAA"); ok {
		t.Error("foreign content was taken for ours")
	}
}

func FuzzDecode_neverPanics(f *testing.F) {
	f.Add([]byte(`{"model":"m","input":[{"role":"user","content":"x"},{"type":"reasoning"},{"type":"function_call","name":"f","arguments":"{}"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &decoder{find: func(string) (*stored, error) { return nil, errNotThere }}
		_, err := d.request(bytes.NewReader(b))
		var e *chat.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%v is no *chat.Error", err)
		}
		for _, m := range d.turn.Conversation.Messages {
			if m.Role == templates.Role("") {
				t.Error("a message without a role")
			}
		}
	})
}
