package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/record"
)

// askWith sends a request with headers and returns the answer.
func askWith(t *testing.T, h http.Handler, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	conforms(t, h).ServeHTTP(rec, r)
	return rec
}

func readRecord(t *testing.T, text string) *record.Record {
	t.Helper()
	var r record.Record
	if err := json.Unmarshal([]byte(text), &r); err != nil || len(r.Turns) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	return &r
}

// cleanCall is a call as the mask has it, lookingCall one with something to mend.
const cleanCall = `Let me look.` + "\n" + `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`

const lookingCall = `Let me look.` + "\n" + `{"tool": "get_weather", "arguments": {"city": "Oslo",}}`

func TestDebug_aWholeAnswerHoldsItsRecord(t *testing.T) {
	o := options(t, enginetest.Say(lookingCall))
	// under the mask there is nothing to mend
	o.Models.(oneModel).engine.Info.Can = enginetest.Unmasked
	rec := askWith(t, server.New(o), "/v1/chat/completions", hello+weather, "X-Tenon-Debug", "1", "X-Request-Id", "mine")
	var answer struct {
		Choices []any
		Debug   json.RawMessage `json:"tenon_debug"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || len(answer.Choices) != 1 {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	r := readRecord(t, string(answer.Debug))
	turn := r.Turns[0]
	if r.ID != "mine" || r.Status != http.StatusOK || r.Body != hello+weather {
		t.Errorf("%s %d %s", r.ID, r.Status, r.Body)
	}
	if turn.Output() != lookingCall || !strings.Contains(turn.Prompt.String(), "get_weather") || !strings.Contains(turn.Grammar, "root") {
		t.Errorf("%+v", turn)
	}
	last := turn.Events[len(turn.Events)-1]
	if last.Kind != chat.Finished || len(last.Finish.Repairs) == 0 {
		t.Errorf("the comma that was mended is not told: %+v", last)
	}
}

func TestDebug_aStreamEndsWithItsRecordInAComment(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{"/v1/chat/completions", hello + `,"stream":true}`},
		{"/v1/responses", `{"model":"scripted","input":"hi","stream":true}`},
		{"/v1/messages", `{"model":"scripted","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`},
	} {
		o := options(t, enginetest.Say("word"))
		events := strings.Split(strings.TrimSpace(askWith(t, server.New(o), c.path, c.body, "X-Tenon-Debug", "1").Body.String()), "\n\n")
		text, ok := strings.CutPrefix(events[len(events)-1], ": tenon-debug ")
		if !ok || len(events) < 3 {
			t.Fatalf("%s: %q", c.path, events)
		}
		if got := readRecord(t, text).Turns[0].Output(); got != "word" {
			t.Errorf("%s: output %q", c.path, got)
		}
	}
}

func TestDebug_withoutTheHeaderNothingIsAdded(t *testing.T) {
	for _, value := range []string{"", "0"} {
		rec := askWith(t, server.New(options(t, enginetest.Say("a"))), "/v1/chat/completions", hello+`}`, "X-Tenon-Debug", value)
		if strings.Contains(rec.Body.String(), "tenon_debug") {
			t.Errorf("%q: %s", value, rec.Body)
		}
	}
}

func TestDebug_errorsHoldTheirRecordToo(t *testing.T) {
	reply := enginetest.Say("half")
	reply.Err = engine.ErrWorkerLost
	rec := askWith(t, server.New(options(t, reply, reply)), "/v1/chat/completions", hello+`}`, "X-Tenon-Debug", "1")
	if rec.Code != http.StatusServiceUnavailable || !strings.Contains(rec.Body.String(), `"failure":{"kind":"unavailable"`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	rec = askWith(t, server.New(options(t)), "/v1/chat/completions", `{`, "X-Tenon-Debug", "1")
	if rec.Code != http.StatusBadRequest || !json.Valid(rec.Body.Bytes()) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestDebug_recordsAreKeptForTheirCaller(t *testing.T) {
	o := options(t, enginetest.Say("one"), enginetest.Say("two"), enginetest.Say("three"))
	o.DebugRequests = 2
	for i, key := range []string{"alice=a", "bob=b"} {
		k, err := server.NewKey(key, i)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = append(o.Keys, k)
	}
	h := server.New(o)
	for _, id := range []string{"r1", "r2", "r3"} {
		askWith(t, h, "/v1/chat/completions", hello+`}`, "X-Api-Key", "a", "X-Request-Id", id)
	}
	for _, c := range []struct {
		id, key string
		want    int
	}{{"r3", "a", 200}, {"r2", "a", 200}, {"r1", "a", 404}, {"r3", "b", 404}, {"r3", "", 401}} {
		r := httptest.NewRequest(http.MethodGet, "/debug/requests/"+c.id, nil)
		r.Header.Set("X-Api-Key", c.key)
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, r); rec.Code != c.want {
			t.Errorf("%s for %q: %d %s", c.id, c.key, rec.Code, rec.Body)
		}
		if c.want == http.StatusOK && readRecord(t, rec.Body.String()).ID != c.id {
			t.Errorf("%s: another record", c.id)
		}
	}
}

// Issue 19: ids are clients' to choose. One caller's can neither show nor replace nor drive out
// another's record.
func TestDebug_anotherCallersIDTouchesNothing(t *testing.T) {
	replies := make([]enginetest.Reply, 6)
	for i := range replies {
		replies[i] = enginetest.Say(fmt.Sprint("answer ", i))
	}
	o := options(t, replies...)
	o.DebugRequests = 3
	for i, key := range []string{"alice=a", "bob=b"} {
		k, err := server.NewKey(key, i)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = append(o.Keys, k)
	}
	h := server.New(o)
	send := func(key, id string) {
		askWith(t, h, "/v1/chat/completions", hello+`}`, "X-Api-Key", key, "X-Request-Id", id)
	}
	send("a", "mine")
	for _, id := range []string{"mine", "x", "y", "z", "u"} {
		send("b", id)
	}
	for key, want := range map[string]string{"a": "answer 0", "b": ""} {
		r := request(http.MethodGet, "/debug/requests/mine", "X-Api-Key", key)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if want == "" {
			if rec.Code != http.StatusNotFound {
				t.Errorf("%s: %d %s", key, rec.Code, rec.Body)
			}
		} else if got := readRecord(t, rec.Body.String()).Turns[0].Output(); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
}

func TestDebug_theRouteIsOffUnlessItIsAskedFor(t *testing.T) {
	h := server.New(options(t, enginetest.Say("one")))
	askWith(t, h, "/v1/chat/completions", hello+`}`, "X-Request-Id", "r1")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/debug/requests/r1", nil))
	if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "--debug-requests") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestLog_promptsAreInItOnlyIfAsked(t *testing.T) {
	for _, asked := range []bool{false, true} {
		var log bytes.Buffer
		o := options(t, enginetest.Say("a secret answer"))
		o.Log, o.LogPrompts = slog.New(slog.NewTextHandler(&log, nil)), asked
		askWith(t, server.New(o), "/v1/chat/completions", strings.Replace(hello, "hi", "a secret question", 1)+`}`)
		line := log.String()
		if strings.Count(line, "\n") != 1 || !strings.Contains(line, "completion_tokens=15") || !strings.Contains(line, "model=scripted") {
			t.Errorf("not one line: %s", line)
		}
		if has := strings.Contains(line, "secret answer") && strings.Contains(line, "secret question"); has != asked {
			t.Errorf("asked %t: %s", asked, line)
		}
		if !asked && strings.Contains(line, "secret") {
			t.Errorf("told unasked: %s", line)
		}
	}
}

// replayable are requests whose records must replay to the same.
var replayable = map[string]struct {
	path, body string
	replies    []enginetest.Reply
}{
	"text":            {"/v1/chat/completions", hello + `}`, []enginetest.Reply{enginetest.Say("grüß 👋")}},
	"no model":        {"/v1/messages", `{"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, []enginetest.Reply{enginetest.Say("hello")}},
	"call":            {"/v1/chat/completions", hello + weather, []enginetest.Reply{enginetest.Say(cleanCall)}},
	"stop":            {"/v1/chat/completions", hello + `,"stop":"END"}`, []enginetest.Reply{enginetest.Say("some END more")}},
	"cut off":         {"/v1/chat/completions", hello + `,"max_tokens":3` + weather, []enginetest.Reply{enginetest.Say(cleanCall)}},
	"choices":         {"/v1/chat/completions", hello + `,"n":3}`, []enginetest.Reply{enginetest.Say("a"), enginetest.Say("bb"), enginetest.Say("c")}},
	"prompts":         {"/v1/completions", `{"model":"scripted","prompt":["one",[104,105]]}`, []enginetest.Reply{enginetest.Say("a"), enginetest.Say("b")}},
	"responses":       {"/v1/responses", `{"model":"scripted","input":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","name":"patch"}]}`, []enginetest.Reply{enginetest.Say("no")}},
	"messages":        {"/v1/messages", `{"model":"scripted","max_tokens":9,"system":"s","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{"a":1}}]}]}`, []enginetest.Reply{enginetest.Say("well")}},
	"answer's schema": {"/v1/chat/completions", hello + `,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type": "object",  "properties":{"z":{},"a":{"pattern":"(x)\\1"}}}}}}`, []enginetest.Reply{enginetest.Say(`{"z":1}`)}},
	"worker lost":     {"/v1/chat/completions", hello + `}`, []enginetest.Reply{{Tokens: enginetest.Say("ha").Tokens, Err: engine.ErrWorkerLost}}},
	"bytes":           {"/v1/chat/completions", hello + `}`, []enginetest.Reply{{Tokens: []engine.Token{{ID: 0xc3, Bytes: []byte{0xc3}}, {ID: 0xbc, Bytes: []byte{0xbc}}}}}},
}

func TestReplay_aSavedRecordGivesTheSameAgain(t *testing.T) {
	for name, c := range replayable {
		t.Run(name, func(t *testing.T) {
			saved := readRecord(t, recordOf(t, c.path, c.body, c.replies))
			again, err := record.Replay(t.Context(), saved)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range record.Compare(saved, again) {
				t.Error(d)
			}
		})
	}
}

func recordOf(t *testing.T, path, body string, replies []enginetest.Reply) string {
	t.Helper()
	o := options(t, replies...)
	o.DebugRequests, o.Service.Default = 1, "scripted"
	h := server.New(o)
	askWith(t, h, path, body, "X-Request-Id", "r")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/debug/requests/r", nil))
	b, err := io.ReadAll(rec.Body)
	if err != nil || rec.Code != http.StatusOK {
		t.Fatalf("%d %v %s", rec.Code, err, b)
	}
	return string(b)
}

func TestReplay_whatDiffersIsNamed(t *testing.T) {
	c := replayable["call"]
	for part, change := range map[string]func(*record.Trace){
		"events":  func(t *record.Trace) { t.Events[1].Text = "other" },
		"prompt":  func(t *record.Trace) { t.Prompt.Segments[0].Text += "!" },
		"grammar": func(t *record.Trace) { t.Grammar += "\nx ::= y" },
		"failure": func(t *record.Trace) { t.Failure = &record.Failure{Kind: "busy"} },
	} {
		saved := readRecord(t, recordOf(t, c.path, c.body, c.replies))
		change(saved.Turns[0])
		again, err := record.Replay(t.Context(), saved)
		if err != nil {
			t.Fatal(err)
		}
		found := record.Compare(saved, again)
		if len(found) != 1 || found[0].Part != part {
			t.Errorf("%s: %v", part, found)
		}
	}
}

// Issue 19: a stream's goroutine reads the headers while the next prompt is announced; run with
// -race. What is announced stays bounded.
func TestDebug_severalStreamedPromptsWithABiasOnUnknownTokens(t *testing.T) {
	replies := make([]enginetest.Reply, 40)
	for i := range replies {
		replies[i] = enginetest.Say("words of an answer")
	}
	o := options(t, replies...)
	o.Models.(oneModel).engine.Info.Vocab.Size = 300
	h := httptest.NewServer(server.New(o))
	defer h.Close()
	body := `{"model":"scripted","stream":STREAM,"logit_bias":{"9999":1},"` + strings.Repeat("x", 1990) + `":1,"prompt":[` + strings.Repeat(`"a",`, 19) + `"a"]}`
	for _, stream := range []string{"true", "false"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/v1/completions", strings.NewReader(strings.Replace(body, "STREAM", stream, 1)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Tenon-Debug", "1")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if got := answer.Header.Get("X-Tenon-Ignored"); len(got) > 2100 || !strings.Contains(got, "more)") || answer.StatusCode != 200 {
			t.Errorf("%d: %d bytes: %.100s", answer.StatusCode, len(got), got)
		}
	}
}
