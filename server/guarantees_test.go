package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
)

// The list of models and each answer say what holds on the model's engine.
func TestGuarantees_areTold(t *testing.T) {
	for name, c := range map[string]struct {
		can         engine.Can
		calls, head string
	}{
		"everything": {engine.Everything, "constrained", ""},
		"textual":    {enginetest.Textual, "validated, not constrained", "calls: validated, not constrained; strict: no; text_is_data: no"},
		"elsewhere": {
			engine.Can{IDs: true, Tokenizer: engine.RemoteTokenizer, Mask: engine.PrintedMask, Logprobs: true}, "constrained elsewhere, validated here",
			"calls: constrained elsewhere, validated here; strict: where the other engine can say it; text_is_data: control tokens alone",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, enginetest.Say("hi"), enginetest.Say("hi"), enginetest.Say("hi"))
			o.Models.(oneModel).engine.Info.Can = c.can
			h := server.New(o)
			_, list := answer(t, h, "GET", "/v1/models", "")
			told, _ := json.Marshal(list["data"])
			if !strings.Contains(string(told), `"calls":"`+c.calls+`"`) || !strings.Contains(string(told), `"mask":"`+string(c.can.Mask)+`"`) {
				t.Errorf("%s", told)
			}
			for path, body := range map[string]string{
				"/v1/chat/completions": `{"model":"scripted","messages":[{"role":"user","content":"hi"}]}`,
				"/v1/responses":        `{"model":"scripted","input":"hi","stream":true}`,
				"/v1/messages":         `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
			} {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
				if got := w.Header().Get("X-Tenon-Guarantees"); !strings.HasPrefix(got, c.head) || c.head == "" && got != "" {
					t.Errorf("%s: %q", path, got)
				}
			}
		})
	}
}
