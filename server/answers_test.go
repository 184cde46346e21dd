package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// answerFields is where each protocol takes a schema for the answer: SCHEMA and STRICT stand for
// their values.
var answerFields = []struct{ path, fields, field string }{
	{"/v1/chat/completions", `,"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":STRICT,"schema":SCHEMA}}`, "response_format.json_schema.schema"},
	{"/v1/chat/completions", `,"json_schema":SCHEMA`, "json_schema"},
	{"/v1/chat/completions", `,"response_format":{"type":"json_object","schema":SCHEMA}`, "response_format.schema"},
	{"/v1/completions", `,"json_schema":SCHEMA`, "json_schema"},
	{"/v1/responses", `,"text":{"format":{"type":"json_schema","name":"a","strict":STRICT,"schema":SCHEMA}}`, "text.format.schema"},
	{"/v1/messages", `,"output_config":{"format":{"type":"json_schema","schema":SCHEMA}}`, "output_config.format.schema"},
	{"/v1/messages", `,"output_format":{"type":"json_schema","schema":SCHEMA}`, "output_format.schema"},
}

// askForAnswer sends a schema in a field of answerFields.
func askForAnswer(t *testing.T, path, fields, schema, strict string) *httptest.ResponseRecorder {
	t.Helper()
	i := slices.IndexFunc(allProtocols, func(p protocolFields) bool { return p.path == path })
	return askWith(t, handler(t, nothing), path, "{"+allProtocols[i].minimal+strings.NewReplacer("SCHEMA", schema, "STRICT", strict).Replace(fields)+"}")
}

// An engine that masks would fail to compile such a schema, which is the client's mistake and no
// 500.
func TestAnswers_aSchemaThatNoAnswerCanMeetIsNamed(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 300) + "{}" + strings.Repeat("}", 300)
	for _, schema := range []string{`"x"`, `false`, `true`, `5`, `[]`, `{"type":"string","minLength":5,"maxLength":3}`, `{"not":{}}`, deep} {
		for _, a := range answerFields {
			rec := askForAnswer(t, a.path, a.fields, schema, "false")
			if rec.Code != http.StatusBadRequest || !strings.HasPrefix(named(t, rec.Body.Bytes()), a.field) {
				t.Errorf("%s %.60s: %d %.300s, want one that names %s", a.path, schema, rec.Code, rec.Body, a.field)
			}
		}
	}
}

// What the mask does not enforce of an answer's schema is told as with tools, and strict demands
// that there is nothing of the kind.
func TestAnswers_whatIsNotEnforcedIsTold(t *testing.T) {
	const loose = `{"type":"object","properties":{"a":{"pattern":"(x)\\1"}}}`
	for _, a := range answerFields {
		rec := askForAnswer(t, a.path, a.fields, loose, "false")
		if got := rec.Header().Get("X-Tenon-Issues"); rec.Code != http.StatusOK || got != "1; "+a.field+"#/properties/a/pattern dropped" {
			t.Errorf("%s %s: %d %q %.300s", a.path, a.fields, rec.Code, got, rec.Body)
		}
		if !strings.Contains(a.fields, "STRICT") {
			continue
		}
		rec = askForAnswer(t, a.path, a.fields, loose, "true")
		if rec.Code != http.StatusBadRequest || named(t, rec.Body.Bytes()) != a.field || !strings.Contains(rec.Body.String(), "pattern") {
			t.Errorf("%s, strict: %d %.300s", a.path, rec.Code, rec.Body)
		}
	}
}
