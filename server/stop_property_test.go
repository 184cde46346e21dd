package server_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/servertest"
	"tenon/server/servertest/contract"
)

// stopForms are the requests that take stops, by protocol; STOPS stands for their list. Responses
// and LM Studio's REST v1 know none.
var stopForms = []struct{ path, body string }{
	{"/v1/chat/completions", hello + `,"logprobs":true,"stop":STOPS`},
	{"/v1/chat/completions", hello + `,"logprobs":true,"stop":STOPS` + strings.TrimSuffix(weather, "}")},
	{"/v1/completions", `{"model":"scripted","max_tokens":500,"logprobs":0,"prompt":"hi","stop":STOPS`},
	{"/v1/messages", `{"model":"scripted","max_tokens":500,"messages":[{"role":"user","content":"hi"}],"stop_sequences":STOPS`},
	{"/api/v0/chat/completions", hello + `,"stop":STOPS`},
	{"/api/v0/completions", `{"model":"scripted","max_tokens":500,"prompt":"hi","stop":STOPS`},
	{"/llm", studioForm("")},
	{"/llm", studioForm(`,{"key":"llm.prediction.tools","value":{"type":"toolArray"` + weather + `}`)},
}

// studioForm is a channel of LM Studio's socket, whose answer comes in fragments either way.
func studioForm(more string) string {
	return `{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":{"modelSpecifier":{"type":"query","query":{"identifier":"scripted"}},` +
		`"history":{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]},"predictionConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[` +
		`{"key":"llm.prediction.stopStrings","value":STOPS}` + more + `]}}]}}`
}

// spoken is what an answer says, and the tokens that it tells beside it.
type spoken struct {
	text   string
	tokens []string
	by     string // the stop, where the protocol tells which
}

// Issue 19: in every protocol, streamed and whole, the text under stops is the unstopped text up
// to the first stop, byte for byte, and the tokens told beside it are those that it is made of.
// TENON_ALL=1 tries more answers.
func TestStop_everyProtocolSendsTheTextUpToTheFirstStop(t *testing.T) {
	answers := 12
	if os.Getenv("TENON_ALL") != "" {
		answers = 300
	}
	r := rand.New(rand.NewPCG(19, 1))
	e := &enginetest.Scripted{Info: engine.Model{Context: 1 << 16, Slots: 2}}
	f, o := servertest.Fleet(map[string]engine.Engine{"scripted": e})
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.Load(t.Context(), fleet.Request{Name: "scripted"}); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	for range answers {
		answer := madeUp(r)
		reply := cutAtRandom(r, answer)
		e.Play = func(engine.Turn) enginetest.Reply { return reply }
		for _, form := range stopForms {
			unstopped := speak(t, s, form.path, form.body, nil, false)
			if unstopped.text != answer {
				t.Fatalf("%s: %q is said as %q", form.path, answer, unstopped.text)
			}
			for range 6 {
				stops := stopsFor(r, answer)
				want, stopped := upToFirst(unstopped.text, stops)
				for _, stream := range []bool{false, true} {
					got := speak(t, s, form.path, form.body, stops, stream)
					tells := form.path == "/v1/messages" || form.path == "/llm"
					if got.text != want || tells && (got.by != "") != stopped {
						t.Errorf("%s, stream %t, stops %q: %q by %q; want %q of %q", form.path, stream, stops, got.text, got.by, want, answer)
					}
					if strings.Contains(form.body, "logprobs") {
						checkTold(t, form.path, got, want)
					}
				}
			}
		}
	}
}

// madeUp is an answer of pieces that begin, end and repeat each other.
func madeUp(r *rand.Rand) string {
	pieces := []string{"a", "aa", "ab", "b", "\n", "\n\n", "\n2.", " ", "}", `{"a": 1}`, "日本", "é", "END", "EN", "\r\n", "\t", "."}
	var b strings.Builder
	for range 3 + r.IntN(9) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	// white space at the ends is layout, which goes with or without stops
	return "x" + b.String() + "y"
}

// cutAtRandom is an answer in tokens of one to four bytes, or a single one.
func cutAtRandom(r *rand.Rand, answer string) (reply enginetest.Reply) {
	longest := []int{1, 4, len(answer)}[r.IntN(3)]
	for len(answer) > 0 {
		n := min(len(answer), 1+r.IntN(longest))
		reply.Tokens = append(reply.Tokens, engine.Token{ID: int32(len(reply.Tokens)), Bytes: []byte(answer[:n])})
		answer = answer[n:]
	}
	return reply
}

// stopsFor are up to four stops: parts of the answer, some of which go on otherwise.
func stopsFor(r *rand.Rand, answer string) []string {
	text := []rune(answer)
	stops := make([]string, 1+r.IntN(4))
	for i := range stops {
		at := r.IntN(len(text))
		stops[i] = string(text[at:min(len(text), at+1+r.IntN(5))])
		if r.IntN(2) == 0 {
			stops[i] += "Z"
		}
	}
	return stops
}

// upToFirst is a text up to the stop that is complete first, and of those the longest.
func upToFirst(text string, stops []string) (before string, stopped bool) {
	for end := range len(text) + 1 {
		longest := ""
		for _, s := range stops {
			if strings.HasSuffix(text[:end], s) && len(s) > len(longest) {
				longest = s
			}
		}
		if longest != "" {
			return text[:end-len(longest)], true
		}
	}
	return text, false
}

// checkTold holds the told tokens against the text: they begin with it, and no more than their
// last goes beyond. Completions has no bytes, so that tokens which are no characters of their own
// cannot be read there.
func checkTold(t *testing.T, path string, got spoken, want string) {
	t.Helper()
	told, last := strings.Join(got.tokens, ""), 0
	if strings.ContainsRune(told, '\uFFFD') {
		return
	}
	if len(got.tokens) > 0 {
		last = len(got.tokens[len(got.tokens)-1])
	}
	if !strings.HasPrefix(told, want) || len(told)-last > len(want) {
		t.Errorf("%s: the tokens are %q; the text %q", path, got.tokens, want)
	}
}

func speak(t *testing.T, s *httptest.Server, path, body string, stops []string, stream bool) (all spoken) {
	t.Helper()
	list, err := json.Marshal(append([]string{}, stops...))
	if err != nil {
		t.Fatal(err)
	}
	body = strings.Replace(body, "STOPS", string(list), 1)
	if path == "/llm" {
		for frame := range strings.Lines(socketTells(t, s.URL+path, body+"}")) {
			all.add(t, frame)
		}
		return all
	}
	status, told := fetchText(t, s.URL, http.MethodPost, path, body+fmt.Sprintf(`,"stream":%t}`, stream))
	if status != "200 OK" {
		t.Fatalf("%s: %s %s", path, status, told)
	}
	bodies := contract.Payloads(told)
	if !stream {
		bodies = []string{told}
	}
	for _, b := range bodies {
		all.add(t, b)
	}
	return all
}

// add takes a body, or an event, of any of the protocols.
func (s *spoken) add(t *testing.T, body string) {
	t.Helper()
	type part struct{ Content, Text string }
	var sent struct {
		Choices []struct {
			Text           string
			Message, Delta part
			Logprobs       struct {
				Tokens  []string
				Content []struct{ Bytes []int }
			}
		}
		Content      []part
		Delta        part
		StopSequence string `json:"stop_sequence"`
		Message      struct {
			Fragment part
			Stats    struct{ StopString string }
		}
	}
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	s.text += sent.Delta.Text + sent.Message.Fragment.Content
	s.by += sent.StopSequence + sent.Message.Stats.StopString
	for _, p := range sent.Content {
		s.text += p.Text
	}
	for _, c := range sent.Choices {
		s.text += c.Text + c.Message.Content + c.Delta.Content
		s.tokens = append(s.tokens, c.Logprobs.Tokens...)
		for _, token := range c.Logprobs.Content {
			b := make([]byte, len(token.Bytes))
			for i, v := range token.Bytes {
				b[i] = byte(v)
			}
			s.tokens = append(s.tokens, string(b))
		}
	}
	var event struct {
		Delta struct {
			StopSequence string `json:"stop_sequence"`
		}
	}
	if json.Unmarshal([]byte(body), &event) == nil {
		s.by += event.Delta.StopSequence
	}
}

// Responses has no stops: the field is told to have no effect.
func TestStop_responsesHasNone(t *testing.T) {
	rec := askWith(t, handler(t, nothing), "/v1/responses", `{"model":"scripted","input":"hi","stop":["a"]}`)
	if got := rec.Header().Get("X-Tenon-Ignored"); rec.Code != http.StatusOK || !strings.Contains(got, "stop") {
		t.Errorf("%d %q %s", rec.Code, got, rec.Body)
	}
}
