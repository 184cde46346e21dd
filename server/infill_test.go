package server_test

import (
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat/record"
)

const gap = `{"model":"scripted","prompt":"func f() {","suffix":"}<X>"}`

// Issue 7: a completion with a suffix is filled in where the model's file names the tokens for it.
func TestCompletions_theGapBeforeASuffixIsFilled(t *testing.T) {
	for name, info := range map[string]engine.Model{
		"by the file's keys": {
			Metadata: map[string]string{"tokenizer.ggml.fim_pre_token_id": "300", "tokenizer.ggml.suffix_token_id": "301", "tokenizer.ggml.fim_mid_token_id": "302"},
			Vocab:    engine.Vocab{Markers: []engine.Marker{{ID: 300, Text: "<X>"}, {ID: 301, Text: "<Y>"}, {ID: 302, Text: "<Z>"}}},
		},
		"by their spelling": {Vocab: engine.Vocab{Markers: []engine.Marker{{ID: 300, Text: "<PRE>"}, {ID: 301, Text: "<SUF>"}, {ID: 302, Text: "<MID>"}}}},
	} {
		o := options(t, enginetest.Say(" return "))
		o.DebugRequests = 1
		e := o.Models.(oneModel).engine
		e.Info = info
		rec := askWith(t, server.New(o), "/v1/completions", gap, "X-Tenon-Debug", "1")
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), `"text":" return "`) {
			t.Fatalf("%s: %d %s", name, rec.Code, rec.Body)
		}
		ids, err := e.Tokens(t.Context(), e.Turns()[0].Prompt)
		if err != nil {
			t.Fatal(err)
		}
		// "<X>" in the suffix is text
		if n := len(ids); ids[0] != 300 || ids[11] != 301 || ids[n-1] != 302 || n != 1+10+1+4+1 {
			t.Errorf("%s: %v", name, ids)
		}
		_, text, _ := strings.Cut(rec.Body.String(), `"tenon_debug":`)
		saved := readRecord(t, strings.TrimSuffix(strings.TrimSpace(text), "}"))
		again, err := record.Replay(t.Context(), saved)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range record.Compare(saved, again) {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestCompletions_aSuffixIsRefusedWhereTheModelCannot(t *testing.T) {
	for _, further := range []string{"}", `,"stream":true}`} {
		rec := askWith(t, server.New(options(t)), "/v1/completions", strings.TrimSuffix(gap, "}")+further)
		if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"param":"suffix"`) {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	}
}
