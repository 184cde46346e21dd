package server_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"tenon/server"
)

// choking are JSON texts that readers choke on, by size. They stand where a protocol takes any
// value.
var choking = map[string]func(n int) string{
	"deep arrays":    func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
	"deep objects":   func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) },
	"duplicate keys": func(n int) string { return "{" + strings.Repeat(`"a":1,`, n) + `"a":2}` },
	"huge number":    func(n int) string { return "1" + strings.Repeat("0", n) },
	"huge exponent":  func(n int) string { return "1e" + strings.Repeat("9", n) },
	"invalid UTF-8":  func(n int) string { return `"` + strings.Repeat("\xff\xc0", n) + `"` },
	"NUL":            func(n int) string { return `"` + strings.Repeat(`\u0000`, n) + `"` },
	"raw NUL":        func(n int) string { return `"` + strings.Repeat("\x00", n) + `"` },
	"half surrogate": func(n int) string { return `"` + strings.Repeat(`\ud800`, n) + `"` },
}

// holes are bodies with a hole for a hostile value: one that nobody knows, and those whose values
// are read later.
var holes = map[string][]string{
	"/v1/chat/completions": {
		`{"model":"scripted","messages":[{"role":"user","content":"hi"}],"unknown":HOLE}`,
		`{"model":"scripted","messages":[{"role":"user","content":HOLE}]}`,
		`{"model":"scripted","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":HOLE}}]}`,
		`{"model":"scripted","messages":[{"role":"user","content":"hi"}],"temperature":HOLE}`,
	},
	"/v1/responses": {
		`{"model":"scripted","input":"hi","unknown":HOLE}`,
		`{"model":"scripted","input":HOLE}`,
		`{"model":"scripted","input":[{"type":"function_call_output","call_id":"c","output":HOLE}]}`,
		`{"model":"scripted","input":"hi","tools":[{"type":"function","name":"f","parameters":HOLE}]}`,
	},
	"/v1/messages": {
		`{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"unknown":HOLE}`,
		`{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":HOLE}]}`,
		`{"model":"scripted","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":HOLE}]}]}`,
		`{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":HOLE}]}`,
	},
}

// Issue 7: deeply nested, duplicate-key, invalid UTF-8, NUL and huge-number JSON is answered soon.
// Work is counted in allocated bytes: a body that is four times as long may cost some six times as
// much, not sixteen times.
func TestDecode_hostileJSONIsAnsweredInProportionToItsLength(t *testing.T) {
	for path, bodies := range holes {
		for name, value := range choking {
			for _, body := range bodies {
				const small, grown, most = 400, 4, 6.5
				one, four := strings.Replace(body, "HOLE", value(small), 1), strings.Replace(body, "HOLE", value(grown*small), 1)
				if a, b := allocated(t, path, one), allocated(t, path, four); b > most*a {
					t.Errorf("%s, %s: %.0f bytes for one length, %.0f for %d: %s", path, name, a, b, grown, body)
				}
			}
		}
	}
}

// allocated is how many bytes the server allocates to answer a body, which it must with a status
// of its own. The counter is the whole process's: the least of several runs has no other
// goroutine's in it.
func allocated(t *testing.T, path, body string) float64 {
	t.Helper()
	h := server.New(options(t))
	var before, after runtime.MemStats
	least := math.Inf(1)
	for range 5 { // the first fills what is made once
		rec := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		runtime.ReadMemStats(&before)
		h.ServeHTTP(rec, r)
		runtime.ReadMemStats(&after)
		if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest {
			t.Errorf("status %d: %.200s", rec.Code, rec.Body)
		}
		least = min(least, float64(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}
