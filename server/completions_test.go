package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
)

func TestCompletions_promptsOfEveryForm(t *testing.T) {
	for prompt, want := range map[string][]string{
		`"once"`:            {"oncea"},
		`["once","twice"]`:  {"oncea", "twiceb"},
		`[104,105]`:         {"a"},
		`[[104,105],[106]]`: {"a", "b"},
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
	for prompt, want := range map[string]string{`null`: "prompt", `7`: "prompt", `[]`: "prompt", `["a",7]`: "prompt[1]", `["a",["b"]]`: "prompt[1]"} {
		status, body := postTo(t, s, "/v1/completions", `{"model":"scripted","prompt":`+prompt+`}`)
		if status != http.StatusBadRequest || !strings.Contains(body, `"param":"`+want+`"`) {
			t.Errorf("%s: %d %s", prompt, status, body)
		}
	}
}

func TestTokenize_andBack(t *testing.T) {
	s, _ := start(t)
	if _, body := postTo(t, s, "/tokenize", `{"model":"scripted","content":"hi"}`); strings.TrimSpace(body) != `{"tokens":[104,105]}` {
		t.Error(body)
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
	_, body := postTo(t, s, "/v1/completions", `{"model":"scripted","echo":true,"prompt":"once","logprobs":0}`)
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
	if !cmp.Equal(got.Tokens, []string{"a", "b"}) || !cmp.Equal(got.TextOffset, []int{4, 5}) {
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
