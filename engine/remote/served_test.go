package remote

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server"
	"tenon/server/servertest"
)

// S2-19: whatever serves the model, a call that leaves names a declared tool and fits its schema,
// and the answer says how that is kept. What cannot be kept is refused.
func TestServed_S2_19_callsFitOnEachAPI(t *testing.T) {
	const (
		right = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Berlin\"}}\n</tool_call>"
		wrong = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\": 7}}\n</tool_call>"
	)
	for name, c := range map[string]struct {
		answers []string // one for each turn
		strict  bool
		status  int
		turns   int
	}{
		"at once":            {[]string{right}, false, 200, 1},
		"at the second try":  {[]string{wrong, right}, false, 200, 2},
		"never":              {[]string{"I would rather not.", "Still not."}, false, 400, 2},
		"of a strict schema": {[]string{right}, true, 200, 1},
	} {
		for _, a := range []API{LlamaServer, VLLM, SGLang, OpenAI} {
			for _, ignores := range []bool{false, true} {
				masked := a != OpenAI && !ignores
				t.Run(name+" "+string(a), func(t *testing.T) {
					f := newFar("a")
					host := hostOf(a)
					f.hosts["a"], host.ignores = host, ignores
					at := 0
					host.body = func(*http.Request) io.Reader {
						at++
						return strings.NewReader(host.says(c.answers[min(at, len(c.answers))-1]))
					}
					h := server.New(servertest.Options(servertest.Model{ID: "m", Engine: connectTo(t, f, "http://a")}))
					w := httptest.NewRecorder()
					strict := map[bool]string{true: `"strict":true,`}[c.strict]
					h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(`{"model":"m","tool_choice":"required","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"weather",`+strict+
						`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]}`)))
					want, turns := c.status, c.turns
					if c.strict && !masked {
						want, turns = http.StatusBadRequest, 0
					}
					if w.Code != want || len(f.turns()) != turns {
						t.Fatalf("%d after %d turns, want %d after %d: %s", w.Code, len(f.turns()), want, turns, w.Body)
					}
					if want != 200 {
						return
					}
					var out struct {
						Choices []struct {
							Message struct {
								Calls []struct {
									Function struct{ Name, Arguments string }
								} `json:"tool_calls"`
							}
						}
					}
					if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || len(out.Choices) != 1 || len(out.Choices[0].Message.Calls) != 1 {
						t.Fatalf("%v: %s", err, w.Body)
					}
					call := out.Choices[0].Message.Calls[0].Function
					told := map[bool]string{true: "calls: constrained elsewhere, validated here", false: "calls: validated, not constrained"}[masked]
					if call.Name != "weather" || strings.ReplaceAll(call.Arguments, " ", "") != `{"city":"Berlin"}` || !strings.HasPrefix(w.Header().Get("X-Tenon-Guarantees"), told) {
						t.Errorf("%+v, %q", call, w.Header())
					}
				})
			}
		}
	}
}
