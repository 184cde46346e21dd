package grammar_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar"
	"tenon/grammar/vocab"
)

// byteVocab has a token for each byte and an end token, so that tokens are bytes.
func byteVocab(t *testing.T) *grammar.Vocab {
	t.Helper()
	pieces, kinds := make([][]byte, 257), make([]vocab.Kind, 257)
	for b := range 256 {
		pieces[b], kinds[b] = []byte{byte(b)}, vocab.Byte
	}
	pieces[256], kinds[256] = []byte("<end>"), vocab.Control
	v, err := grammar.NewVocab(pieces, kinds, []int32{256})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRun_aFileThatBreaksOffIsTold: not the line that it broke off in is at fault.
func TestRun_aFileThatBreaksOffIsTold(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"name":"g","schema":tr`), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := Run(in, Options{Vocab: byteVocab(t)}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestRun_verdicts(t *testing.T) {
	lines := "\uFEFF" + `{"name":"good","schema":{"type":"integer"},"tests":[{"valid":true,"data":12},{"valid":false,"data":"x"}]}

{"name":"wrong label","schema":{"type":"integer"},"tests":[{"valid":true,"data":1.5}]}
{"name":"other wrong label","schema":{},"tests":[{"valid":false,"data":[ 1, "\u00e9\n" ]}]}
{"name":"too hard","schema":{"pattern":"(a)\\1"},"tests":[]}
{"name":"none","schema":{"type":"integer","minimum":2,"maximum":1},"tests":[{"valid":false,"data":1}]}
{"name":"none but labelled","schema":{"type":"integer","minimum":2,"maximum":1},"tests":[{"valid":true,"data":1}]}
{"name":"untested","schema":true,"tests":[]}
`
	verdicts := map[string]string{}
	rep, err := Run(strings.NewReader(lines), Options{
		Vocab: byteVocab(t),
		Tokenize: func(text []byte) []int32 {
			ids := make([]int32, len(text))
			for i, b := range text {
				ids[i] = int32(b)
			}
			return ids
		},
		Verdict: func(name, verdict string) { verdicts[name], _, _ = strings.Cut(verdict, " compile") },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"good": "ok", "wrong label": "refused-valid", "other wrong label": "accepted-invalid", "too hard": "unsupported: pattern",
		"none": "ok", "none but labelled": "unsupported: unsatisfiable", "untested": "ok"}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if rep.Schemas != 7 || rep.OK != 3 || rep.Unsupported != 2 || rep.RefusedValid != 1 || rep.AcceptedInvalid != 1 || rep.UnsupportedBy["pattern"] != 1 {
		t.Errorf("report %+v", rep)
	}
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"schemas":7`, `"ok":3`, `"unsupported_by":{`, `"mask_us":{"p50":`, `"mask_warm_us":`, `"first_mask_ms":`, `"p99.9":`} {
		if !strings.Contains(string(text), field) {
			t.Errorf("no %s in %s", field, text)
		}
	}
	var b strings.Builder
	if err := rep.Write(&b); err != nil || !strings.Contains(b.String(), "pattern 1") {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestCompactJSON_spellsAsTheFileDoes(t *testing.T) {
	got := string(compactJSON([]byte(` { "b" : [ 1.0 , 1e5, "\u00e9\/\u0001\"\\ x" ] , "a" : null } `)))
	if want := `{"b":[1.0,1e5,"é/\u0001\"\\ x"],"a":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
