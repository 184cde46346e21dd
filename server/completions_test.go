package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
)

func TestCompletions_promptsOfEveryForm(t *testing.T) {
	for prompt, want := range map[string][]string{
		`"once"`:            {"oncea"},
		`["once","twice"]`:  {"oncea", "twiceb"},
		`[104,105]`:         {"hia"},
		`[[104,105],[106]]`: {"hia", "jb"},
	} {
		s, e := start(t, enginetest.Say("a"), enginetest.Say("b"))
		status, body := postTo(t, s, "/v1/completions", `{"model":"scripted","echo":true,"prompt":`+prompt+`}`)
		var c struct {
			Choices []struct {
				Text         string
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(body), &c); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %v %s", prompt, status, err, body)
		}
		var got []string
		for _, choice := range c.Choices {
			got = append(got, choice.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", prompt, diff)
		}
		if b := e.Turns()[0].Budget.Tokens; b != 16 {
			t.Errorf("the default of max_tokens is %d", b)
		}
	}
}

func TestCompletions_badPromptsAreNamed(t *testing.T) {
	s, _ := start(t)
	for prompt, want := range map[string]string{`null`: "prompt", `""`: "prompt", `7`: "prompt", `[]`: "prompt", `["a",7]`: "prompt[1]", `["a",["b"]]`: "prompt[1]"} {
		status, body := postTo(t, s, "/v1/completions", `{"model":"scripted","prompt":`+prompt+`}`)
		if status != http.StatusBadRequest || !strings.Contains(body, `"param":"`+want+`"`) {
			t.Errorf("%s: %d %s", prompt, status, body)
		}
	}
}

// A client may know another model's vocabulary; its bias on the tokens of this one holds.
func TestLogitBias_tokensThatTheModelLacksAreNamed(t *testing.T) {
	o := options(t, enginetest.Say("a"))
	e := o.Models.(oneModel).engine
	e.Info.Vocab.Size = 256
	for _, path := range []string{"/v1/chat/completions", "/v1/completions"} {
		body := `{"model":"scripted","messages":[{"role":"user","content":"hi"}],"logit_bias":{"50256":-100,"97":5,"256":1}}`
		if path == "/v1/completions" {
			body = strings.Replace(body, `"messages":[{"role":"user","content":"hi"}]`, `"prompt":"hi"`, 1)
		}
		rec := askWith(t, server.New(o), path, body)
		want := "logit_bias (of 2 tokens, 256 the first; this model's are 0 to 255)"
		if got := rec.Header().Get("X-Tenon-Ignored"); rec.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d, ignored %q", path, rec.Code, got)
		}
	}
}

func TestTokenize_andBack(t *testing.T) {
	s, _ := start(t)
	if _, body := postTo(t, s, "/tokenize", `{"model":"scripted","content":"hi"}`); strings.TrimSpace(body) != `{"tokens":[104,105]}` {
		t.Error(body)
	}
	if rec := askWith(t, server.New(options(t)), "/tokenize", `{"content":"hi","with_pieces":true}`); rec.Header().Get("X-Tenon-Ignored") != "with_pieces" {
		t.Errorf("%v", rec.Header())
	}
	if _, body := postTo(t, s, "/detokenize", `{"model":"scripted","tokens":[104,105]}`); strings.TrimSpace(body) != `{"content":"hi"}` {
		t.Error(body)
	}
	if _, body := postTo(t, s, "/tokenize", `{"content":"hi"}`); strings.TrimSpace(body) != `{"tokens":[104,105]}` {
		t.Errorf("the only model is not meant: %s", body)
	}
	if _, body := postTo(t, s, "/apply-template", `{"messages":[{"role":"user","content":"hi"}]}`); strings.TrimSpace(body) != `{"prompt":"User: hi\n\nAssistant:"}` {
		t.Errorf("the only model is not meant: %s", body)
	}
	if _, body := postTo(t, s, "/apply-template", hello+`}`); strings.TrimSpace(body) != `{"prompt":"User: hi\n\nAssistant:"}` {
		t.Error(body)
	}
}

func TestEmbeddings_aChatModelHasNone(t *testing.T) {
	s, _ := start(t)
	if status, body := postTo(t, s, "/v1/embeddings", `{"model":"scripted","input":"x"}`); status != http.StatusBadRequest || !strings.Contains(body, "no embedding model") {
		t.Errorf("%d %s", status, body)
	}
}

func TestCompletions_logprobsOfAWholeAnswer(t *testing.T) {
	s, _ := start(t, enginetest.Say("ab"))
	_, body := postTo(t, s, "/v1/completions", `{"model":"scripted","prompt":"once","logprobs":0}`)
	var c struct {
		Choices []struct {
			Logprobs struct {
				Tokens     []string
				TextOffset []int `json:"text_offset"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	got := c.Choices[0].Logprobs
	if !cmp.Equal(got.Tokens, []string{"a", "b"}) || !cmp.Equal(got.TextOffset, []int{0, 1}) {
		t.Errorf("%+v: %s", got, body)
	}
}

func TestCompletions_tooLongAPromptNamesThePrompt(t *testing.T) {
	s, _ := start(t)
	status, body := postTo(t, s, "/v1/completions", `{"model":"scripted","prompt":"`+strings.Repeat("x", 5000)+`"}`)
	if status != http.StatusBadRequest || !strings.Contains(body, `"param":"prompt"`) || strings.Contains(body, "history") {
		t.Errorf("%d %s", status, body)
	}
}

// A client that writes the model's own template by hand reads the thinking by itself.
func TestCompletions_nothingInPlainTextIsAMarker(t *testing.T) {
	for _, text := range []string{"a<think>b</think>c", " x</think>y<|im_end|>z", "<tool_call>{\"name\":1}</tool_call>\n\nUser: q", "\n\n  Thought: no\nAction: none"} {
		s, _ := start(t, enginetest.Say(text), enginetest.Say(text))
		whole, streamed := completed(t, s, `"max_tokens":99`)
		if whole.Text != text || streamed.Text != text {
			t.Errorf("%q: %q, streamed %q", text, whole.Text, streamed.Text)
		}
	}
}

func TestCompletions_stopsEndPlainTextWhereverTokensEnd(t *testing.T) {
	s, _ := start(t, enginetest.Say("one </think> two"), enginetest.Say("one </think> two"))
	whole, streamed := completed(t, s, `"max_tokens":99,"stop":["x","nk> t"]`)
	if whole.Text != "one </thi" || whole.FinishReason != "stop" || !cmp.Equal(whole, streamed) {
		t.Errorf("%+v, streamed %+v", whole, streamed)
	}
}

// What a stream's pieces say is what the whole answer says.
func TestCompletions_aStreamsLogprobsAreTheWholeAnswers(t *testing.T) {
	s, _ := start(t, enginetest.Say("é\u4e16\u754cz"), enginetest.Say("é\u4e16\u754cz"))
	whole, streamed := completed(t, s, `"logprobs":0,"echo":false`)
	if diff := cmp.Diff(whole, streamed); diff != "" || !cmp.Equal(whole.Logprobs.TextOffset, []int{0, 1, 2, 3}) {
		t.Errorf("%s\n%+v", diff, whole)
	}
}

// The prompt's own tokens have no logprobs here: an evaluation that asks for them must not get the
// answer's in their place.
func TestCompletions_whatCannotBeToldOfAPromptIsRefused(t *testing.T) {
	s, _ := start(t)
	for fields, want := range map[string]string{
		`,"echo":true,"logprobs":1`: "logprobs", `,"best_of":2`: "best_of", `,"n":2,"best_of":1`: "best_of", `,"max_tokens":-2`: "max_tokens",
	} {
		status, body := postTo(t, s, "/v1/completions", `{"model":"scripted","prompt":"p"`+fields+`}`)
		if status != http.StatusBadRequest || named(t, []byte(body)) != want {
			t.Errorf("%s: %d %s", fields, status, body)
		}
	}
}

// max_tokens 0 asks for the prompt alone, and generates nothing.
func TestCompletions_noTokensAreThePromptAlone(t *testing.T) {
	s, e := start(t)
	whole, streamed := completed(t, s, `"max_tokens":0,"echo":true,"best_of":1`)
	if whole.Text != "p" || whole.FinishReason != "length" || !cmp.Equal(whole, streamed) {
		t.Errorf("%+v, streamed %+v", whole, streamed)
	}
	if len(e.Turns()) > 0 {
		t.Error("a turn was begun")
	}
}

func TestCompletions_tokensThatTheModelDoesNotHaveAreNamed(t *testing.T) {
	e := enginetest.Script()
	e.Info.Vocab.Size, e.Info.Can.Embeddings = 256, true
	h := server.New(servertest.Options(servertest.Model{ID: "scripted", Engine: e}))
	for _, ids := range []string{"[256]", "[-1]", "[[1],[2,999999999]]"} {
		for path, body := range map[string]string{
			"/v1/completions": `{"model":"scripted","prompt":` + ids + `}`, "/v1/embeddings": `{"model":"scripted","input":` + ids + `}`,
		} {
			rec := askWith(t, h, path, body)
			if field := named(t, rec.Body.Bytes()); rec.Code != http.StatusBadRequest || field != "prompt" && field != "input" {
				t.Errorf("%s %s: %d %s", path, ids, rec.Code, rec.Body)
			}
		}
	}
}

type completedChoice struct {
	Text         string
	FinishReason string `json:"finish_reason"`
	Logprobs     *struct {
		Tokens        []string
		TokenLogprobs []float64 `json:"token_logprobs"`
		TextOffset    []int     `json:"text_offset"`
	}
}

// completed asks for the same completion whole and streamed, and puts the pieces together.
func completed(t *testing.T, s *httptest.Server, fields string) (whole, streamed completedChoice) {
	t.Helper()
	type chunk struct{ Choices []completedChoice }
	body := `{"model":"scripted","prompt":"p",` + fields
	_, text := postTo(t, s, "/v1/completions", body+"}")
	var c chunk
	if err := json.Unmarshal([]byte(text), &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	_, events := postTo(t, s, "/v1/completions", body+`,"stream":true}`)
	for line := range strings.SplitSeq(events, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var piece chunk
		if err := json.Unmarshal([]byte(data), &piece); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		streamed.add(piece.Choices[0])
	}
	return c.Choices[0], streamed
}

func (c *completedChoice) add(piece completedChoice) {
	c.Text += piece.Text
	c.FinishReason += piece.FinishReason
	switch {
	case piece.Logprobs == nil:
	case c.Logprobs == nil:
		c.Logprobs = piece.Logprobs
	default:
		c.Logprobs.Tokens = append(c.Logprobs.Tokens, piece.Logprobs.Tokens...)
		c.Logprobs.TokenLogprobs = append(c.Logprobs.TokenLogprobs, piece.Logprobs.TokenLogprobs...)
		c.Logprobs.TextOffset = append(c.Logprobs.TextOffset, piece.Logprobs.TextOffset...)
	}
}
