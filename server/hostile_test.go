package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tenon/server"
)

// Issue 7: hostile JSON is answered, as a client's mistake or as what it means, by every protocol. That it takes no long time
// is the test's own time limit.
func TestHostile_bodiesAreAnswered(t *testing.T) {
	h := server.New(options(t))
	deep := strings.Repeat("[", 100_000)
	for name, value := range map[string]string{
		"nested":              deep,
		"nested and closed":   deep + strings.Repeat("]", 100_000),
		"nested objects":      strings.Repeat(`{"a":`, 30_000) + "1" + strings.Repeat("}", 30_000),
		"huge number":         strings.Repeat("9", 100_000),
		"huge exponent":       "1e999999999",
		"NUL in a string":     `"a\u0000b"`,
		"NUL in the text":     "\x00",
		"invalid UTF-8":       "\"\xff\xfe\xc3\"",
		"half a surrogate":    `"\ud800"`,
		"duplicate keys":      `{"type":"text","type":"text","text":"a","text":"b"}`,
		"many keys":           "{" + strings.Repeat(`"a":1,`, 20_000) + `"b":2}`,
		"a very long string":  `"` + strings.Repeat("x", 400_000) + `"`,
		"nothing":             "",
		"a comment":           "/* */1",
		"two values":          "1 2",
		"an open string":      `"abc`,
		"white space, a lot":  strings.Repeat(" ", 100_000) + "1",
		"escapes, many":       `"` + strings.Repeat(`\u0061`, 30_000) + `"`,
		"an empty array":      "[]",
		"many nulls":          "[" + strings.Repeat("null,", 20_000) + "null]",
		"a number as a word":  "NaN",
		"a minus and nothing": "-",
	} {
		for _, p := range allProtocols {
			for _, field := range []string{"messages", "temperature", "metadata"} {
				rec := askWith(t, h, p.path, `{`+p.minimal+`,"`+field+`":`+value+`}`)
				if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest {
					t.Errorf("%s, %s in %s: %d %.200s", p.name, name, field, rec.Code, rec.Body)
				}
			}
		}
	}
}

// Claude Code shortens its history when it reads these words; the figures tell it by how much.
func TestMessages_overflowIsReportedAsTheRealAPIDoes(t *testing.T) {
	rec := askWith(t, server.New(options(t)), "/v1/messages", `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"`+strings.Repeat("u", 5000)+`"}]}`)
	if rec.Code != http.StatusBadRequest || !regexp.MustCompile(`"prompt is too long: \d+ tokens > 4096 maximum`).Match(rec.Body.Bytes()) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}
