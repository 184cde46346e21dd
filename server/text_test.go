package server_test

import (
	"net/http"
	"strings"
	"testing"

	"tenon/server"
)

// Issue 19: bytes that are no UTF-8 are the client's mistake: a reader of JSON would put another
// character in their place.
func TestBody_whatIsNoUTF8IsRefused(t *testing.T) {
	h := server.New(options(t))
	for _, p := range allProtocols {
		for _, bad := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\xaf"} {
			for _, body := range []string{`{` + p.minimal + `,"user":"` + bad + `"}`, `{` + p.minimal + `,"x` + bad + `":1}`} {
				if rec := askWith(t, h, p.path, body); rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), "UTF-8") {
					t.Errorf("%s, %q: %d %.200s", p.name, bad, rec.Code, rec.Body)
				}
			}
		}
	}
}

// Issue 19: a request for a response says what to respond to. An empty text does, and the model
// is loaded for it.
func TestResponses_withoutInputIsRefused(t *testing.T) {
	h := server.New(options(t))
	for body, want := range map[string]int{
		`{"model":"scripted"}`:                                   http.StatusBadRequest,
		`{"model":"scripted","input":null}`:                      http.StatusBadRequest,
		`{"model":"scripted","instructions":""}`:                 http.StatusBadRequest,
		`{"model":"scripted","input":""}`:                        http.StatusOK,
		`{"model":"scripted","input":[]}`:                        http.StatusOK,
		`{"model":"scripted","instructions":"greet"}`:            http.StatusOK,
		`{"model":"scripted","instructions":"greet","input":[]}`: http.StatusOK,
	} {
		rec := askWith(t, h, "/v1/responses", body)
		if rec.Code != want || want != http.StatusOK && named(t, rec.Body.Bytes()) != "input" {
			t.Errorf("%s: %d %.200s", body, rec.Code, rec.Body)
		}
	}
}
