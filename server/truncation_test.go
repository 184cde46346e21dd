package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
)

// longConversation has n exchanges, of which each calls a tool.
func longConversation(n int) string {
	items := []string{`{"role":"developer","content":"RULES"}`}
	for i := range n {
		items = append(items,
			fmt.Sprintf(`{"role":"user","content":"question %d"}`, i),
			fmt.Sprintf(`{"type":"function_call","call_id":"c%d","name":"f","arguments":"{}"}`, i),
			fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"result %d"}`, i, i),
			fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, i))
	}
	return "[" + strings.Join(append(items, `{"role":"user","content":"LAST"}`), ",") + "]"
}

// Issue 7: truncation. With auto the oldest messages go, calls together with their results, and a
// header says so.
func TestResponses_truncationLeavesOutTheOldest(t *testing.T) {
	e := enginetest.Script(enginetest.Say("hello"))
	e.Info.Context = 2000
	h := server.New(servertest.Options(servertest.Model{ID: "scripted", Engine: e}))
	body := `{"model":"scripted","max_output_tokens":500,"tools":[{"type":"function","name":"f"}],"input":` + longConversation(40)
	if rec := askWith(t, h, "/v1/responses", body+`}`); rec.Code != http.StatusBadRequest || named(t, rec.Body.Bytes()) != "input" {
		t.Errorf("disabled: %d %s", rec.Code, rec.Body)
	}
	rec := askWith(t, h, "/v1/responses", body+`,"truncation":"auto"}`)
	if rec.Code != http.StatusOK || !strings.Contains(rec.Header().Get("X-Tenon-Ignored"), "messages (truncation)") || !strings.Contains(rec.Body.String(), `"truncation":"auto"`) {
		t.Fatalf("%d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	prompt := e.Turns()[0].Prompt.String()
	for text, want := range map[string]bool{"RULES": true, "LAST": true, "answer 39": true, "question 0": false, "result 0": false, "answer 0": false} {
		if strings.Contains(prompt, text+"\n") != want {
			t.Errorf("%q: %t in %s", text, !want, prompt)
		}
	}
	if calls, results := strings.Count(prompt, `{"tool": "f"`), strings.Count(prompt, "Result of f"); calls != results || len(prompt) > 1500 || len(prompt) < 1000 {
		t.Errorf("%d calls, %d results, %d tokens: %s", calls, results, len(prompt), prompt)
	}
}

func TestResponses_truncationChangesNothingThatFits(t *testing.T) {
	for truncation, most := range map[string]int{"disabled": 1 << 20, "auto": 1 << 20} {
		e := enginetest.Script(enginetest.Say("hello"))
		e.Info.Context = most
		h := server.New(servertest.Options(servertest.Model{ID: "scripted", Engine: e}))
		rec := askWith(t, h, "/v1/responses", `{"model":"scripted","truncation":"`+truncation+`","input":`+longConversation(9)+`}`)
		if rec.Code != http.StatusOK || rec.Header().Get("X-Tenon-Ignored") != "" || !strings.Contains(e.Turns()[0].Prompt.String(), "question 0") {
			t.Errorf("%s: %d %v", truncation, rec.Code, rec.Header())
		}
	}
}

// A prompt whose last message alone does not fit is an error with auto too, and replays of what
// was truncated are of what was left.
func TestResponses_truncationHasItsLimits(t *testing.T) {
	e := enginetest.Script(enginetest.Say("hello"))
	e.Info.Context = 1000
	o := servertest.Options(servertest.Model{ID: "scripted", Engine: e})
	h := server.New(o)
	rec := askWith(t, h, "/v1/responses", `{"model":"scripted","truncation":"auto","input":[{"role":"user","content":"OLD"},{"role":"user","content":"`+strings.Repeat("x", 2000)+`"}]}`)
	if rec.Code != http.StatusBadRequest || named(t, rec.Body.Bytes()) != "input" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	rec = askWith(t, h, "/v1/responses", `{"model":"scripted","truncation":"auto","input":[{"role":"user","content":"`+strings.Repeat("OLD", 500)+`"},{"role":"user","content":"new"}]}`, "X-Tenon-Debug", "1")
	var answer struct {
		Record json.RawMessage `json:"tenon_debug"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != http.StatusOK {
		t.Fatalf("%d %v %s", rec.Code, err, rec.Body)
	}
	if r := readRecord(t, string(answer.Record)); len(r.Turns) != 1 || len(r.Turns[0].Request.Conversation.Messages) != 1 {
		t.Errorf("%+v", r.Turns)
	}
}
