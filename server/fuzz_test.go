package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server"
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
	h := server.New(options(&testing.T{}))
	f.Fuzz(func(t *testing.T, body string) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, p.path, strings.NewReader(body)))
		if rec.Code >= 500 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
			if err := streamtest.Check(p.path, rec.Body.String()); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzChatCompletions(f *testing.F) { fuzzBodies(f, chatFields) }
func FuzzCompletions(f *testing.F)     { fuzzBodies(f, completionFields) }
func FuzzResponses(f *testing.F)       { fuzzBodies(f, responsesFields) }
func FuzzMessages(f *testing.F)        { fuzzBodies(f, messagesFields) }
