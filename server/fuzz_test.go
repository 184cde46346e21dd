package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
	"tenon/server/streamtest"
)

// fuzzBodies sends a protocol what nobody thought of: every body is answered, with an answer or
// with what is wrong with it, never with a fault of the server's.
func fuzzBodies(f *testing.F, p protocolFields) {
	for name, field := range p.fields {
		f.Add(`{` + p.minimal + `,"` + name + `":` + field.valid + field.beside + `}`)
		for _, bad := range field.outside {
			f.Add(`{` + p.minimal + `,"` + name + `":` + bad + field.beside + `}`)
		}
	}
	fuzzPath(f, server.New(options(&testing.T{})), p.path)
}

func fuzzPath(f *testing.F, h http.Handler, path string) {
	f.Fuzz(func(t *testing.T, body string) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
		if rec.Code >= 500 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
			if err := streamtest.Check(path, rec.Body.String()); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzChatCompletions(f *testing.F) { fuzzBodies(f, chatFields) }
func FuzzCompletions(f *testing.F)     { fuzzBodies(f, completionFields) }
func FuzzResponses(f *testing.F)       { fuzzBodies(f, responsesFields) }
func FuzzMessages(f *testing.F)        { fuzzBodies(f, messagesFields) }

// FuzzStudioChat is the same for LM Studio's REST v1. What it downloads and loads stays out.
func FuzzStudioChat(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","input":"hi","stream":true,"temperature":1,"top_p":0.5,"top_k":3,"min_p":0.1,"repeat_penalty":1.1,"max_output_tokens":9}`,
		`{"model":"m","input":[{"type":"message","content":"hi"},{"type":"text","content":"b"},{"type":"image","data_url":"data:"}],"system_prompt":"s","store":false}`,
		`{"model":"m","input":"hi","reasoning":"on","context_length":100,"previous_response_id":"resp_0"}`,
		`{"model":"m","input":"hi","integrations":["mcp/x",{"type":"plugin","id":"p"},{"type":"ephemeral_mcp","server_label":"l","server_url":"x","allowed_tools":["a"],"headers":{"a":"b"}}]}`,
	} {
		f.Add(body)
	}
	models, o := servertest.Fleet(map[string]engine.Engine{"m": &enginetest.Scripted{Info: engine.Model{Context: 4096, Slots: 2}, Play: func(engine.Turn) enginetest.Reply { return enginetest.Say("a b") }}})
	f.Cleanup(func() { _ = models.Close() })
	fuzzPath(f, server.New(o), "/api/v1/chat")
}
