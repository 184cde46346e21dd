package server_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
)

// A prompt that leaves an earlier one is told of in the answer, in the log and in the metrics; its
// text in the answer alone, where that tells timings.
func TestMiss_isToldToClientLogAndMetrics(t *testing.T) {
	reply := enginetest.Say("hello")
	reply.Read = &engine.Progress{Total: 90, Cached: 12, Evaluated: 78, Miss: &engine.Miss{Tokens: 12, Bytes: 1, Before: "Today is ", Was: "Monday", Is: "Friday"}}
	for _, path := range []string{"/v1/chat/completions", "/v1/messages"} {
		var log bytes.Buffer
		o := options(t, reply)
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		h := server.New(o)
		answer := askWith(t, h, path, `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"timings_per_token":true}`)
		if shown := answer.Body.String(); !strings.Contains(shown, `"cache_miss":{"tokens":12,"bytes":1,"before":"Today is ","was":"Monday","is":"Friday","where":"message 0 (text)"}`) {
			t.Errorf("%s: %s", path, shown)
		}
		if line := log.String(); !strings.Contains(line, `cache_miss="from token 12: message 0 (text)"`) || strings.Contains(line, "Friday") {
			t.Errorf("%s: %s", path, line)
		}
		if shown := scrape(t, h); !strings.Contains(shown, `tenon_cache_misses_total{model="scripted",part="latest"} 1`) {
			t.Errorf("%s: %s", path, linesOf(shown, "tenon_cache"))
		}
	}
}
