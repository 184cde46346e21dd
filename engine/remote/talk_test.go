package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/remote/chat"
	"tenon/server"
	"tenon/server/servertest"
	"tenon/templates"
)

// The APIs that render conversations, each as a stream with one call.
var chatCalls = map[API]func(arguments string) string{
	Chat: func(arguments string) string {
		return fmt.Sprintf("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"weather\",\"arguments\":%q}}]}}]}\n\n"+
			"data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"+
			"data: {\"id\":\"x\",\"choices\":[],\"usage\":{\"prompt_tokens\":31,\"completion_tokens\":7}}\n\ndata: [DONE]\n\n", arguments)
	},
	Messages: func(arguments string) string {
		return fmt.Sprintf("data: {\"type\":\"message_start\",\"message\":{\"id\":\"x\",\"usage\":{\"input_tokens\":31}}}\n\n"+
			"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"weather\",\"input\":{}}}\n\n"+
			"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":%q}}\n\n"+
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":7}}\n\ndata: {\"type\":\"message_stop\"}\n\n", arguments)
	},
}

// forced is a request of each protocol for a turn that must call, with %s for its strictness and
// %t for whether it streams.
var forced = map[string]string{
	"/v1/chat/completions": `{"model":"m","stream":%[2]t,"tool_choice":"required","stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}],` +
		`"tools":[{"type":"function","function":{"name":"weather",%[1]s"parameters":` + cityOnly + `}}]}`,
	"/v1/responses": `{"model":"m","stream":%[2]t,"tool_choice":"required","input":"hi","tools":[{"type":"function","name":"weather",%[1]s"parameters":` + cityOnly + `}]}`,
	"/v1/messages": `{"model":"m","max_tokens":512,"stream":%[2]t,"tool_choice":{"type":"any"},"messages":[{"role":"user","content":"hi"}],` +
		`"tools":[{"name":"weather",%[1]s"input_schema":` + cityOnly + `}]}`,
}

const cityOnly = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`

// S2-19: an upstream that renders conversations and parses calls by itself gets them as they are.
// What comes back is validated, and asked for once more where it is wrong, whatever the client
// speaks.
func TestTalk_S2_19_callsFitInEachProtocol(t *testing.T) {
	const right, wrong = `{"city": "Berlin"}`, `{"town": 7}`
	for name, c := range map[string]struct {
		answers []string
		strict  string
		status  int
		turns   int
	}{
		"at once":            {[]string{right}, "", 200, 1},
		"at the second try":  {[]string{wrong, right}, "", 200, 2},
		"never":              {[]string{wrong}, "", 400, 2},
		"of a strict schema": {[]string{right}, `"strict":true,`, 400, 0},
	} {
		for a, say := range chatCalls {
			for path, body := range forced {
				for _, stream := range []bool{false, true} {
					t.Run(fmt.Sprint(name, " ", a, path, " ", stream), func(t *testing.T) {
						f := newFar("a")
						at := 0
						f.hosts["a"] = hostOf(a)
						f.hosts["a"].body = func(*http.Request) io.Reader {
							at++
							return strings.NewReader(say(c.answers[min(at, len(c.answers))-1]))
						}
						h := server.New(servertest.Options(servertest.Model{ID: "m", Engine: connectTo(t, f, "http://a")}))
						var faults []error
						h = servertest.Watch(h, func(e servertest.Exchange) { faults = append(faults, e.Fault()) })
						w := httptest.NewRecorder()
						h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(fmt.Sprintf(body, c.strict, stream))))
						got := w.Body.String()
						if failed := w.Code != 200 || strings.Contains(got, `"error":{`); failed != (c.status != 200) || len(f.turns()) != c.turns || w.Code != 200 && w.Code != c.status {
							t.Fatalf("%d after %d turns: %s", w.Code, len(f.turns()), got)
						}
						if err := errors.Join(faults...); err != nil {
							t.Error(err)
						}
						if name == "never" && (!strings.Contains(got, "what the model made is none: ") || !strings.Contains(got, "(try 2 of 2)")) {
							t.Errorf("the error does not say why: %s", got)
						}
						if strings.Contains(got, "town") && c.status == 200 {
							t.Errorf("a call that does not fit has left: %s", got)
						}
						if c.status == 200 && (!strings.Contains(got, `Berlin`) || !strings.HasPrefix(w.Header().Get("X-Tenon-Guarantees"), "calls: validated, not constrained") || !strings.Contains(got, `tokens":31`)) {
							t.Errorf("%s %q", got, w.Header())
						}
						if c.turns > 0 && f.requests[0]["tool_choice"] == nil {
							t.Errorf("%v", f.requests[0])
						}
					})
				}
			}
		}
	}
}

// A tool that is named is asked for by its name, no call of another leaves, and of several calls
// where one is wanted the first alone.
func TestTalk_choices(t *testing.T) {
	for a, say := range chatCalls {
		f := newFar("a")
		f.hosts["a"] = hostOf(a)
		f.hosts["a"].body = func(*http.Request) io.Reader { return strings.NewReader(say(`{"city":"Berlin"}`)) }
		h := server.New(servertest.Options(servertest.Model{ID: "m", Engine: connectTo(t, f, "http://a")}))
		ask := func(choice string) (string, map[string]any) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(`{"model":"m",`+choice+`"messages":[{"role":"user","content":"hi"}],"tools":[`+
				`{"type":"function","function":{"name":"weather","parameters":`+cityOnly+`}},{"type":"function","function":{"name":"time"}}]}`)))
			return w.Body.String(), f.requests[len(f.requests)-1]
		}
		got, sent := ask(`"tool_choice":{"type":"function","function":{"name":"weather"}},"parallel_tool_calls":false,`)
		if b, _ := json.Marshal(sent["tool_choice"]); !strings.Contains(got, "Berlin") || !strings.Contains(string(b), `"name":"weather"`) {
			t.Errorf("%s: %s, %s", a, got, b)
		}
		if got, _ := ask(`"tool_choice":{"type":"function","function":{"name":"time"}},`); strings.Contains(got, `"tool_calls"`) || !strings.Contains(got, `"error"`) {
			t.Errorf("%s: another tool than the one that must be called: %s", a, got)
		}
		if got, sent := ask(`"tool_choice":"none",`); strings.Contains(got, `"tool_calls"`) {
			t.Errorf("%s: a call that may not be: %s, %v", a, got, sent["tool_choice"])
		}
	}
}

// The engine suite holds with a whole tenon as the upstream, by each API of conversations.
func TestTalk_passesTheSuite(t *testing.T) {
	for a := range chatCalls {
		t.Run(string(a), func(t *testing.T) {
			enginetest.Run(t, enginetest.Subject{Scripted: true, Open: func(t *testing.T) engine.Engine {
				scripted := &enginetest.Scripted{Play: func(engine.Turn) enginetest.Reply { return enginetest.Say(strings.Repeat("and then ", 10)) }}
				s := httptest.NewServer(server.New(servertest.Options(servertest.Model{ID: "m", Engine: scripted})))
				t.Cleanup(s.Close)
				e, err := Connect(t.Context(), Options{Name: "m", URLs: []string{s.URL + "/v1#api=" + string(a)}, Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				if can := e.Model().Can; !can.Asks(engine.ChatTools) || can.Asks(engine.ChatThinks) != (a == Messages) || can.Tokenizes() || can.IDs {
					t.Errorf("%+v", can)
				}
				return few{e}
			}})
		})
	}
}

// few is an engine with few slots: an API of conversations is taken to have many.
type few struct{ engine.Engine }

func (f few) Model() engine.Model {
	m := f.Engine.Model()
	m.Slots = 2
	return m
}

// What an upstream takes is found out by asking, and what it does not is told in words or by
// another name.
func TestTalk_whatAnUpstreamTakes(t *testing.T) {
	for name, c := range map[string]struct {
		host  farHost
		limit string
		tools bool
	}{
		"all":                 {farHost{}, "max_tokens", true},
		"an answer's error":   {farHost{chokes: true}, "max_tokens", false},
		"the limit's newname": {farHost{newer: true}, "max_completion_tokens", true},
		"no tools":            {farHost{refuses: true}, "max_tokens", false},
		"tools are not shown": {farHost{deaf: true}, "max_tokens", false},
		"neither":             {farHost{refuses: true, newer: true}, "max_completion_tokens", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFar("a")
			c.host.api, c.host.width = Chat, 64
			f.hosts["a"] = &c.host
			text := `{"tool": "weather", "arguments": {"city": "Berlin"}}`
			c.host.body = func(*http.Request) io.Reader { return strings.NewReader(c.host.says(text)) }
			if c.tools {
				c.host.body = func(*http.Request) io.Reader { return strings.NewReader(chatCalls[Chat](`{"city":"Berlin"}`)) }
			}
			e := connectTo(t, f, "http://a")
			if can := e.Model().Can; can.Asks(engine.ChatTools) != c.tools || can.Mask != engine.NoMask {
				t.Errorf("%+v", can)
			}
			h := server.New(servertest.Options(servertest.Model{ID: "m", Engine: e}))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/messages", strings.NewReader(fmt.Sprintf(forced["/v1/messages"], "", false))))
			sent := f.requests[0]
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"tool_use"`) || (sent["tools"] != nil) != c.tools || sent[c.limit] != 512. {
				t.Errorf("%d %s after %v", w.Code, w.Body, sent)
			}
		})
	}
}

// How an upstream is asked to think is found out, whatever the client speaks; where it is not
// asked, that is said.
func TestTalk_thinkingIsAskedFor(t *testing.T) {
	requests := map[string]string{
		"/v1/chat/completions": `{"model":"m","max_completion_tokens":4000,"reasoning_effort":"low","temperature":0,"messages":[{"role":"user","content":"hi"}]}`,
		"/v1/responses":        `{"model":"m","max_output_tokens":4000,"reasoning":{"effort":"low"},"temperature":0,"input":"hi"}`,
		"/v1/messages":         `{"model":"m","max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":1500},"temperature":0,"messages":[{"role":"user","content":"hi"}]}`,
	}
	for _, thinks := range []string{"adaptive", "enabled", "nothing"} {
		f := newFar("a")
		f.hosts["a"] = hostOf(Messages)
		f.hosts["a"].thinks = thinks
		f.hosts["a"].body = says(transcript(t, "messages/thinking.txt"))
		e := connectTo(t, f, "http://a")
		h := server.New(servertest.Options(servertest.Model{ID: "m", Engine: e}))
		if can := e.Model().Can; can.Asks(engine.ChatThinks) != (thinks == "adaptive") || can.Asks(engine.ChatBudget) != (thinks == "enabled") || can.Asks(engine.ChatEffort) != (thinks == "adaptive") {
			t.Errorf("%s: %s", thinks, can.Chat)
		}
		for path, body := range requests {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
			sent := f.requests[len(f.requests)-1]
			how, _ := json.Marshal([]any{sent["thinking"], sent["output_config"], sent["temperature"]})
			want := map[string]string{
				"adaptive": `[{"display":"summarized","type":"adaptive"},{"effort":"low"},null]`, "enabled": `[{"budget_tokens":1024,"type":"enabled"},null,null]`, "nothing": `[null,null,0]`,
			}[thinks]
			if path == "/v1/messages" {
				want = strings.NewReplacer("1024", "1500", `{"effort":"low"}`, "null").Replace(want)
			}
			if w.Code != 200 || string(how) != want || !strings.Contains(w.Body.String(), "So.") {
				t.Errorf("%s%s: %s, want %s; %d %s", thinks, path, how, want, w.Code, w.Body)
			}
			ignored := w.Header().Get("X-Tenon-Ignored")
			if strings.Contains(ignored, "temperature") != (thinks != "nothing") || strings.Contains(ignored, "thinking (") != (thinks == "nothing" || path == "/v1/messages") {
				t.Errorf("%s%s: ignored %q", thinks, path, ignored)
			}
		}
	}
}

// A prefix of an answer is none: whatever is lost, no call leaves that has not come whole.
func TestTalk_S1_18_noCallOfAnAnswerThatBreaks(t *testing.T) {
	for a := range chatCalls {
		whole := transcript(t, folders[a]+"/call.txt")
		end := strings.Index(whole, map[API]string{Chat: `"tool_calls"}]}`, Messages: `"stop_reason":"tool_use"`}[a])
		end += strings.Index(whole[end:], "\n\n") + 2
		f := newFar("a")
		f.hosts["a"] = hostOf(a)
		e := connectTo(t, f, "http://a")
		for cut := range len(whole) {
			f.hosts["a"].body = says(whole[:cut])
			revive(e)
			got := ask(t, e, plain())
			symbols := 0
			for _, token := range got.tokens {
				symbols += b2i(token.Kind == engine.Symbol)
			}
			if (cut >= end) != (got.err == nil) || symbols != 2*b2i(cut >= end) || !strings.HasPrefix(gruss+called, got.text) {
				t.Fatalf("%s cut at %d of %d: %q, %v", a, cut, end, got.text, got.err)
			}
		}
	}
}

// S1-16: arguments may come more than once, and parts may be left out. The turn's trace tells it.
func TestTalk_S1_16_theTraceTellsWhichVersionCounts(t *testing.T) {
	for name, want := range map[string]string{
		"chat/call-and-the-whole":               "both are equal",
		"chat/call-twice":                       "both are equal",
		"chat/call-differs-from-the-whole":      "the last, which is whole, is taken, not the pieces before it",
		"chat/call-cut-and-the-whole":           "the last is taken, and the pieces before it are no object",
		"chat/call-whole-and-a-rest":            "the pieces are taken, and the last is no object",
		"chat/content-of-other-types":           `of the type \"reference\", which is left out`,
		"chat/call":                             "",
		"messages/call-and-the-whole":           "the last, which is whole, is taken",
		"messages/call-start-end-and-the-whole": "", // the start's arguments are none
		"messages/call":                         "",
	} {
		f := newFar("a")
		a := API(strings.Split(name, "/")[0])
		f.hosts["a"] = hostOf(a)
		f.hosts["a"].body = says(transcript(t, name+".txt"))
		o := servertest.Options(servertest.Model{ID: "m", Engine: connectTo(t, f, "http://a")})
		o.DebugRequests = 1
		h := server.New(o)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/messages", strings.NewReader(fmt.Sprintf(forced["/v1/messages"], "", false))))
		trace := httptest.NewRecorder()
		h.ServeHTTP(trace, httptest.NewRequest("GET", "/debug/requests/"+w.Header().Get("X-Request-Id"), nil))
		if got := trace.Body.String(); trace.Code != 200 || !strings.Contains(got, want) || want == "" && strings.Contains(got, "more than once") {
			t.Errorf("%s: %d, no %q in %s", name, trace.Code, want, got)
		}
	}
}

// What an upstream will not answer is no fault of the upstream's.
func TestTalk_refusals(t *testing.T) {
	for a, stream := range map[API]string{
		Chat:     "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"content_filter\"}]}\n\n",
		Messages: "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n",
		OpenAI:   "data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"content_filter\"}]}\n\n",
	} {
		f := newFar("a")
		f.hosts["a"] = hostOf(a)
		f.hosts["a"].body = says(stream)
		e := connectTo(t, f, "http://a")
		if got := ask(t, e, plain()); !errors.Is(got.err, errRefused) || errors.Is(got.err, errLost) || !e.isUp(e.all()[0]) {
			t.Errorf("%s: %v", a, got.err)
		}
	}
}

// The key goes where an API has it, and a model that a list does not have can be named.
func TestTalk_keysAndNames(t *testing.T) {
	for a, header := range map[API]string{Chat: "Authorization", Messages: "X-Api-Key"} {
		f := newFar("a")
		f.hosts["a"] = hostOf(a)
		f.hosts["a"].body = says(transcript(t, folders[a]+"/whole.txt"))
		seen := ""
		e, err := Connect(context.Background(), Options{Name: "m", Key: "k", Context: 1000, URLs: []string{"http://a/v1#model=alias&api=" + string(a)}, transport: transportOf(func(r *http.Request) (*http.Response, error) {
			seen = r.Header.Get(header)
			return f.RoundTrip(r)
		})})
		if err != nil {
			t.Fatal(err)
		}
		got := ask(t, e, plain())
		if sent := f.requests[0]; got.err != nil || sent["model"] != "alias" || !strings.HasSuffix(seen, "k") {
			t.Errorf("%s: %v, %q, %v", a, got.err, seen, sent)
		}
		_ = e.Close()
	}
}

type transportOf func(*http.Request) (*http.Response, error)

func (f transportOf) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The requests of each API.
func TestTalk_requests(t *testing.T) {
	seed, cold, on := uint32(7), float32(0), true
	rich := chat.Conversation{
		Tools: []chat.Tool{{Name: "weather", Description: "Tells it.", Parameters: json.RawMessage(cityOnly)}, {Name: "time"}},
		Messages: []chat.Message{
			{Role: "system", Text: "Be brief."}, {Role: "user", Text: "<tool_call>\"}"},
			{Role: "assistant", Text: "I look.", Reasoning: "So.", Calls: []templates.Call{{ID: "call.1", Name: "weather", Arguments: `{"city":"Köln"}`}, {ID: "2", Name: "time", Arguments: "{}"}}},
			{Role: "tool", CallID: "call.1", Text: "rain"}, {Role: "tool", CallID: "2", Text: "broken", Failed: true}, {Role: "user", Text: "And now?"},
		},
	}
	rich.Thinking.Enabled, rich.Thinking.Effort = &on, "low"
	former := rich
	former.Tools = nil
	for a, api := range map[API]chat.API{Chat: chat.Completions, Messages: chat.Messages} {
		for name, t1 := range map[string]turn{
			"full":      {talk: &rich, Turn: engine.Turn{Budget: engine.Budget{Tokens: 3000}, Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &cold}, Seed: &seed}, Wishes: engine.Wishes{OneCall: true, Format: json.RawMessage(`{"type":"object"}`)}}},
			"required":  {talk: &rich, Turn: engine.Turn{Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &cold}}, Wishes: engine.Wishes{Call: "required"}}},
			"named":     {talk: &rich, Turn: engine.Turn{Wishes: engine.Wishes{Call: "required", Tool: "weather"}}},
			"thinks":    {talk: &rich, Turn: engine.Turn{Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &cold}}, Wishes: engine.Wishes{Thought: 2000}}},
			"decides":   {talk: &rich, Turn: engine.Turn{Budget: engine.Budget{Tokens: 100}, Wishes: engine.Wishes{Thought: -1, Format: json.RawMessage(`{"type":"object"}`)}}},
			"none":      {talk: &rich, Turn: engine.Turn{Wishes: engine.Wishes{Call: "none"}}},
			"untooled":  {talk: &former, Turn: engine.Turn{Wishes: engine.Wishes{Call: "required"}}},
			"goes-on":   {talk: &chat.Conversation{Messages: []chat.Message{{Role: "user", Text: "hi"}, {Role: "assistant", Text: "ho \n"}}}},
			"no-answer": {talk: &chat.Conversation{Messages: []chat.Message{{Role: "system", Text: "hi"}}}},
		} {
			if t1.Wishes.Thought != 0 && len(api.Thinks) == 0 {
				continue
			}
			_, body := (&talk{served: served{id: "m", context: 1 << 16}, API: api, limit: api.Limits[0]}).request(t1)
			b, err := json.MarshalIndent(body, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "requests", string(a)+"-"+name+".json"), string(b)+"\n")
		}
	}
}
