package clients

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/servertest"
)

// S3-22: suite is the tests that LM Studio's Python SDK brings with its source. Of them 148 want a
// server that holds five models.
var suite = func() client {
	c := studio("lmstudio-suite", "lmstudio-suite", "lmstudio_suite.py")
	c.most = 1000
	c.handler = suiteModels
	return c
}()

// suiteModels serves the models that the suite wants, by the names it has for them. Each is a
// script that does what the suite's prompts ask for.
func suiteModels(ctx context.Context) (http.Handler, error) {
	text := &enginetest.Scripted{Info: engine.Model{Context: 32 << 10, Slots: 4}, Play: answerSuite}
	vectors := embedder{&enginetest.Scripted{Info: engine.Model{Context: 2048, Slots: 4, Can: engine.Can{Embeddings: true}}}}
	repos := map[string]string{
		"llama-3.2-1b-instruct":                "hugging-quants/llama-3.2-1b-instruct",
		"mobilevlm_v2-1.7b":                    "ziangwu/mobilevlm_v2-1.7b-gguf",
		"qwen2.5-7b-instruct-1m":               "lmstudio-community/qwen2.5-7b-instruct-1m",
		"smollm2-135m-instruct":                "huggingfacetb/smollm2-135m-instruct",
		"text-embedding-nomic-embed-text-v1.5": "nomic-ai/nomic-embed-text-v1.5",
	}
	engines := map[string]engine.Engine{}
	for id := range repos {
		engines[id] = text
	}
	engines["text-embedding-nomic-embed-text-v1.5"] = vectors
	models, o := servertest.Fleet(engines, func(o *fleet.Options) {
		known := o.Catalog.Entries
		for i := range known {
			known[i].Repo = repos[known[i].ID]
		}
	})
	for _, id := range []string{"llama-3.2-1b-instruct", "mobilevlm_v2-1.7b", "qwen2.5-7b-instruct-1m", "text-embedding-nomic-embed-text-v1.5"} {
		if _, err := models.Load(ctx, fleet.Request{Name: id}); err != nil {
			return nil, err
		}
	}
	return server.New(o), nil
}

// suiteAnswers are what a model says behind a prompt that holds all of wanted; the first decides.
var suiteAnswers = []struct {
	wanted []string
	answer string
}{
	{[]string{"123 and 3210", "3333"}, "The sum is 3333."},
	{[]string{"123 and 3210"}, `{"tool": "add", "arguments": {"a": 123, "b": 3210}}`},
	{[]string{"calculate 1 + 3", "Hi\n"}, "It is 4."},
	{[]string{"calculate 1 + 3"}, "Hi\n" + `{"tool": "add", "arguments": {"a": 1, "b": 3}}`},
	{[]string{"divide 1 by 0", "ZeroDivisionError"}, "Nothing can be divided by zero."},
	{[]string{"divide 1 by 0"}, `{"tool": "divide", "arguments": {"numerator": 1, "denominator": 0}}`},
	{[]string{toBeCancelled}, "word"},
	{[]string{"exactly what you just said"}, "Hello, world!"},
	{[]string{"I am a robot"}, "I am a robot"},
	{nil, "How can I help?"},
}

// toBeCancelled is what the tests ask that cancel at the first word.
const toBeCancelled = "This is a test prompt."

func answerSuite(t engine.Turn) enginetest.Reply {
	if strings.Contains(t.Grammar, "first_word_in_response") {
		return enginetest.Say(`{"response":"a","first_word_in_response":"a","lastWordInResponse":"a"}`)
	}
	prompt := t.Prompt.String()
	for _, s := range suiteAnswers {
		if !slices.ContainsFunc(s.wanted, func(w string) bool { return !strings.Contains(prompt, w) }) {
			reply := enginetest.Say(s.answer)
			// it says one letter, and waits for the cancel
			if slices.Contains(s.wanted, toBeCancelled) {
				reply.Hold = make(chan struct{}, 1)
				reply.Hold <- struct{}{}
			}
			return reply
		}
	}
	panic("the last answer fits every prompt")
}
