package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/server/responses"
	"tenon/tools"
)

// notebook offers the tools of an MCP server, notes, and a search.
type notebook struct{ approval agent.Approval }

func (n notebook) Tools(context.Context) ([]agent.Tool, error) {
	approval := agent.Allow
	if n.approval != agent.Ask {
		approval = n.approval
	}
	object := func(name string) json.RawMessage {
		return json.RawMessage(`{"type":"object","required":["` + name + `"],"properties":{"` + name + `":{"type":"string"}},"additionalProperties":false}`)
	}
	look := func(_ context.Context, arguments json.RawMessage, progress func(agent.Progress)) (agent.Result, error) {
		progress(agent.Progress{Done: 1, Total: 2, Message: "reading"})
		if strings.Contains(string(arguments), "gone") {
			return agent.Result{Text: "there is no such note", Failed: true}, nil
		}
		return agent.Result{Text: "It rains."}, nil
	}
	search := func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
		return agent.Result{Text: "Rain in Oslo\nhttps://weather.example/oslo", Structured: json.RawMessage(`{"results":[{"url":"https://weather.example/oslo","title":"Rain in Oslo"}]}`)}, nil
	}
	return []agent.Tool{
		{Tool: tools.Tool{Name: "lookup", Description: "Looks a note up.", Parameters: object("q")}, Source: "notes", Approval: approval, Execute: look},
		{Tool: tools.Tool{Name: "erase", Parameters: object("q")}, Source: "notes", Approval: approval, Execute: look},
		{Tool: tools.Tool{Name: "web_search", Description: "Searches.", Parameters: object("query")}, Source: "builtin", Approval: agent.Allow, Execute: search},
	}, nil
}

const lookupCall = `{"tool": "lookup", "arguments": {"q": "Oslo"}}`

// hosting is a server that executes the notebook's tools.
func hosting(t *testing.T, o agent.Options, said ...string) (http.Handler, *enginetest.Scripted) {
	t.Helper()
	var all []enginetest.Reply
	for _, s := range said {
		all = append(all, enginetest.Say(s))
	}
	e := enginetest.Script(all...)
	s := options(t)
	s.Service = &chat.Service{Models: families{e}}
	if o.Sources == nil {
		o.Sources = []agent.Source{notebook{}}
	}
	s.Agent = agent.New(s.Service, o)
	return conforms(t, server.New(s)), e
}

func asked(t *testing.T, h http.Handler, path, body string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// A question of a running tool comes in the stream, and the stream goes on when it is answered.
func TestHosted_aQuestionIsAnsweredBesideTheStream(t *testing.T) {
	ask := agent.Tool{Tool: tools.Tool{Name: "ask"}, Source: "notes", Approval: agent.Allow, Execute: func(ctx context.Context, _ json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
		r, err := agent.AidOf(ctx).Elicit(ctx, "Which day?", json.RawMessage(`{"type":"object","required":["day"],"properties":{"day":{"type":"integer"}}}`))
		return agent.Result{Text: r.Action + " " + string(r.Content)}, err
	}}
	for extension, want := range map[string]string{`"stream":true,"elicitation":true`: `accept {\"day\":3}`, `"stream":true`: "declined", `"elicitation":true`: "declined"} {
		handler, _ := hosting(t, agent.Options{Sources: []agent.Source{servers{ask}}}, `{"tool": "ask", "arguments": {}}`, "So be it.")
		h := httptest.NewServer(handler)
		defer h.Close()
		resp, err := http.Post(h.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"json",`+extension+`,"tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}],"messages":[{"role":"user","content":"Look."}]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }() // it was only read
		all := ""
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			all += lines.Text() + "\n"
			id := regexp.MustCompile(`"server_elicitation":{"server_label":"notes","name":"ask","id":"(elic_[A-Z0-9]+)","message":"Which day\?","schema":{`).FindStringSubmatch(lines.Text())
			if id == nil {
				continue
			}
			for _, one := range []struct {
				content string
				status  int
				says    string
			}{{`"third"`, 400, `"param":"content"`}, {`{"day":3}`, 200, `{}`}, {`{"day":4}`, 400, `"param":"id"`}} {
				answer, err := http.Post(h.URL+"/v1/elicitations", "application/json", strings.NewReader(`{"id":"`+id[1]+`","action":"accept","content":`+one.content+`}`))
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(answer.Body)
				if _ = answer.Body.Close(); answer.StatusCode != one.status || !strings.Contains(string(body), one.says) {
					t.Errorf("%s: %d %s", one.content, answer.StatusCode, body)
				}
			}
		}
		if !strings.Contains(all, want) || !strings.Contains(all, `"finish_reason":"stop"`) || strings.Contains(all, "server_elicitation") != strings.Contains(want, "accept") {
			t.Errorf("%s: %s", extension, all)
		}
	}
}

// servers is a source of some tools.
type servers []agent.Tool

func (s servers) Tools(context.Context) ([]agent.Tool, error) { return s, nil }

var approvalID = regexp.MustCompile(`mcpr_call_[A-Z0-9]+`)

// A call that waits is executed once its client approves it: by previous_response_id, and by
// sending back what came.
func TestHosted_approvalInEachProtocol(t *testing.T) {
	for name, c := range map[string]struct{ path, first, second string }{
		"responses, kept": {
			"/v1/responses", `{"model":"json","input":"Look.","tools":[{"type":"mcp","server_label":"notes"}]}`,
			`{"model":"json","previous_response_id":"RESPONSE","tools":[{"type":"mcp","server_label":"notes"}],"input":[{"type":"mcp_approval_response","approval_request_id":"ID","approve":true}]}`,
		},
		"responses, sent back": {
			"/v1/responses", `{"model":"json","store":false,"input":"Look.","tools":[{"type":"mcp","server_label":"notes"}]}`,
			`{"model":"json","store":false,"tools":[{"type":"mcp","server_label":"notes"}],"input":[{"role":"user","content":"Look."},{"type":"mcp_approval_request","id":"ID","server_label":"notes","name":"lookup","arguments":"{\"q\":\"Oslo\"}"},{"type":"mcp_approval_response","approval_request_id":"ID","approve":true}]}`,
		},
		"chat": {
			"/v1/chat/completions", `{"model":"json","messages":[{"role":"user","content":"Look."}],"tools":[{"type":"mcp","server_label":"notes"}]}`,
			`{"model":"json","approvals":[{"id":"ID","approve":true}],"tools":[{"type":"mcp","server_label":"notes"}],"messages":[{"role":"user","content":"Look."},{"role":"assistant","content":"","server_tool_calls":[{"id":"ID","type":"approval_request","server_label":"notes","name":"lookup","arguments":"{\"q\":\"Oslo\"}"}]}]}`,
		},
	} {
		h, e := hosting(t, agent.Options{}, lookupCall, "It rains in Oslo.")
		first := asked(t, h, c.path, c.first)
		id := approvalID.FindString(first)
		if id == "" || strings.Contains(first, "It rains.") {
			t.Fatalf("%s: %s", name, first)
		}
		var made struct{ ID string }
		_ = json.Unmarshal([]byte(first), &made)
		second := asked(t, h, c.path, strings.NewReplacer("ID", id, "RESPONSE", made.ID).Replace(c.second))
		if !strings.Contains(second, "It rains in Oslo.") || !strings.Contains(second, `"It rains."`) {
			t.Errorf("%s: %s", name, second)
		}
		prompt := e.Turns()[1].Prompt.String()
		if strings.Count(prompt, `"Oslo"`) != 1 || !strings.Contains(prompt, "It rains.") {
			t.Errorf("%s: the model was told\n%s", name, prompt)
		}
	}
}

// What the server executed is told to the model again when the client goes on, whichever way the
// client keeps the conversation.
func TestHosted_theConversationGoesOn(t *testing.T) {
	const again = "And tomorrow?"
	h, e := hosting(t, agent.Options{}, lookupCall, "It rains in Oslo.", "Tomorrow too.")
	first := asked(t, h, "/v1/responses", `{"model":"json","input":"Look.","tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}]}`)
	var made struct {
		ID     string
		Output []json.RawMessage
	}
	if err := json.Unmarshal([]byte(first), &made); err != nil {
		t.Fatal(err)
	}
	asked(t, h, "/v1/responses", `{"model":"json","previous_response_id":"`+made.ID+`","input":"`+again+`"}`)
	inOrder(t, e, 2, again)

	h, e = hosting(t, agent.Options{}, lookupCall, "It rains in Oslo.", "Tomorrow too.")
	first = asked(t, h, "/v1/chat/completions", `{"model":"json","messages":[{"role":"user","content":"Look."}],"tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}]}`)
	var c struct {
		Choices []struct{ Message json.RawMessage }
	}
	if err := json.Unmarshal([]byte(first), &c); err != nil {
		t.Fatal(err)
	}
	asked(t, h, "/v1/chat/completions", `{"model":"json","messages":[{"role":"user","content":"Look."},`+string(c.Choices[0].Message)+`,{"role":"user","content":"`+again+`"}]}`)
	inOrder(t, e, 2, again)

	h, e = hosting(t, agent.Options{}, lookupCall, "It rains in Oslo.", "Tomorrow too.")
	first = asked(t, h, "/v1/messages", `{"model":"json","max_tokens":500,"messages":[{"role":"user","content":"Look."}],"mcp_servers":[{"type":"url","name":"notes"}]}`)
	var m struct{ Content json.RawMessage }
	if err := json.Unmarshal([]byte(first), &m); err != nil {
		t.Fatal(err)
	}
	asked(t, h, "/v1/messages", `{"model":"json","max_tokens":500,"messages":[{"role":"user","content":"Look."},{"role":"assistant","content":`+string(m.Content)+`},{"role":"user","content":"`+again+`"}]}`)
	inOrder(t, e, 2, again)
}

// inOrder checks that a turn's prompt holds the call, its result and the answer, in this order.
func inOrder(t *testing.T, e *enginetest.Scripted, turn int, end string) {
	t.Helper()
	prompt := e.Turns()[turn].Prompt.String()
	at := 0
	for _, part := range []string{"Look.", `"Oslo"`, "It rains.", "It rains in Oslo.", end} {
		i := strings.Index(prompt[at:], part)
		if i < 0 {
			t.Fatalf("%q is not where it should be in\n%s", part, prompt)
		}
		at += i + len(part)
	}
}

// An approval is asked for in this protocol's own form only: where there is none, the tool is not
// offered, and the answer's header says so.
func TestHosted_noFormForApproval(t *testing.T) {
	h, e := hosting(t, agent.Options{Sources: []agent.Source{asking{}}}, "No.")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(`{"model":"json","max_tokens":50,"messages":[{"role":"user","content":"hi"}],"mcp_servers":[{"type":"url","name":"notes"}]}`)))
	if rec.Code != http.StatusOK || !strings.Contains(rec.Header().Get("X-Tenon-Ignored"), "notes/erase") || strings.Contains(e.Turns()[0].Prompt.String(), "erase") {
		t.Errorf("%d %q", rec.Code, rec.Header().Get("X-Tenon-Ignored"))
	}
}

// asking has one tool that may run and one that must be asked about.
type asking struct{}

func (asking) Tools(ctx context.Context) ([]agent.Tool, error) {
	all, _ := notebook{}.Tools(ctx)
	all[1].Approval = agent.Ask
	return all[:2], nil
}

// A request's credentials for a server reach it alone: no answer, no record, no kept response and
// no log has them, in whichever part the request gives them.
func TestHosted_credentialsStayWithTheirServer(t *testing.T) {
	const mine = `"server_label":"mine","server_url":"http://127.0.0.1:1/s3cret4-of-its-path/mcp?k=s3cret3","authorization":"s3cret","headers":{"X-Key":"s3cret2"},"require_approval":"never"`
	for name, c := range map[string]struct{ path, body, want string }{
		"responses":        {"/v1/responses", `{"model":"json","input":"hi","tools":[{"type":"mcp",` + mine + `}]}`, "Bearer s3crets3cret2"},
		"responses, added": {"/v1/responses", `{"model":"json","input":[{"type":"additional_tools","tools":[{"type":"mcp",` + mine + `}]},{"role":"user","content":"hi"}]}`, "Bearer s3crets3cret2"},
		"chat":             {"/v1/chat/completions", `{"model":"json","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"mcp",` + mine + `}]}`, "Bearer s3crets3cret2"},
		"messages":         {"/v1/messages", `{"model":"json","max_tokens":300,"messages":[{"role":"user","content":"hi"}],"mcp_servers":[{"type":"url","name":"mine","url":"http://127.0.0.1:1/s3cret4-of-its-path/mcp?k=s3cret3","authorization_token":"s3cret"}]}`, "Bearer s3cret"},
	} {
		got := map[string]string{}
		o := options(t)
		var log strings.Builder
		o.DebugRequests, o.LogPrompts, o.Log = 5, true, slog.New(slog.NewTextHandler(&log, nil))
		o.Service = &chat.Service{Models: families{enginetest.Script(enginetest.Say(lookupCall), enginetest.Say("Done."))}}
		o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{}, Connector: connector(func(s chat.HostedTools) { got[s.URL] = s.Headers["Authorization"] + s.Headers["X-Key"] })})
		h := server.New(o)
		get := func(path string) string {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
			return rec.Body.String()
		}
		r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header.Set("X-Request-Id", "r1")
		r.Header.Set("X-Tenon-Debug", "1")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if got["http://127.0.0.1:1/s3cret4-of-its-path/mcp?k=s3cret3"] != c.want || !strings.Contains(rec.Body.String(), "It rains.") {
			t.Errorf("%s: the server was sent %q; %s", name, got, rec.Body)
		}
		var made struct{ ID string }
		_ = json.Unmarshal(rec.Body.Bytes(), &made)
		for what, text := range map[string]string{
			"answer": rec.Body.String(), "record": get("/debug/requests/r1"), "log": log.String(),
			"kept response": get("/v1/responses/" + made.ID), "list of input items": get("/v1/responses/" + made.ID + "/input_items"),
		} {
			if strings.Contains(text, "s3cret") {
				t.Errorf("%s: the %s has the credentials: %s", name, what, text)
			}
		}
		if !strings.Contains(log.String(), "tool executed") || !strings.Contains(log.String(), "approved_by=settings") {
			t.Errorf("%s: the log lacks the call: %s", name, &log)
		}
	}
}

type connector func(chat.HostedTools)

func (c connector) Connect(_ context.Context, s chat.HostedTools) (agent.Source, error) {
	c(s)
	return notebook{}, nil
}

// S3-21: executed and failed calls are counted.
func TestHosted_callsAreCounted(t *testing.T) {
	h, _ := hosting(t, agent.Options{}, lookupCall, `{"tool": "lookup", "arguments": {"q": "gone"}}`, "Done.")
	asked(t, h, "/v1/responses", `{"model":"json","input":"Look.","tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}]}`)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`tenon_executed_calls_total{model="json",result="ok",tool="notes/lookup"} 1`, `tenon_executed_calls_total{model="json",result="failed",tool="notes/lookup"} 1`,
	} {
		if !slices.Contains(strings.Split(rec.Body.String(), "\n"), want) {
			t.Errorf("no %s", want)
		}
	}
}

// S4-18: what ended the calls is told beside the answer.
func TestHosted_theLimitIsNamed(t *testing.T) {
	for _, stream := range []string{"false", "true"} {
		h, _ := hosting(t, agent.Options{Limits: agent.Limits{Rounds: 1}}, lookupCall, "It rains.")
		s := httptest.NewServer(h)
		resp, err := http.Post(s.URL+"/v1/responses", "application/json", strings.NewReader(`{"model":"json","stream":`+stream+`,"input":"Look.","tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		s.Close()
		if got := resp.Header.Get("X-Tenon-Limit") + resp.Trailer.Get("X-Tenon-Limit"); got != "rounds" {
			t.Errorf("stream %s: %q", stream, got)
		}
	}
}

// Messages pauses where the time is up, and the turn goes on from what comes back.
func TestHosted_messagesPauses(t *testing.T) {
	h, e := hosting(t, agent.Options{Limits: agent.Limits{Time: 1}}, lookupCall, "It rains in Oslo.")
	const head = `{"model":"json","max_tokens":300,"mcp_servers":[{"type":"url","name":"notes"}],"messages":[{"role":"user","content":"Look."}`
	first := asked(t, h, "/v1/messages", head+"]}")
	var m struct {
		Content    json.RawMessage
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal([]byte(first), &m); err != nil || m.StopReason != "pause_turn" {
		t.Fatalf("%v %s", err, first)
	}
	second := asked(t, h, "/v1/messages", head+`,{"role":"assistant","content":`+string(m.Content)+"}]}")
	if !strings.Contains(second, "It rains in Oslo.") || !strings.Contains(second, "end_turn") || !strings.Contains(e.Turns()[1].Prompt.String(), "It rains.") {
		t.Errorf("%s", second)
	}
}

// A response in the background runs the loop, and is counted, logged and recorded like others.
func TestHosted_inTheBackground(t *testing.T) {
	o := options(t)
	var log strings.Builder
	o.DebugRequests, o.Log = 5, slog.New(slog.NewTextHandler(&log, nil))
	o.Service = &chat.Service{Models: families{enginetest.Script(enginetest.Say(lookupCall), enginetest.Say("It rains in Oslo."))}}
	o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{notebook{}}})
	store, err := responses.OpenStore(responses.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o.Responses = store
	h := conforms(t, server.New(o))
	r := httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(`{"model":"json","input":"Look.","background":true,"tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}]}`))
	r.Header.Set("X-Request-Id", "r1")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	var made struct{ ID, Status string }
	if err := json.Unmarshal(rec.Body.Bytes(), &made); err != nil || made.Status != "queued" {
		t.Fatalf("%v %s", err, rec.Body)
	}
	store.Drain(t.Context()) // it waits for it
	for path, want := range map[string]string{"/v1/responses/" + made.ID: "mcp_call", "/debug/requests/r1": "Oslo", "/metrics": `tool="notes/lookup"} 1`} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	if !strings.Contains(log.String(), "tool executed") || !strings.Contains(log.String(), "id=r1") {
		t.Errorf("%s", &log)
	}
}
