package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tenon/server"
)

// Issue 7: hostile JSON is answered, as a client's mistake or as what it means, by every protocol.
// That it takes no long time is the test's own time limit.
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

// An error is no place to send a megabyte back, nor is the log that holds it.
func TestHostile_errorsAreShortWhateverTheClientWrote(t *testing.T) {
	h := server.New(options(t))
	long := strings.Repeat("9", 1<<20)
	for name, fields := range map[string]string{
		"a number": `,"temperature":` + long, "a word": `,"tool_choice":"` + long + `"`, "a model": `,"model":"` + long + `"`,
		"a field": `,"metadata":{},"` + long + `":{},"tools":{"` + long + `":1}`, "a map's key": `,"logit_bias":{"` + long + `":[]},"chat_template_kwargs":{"` + long + `":1e999}`,
	} {
		for _, p := range allProtocols {
			rec := askWith(t, h, p.path, `{`+p.minimal+fields+`}`)
			if n := rec.Body.Len(); n > 4096 {
				t.Errorf("%s, %s: %d, %d bytes: %.200s", p.name, name, rec.Code, n, rec.Body)
			}
		}
	}
}

// Templates read no longer numbers, which was a 500. Such a schema, and one that nests too deep,
// costs its tool; only strict makes it the request's fault.
func TestHostile_anUnwieldySchemaCostsItsToolAlone(t *testing.T) {
	h := server.New(options(t))
	const deep = 4000
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"maximum":` + strings.Repeat("9", 5000) + `}}}`, strings.Repeat(`{"items":`, deep) + "{}" + strings.Repeat("}", deep),
	} {
		for path, c := range map[string]struct{ tools, field string }{
			"/v1/chat/completions": {`{"type":"function","function":{"name":"f","strict":STRICT,"parameters":` + schema + `}}`, "tools[0].function.parameters"},
			"/v1/responses":        {`{"type":"function","name":"f","strict":STRICT,"parameters":` + schema + `}`, "tools[0].parameters"},
			"/v1/messages":         {`{"name":"f","strict":STRICT,"input_schema":` + schema + `}`, "tools[0].input_schema"},
		} {
			body := `{"model":"scripted","max_tokens":99,"max_output_tokens":99,"input":"hi","messages":[{"role":"user","content":"hi"}],"tools":[` + c.tools + `]`
			rec := askWith(t, h, path, strings.Replace(body, "STRICT", "false", 1)+"}")
			if got := rec.Header().Get("X-Tenon-Issues"); rec.Code != http.StatusOK || got != "1; f#/ uncallable" {
				t.Errorf("%s: %d %q %.300s", path, rec.Code, got, rec.Body)
			}
			required := `,"tool_choice":"required"}`
			if path == "/v1/messages" {
				required = `,"tool_choice":{"type":"any"}}`
			}
			rec = askWith(t, h, path, strings.Replace(body, "STRICT", "false", 1)+required)
			if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), "no tool can be called; f: its schema ") || !strings.Contains(rec.Body.String(), "tool_choice") {
				t.Errorf("%s, required: %d %.300s", path, rec.Code, rec.Body)
			}
			rec = askWith(t, h, path, strings.Replace(body, "STRICT", "true", 1)+"}")
			if rec.Code != http.StatusBadRequest || !strings.HasPrefix(named(t, rec.Body.Bytes()), c.field) {
				t.Errorf("%s, strict: %d %.300s", path, rec.Code, rec.Body)
			}
		}
	}
}

// Claude Code shortens its history when it reads these words; the figures tell it by how much.
func TestMessages_overflowIsReportedAsTheRealAPIDoes(t *testing.T) {
	rec := askWith(t, server.New(options(t)), "/v1/messages", `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"`+strings.Repeat("u", 5000)+`"}]}`)
	if rec.Code != http.StatusBadRequest || !regexp.MustCompile(`"prompt is too long: \d+ tokens > 4095 maximum`).Match(rec.Body.Bytes()) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}
