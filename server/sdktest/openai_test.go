package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"tenon/engine/enginetest"
)

func openaiClient(s served) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.url+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
}

// question is a request that declares the tool.
func question() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:               model,
		MaxCompletionTokens: openai.Int(60),
		Messages:            []openai.ChatCompletionMessageParamUnion{openai.DeveloperMessage("Be brief."), openai.UserMessage("What is the weather in Oslo?")},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: toolName, Description: openai.String("The weather in a city"), Parameters: toolSchema, Strict: openai.Bool(true),
		})},
	}
}

// streamChat runs a request as a stream and returns what the SDK makes of it.
func streamChat(t *testing.T, c openai.Client, p openai.ChatCompletionNewParams) openai.ChatCompletion {
	t.Helper()
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatalf("the SDK does not take %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return acc.ChatCompletion
}

func TestOpenAI_toolRoundTrip(t *testing.T) {
	turns := []enginetest.Reply{enginetest.Say(toolCall), enginetest.Say("It is 3 degrees.")}
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		for _, streamed := range []bool{true, false} {
			p := question()
			for turn := range 2 {
				if turn == 0 {
					p.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("required")}
				} else {
					p.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("none")}
				}
				done := chat(t, c, p, streamed)
				message := done.Choices[0].Message
				if done.Usage.PromptTokens == 0 || done.Usage.TotalTokens != done.Usage.PromptTokens+done.Usage.CompletionTokens {
					t.Errorf("usage %s", done.Usage.RawJSON())
				}
				if turn == 1 {
					s.said(t, message.Content, "It is 3 degrees.")
					break
				}
				p.Messages = append(p.Messages, message.ToParam())
				for _, call := range called(t, done) {
					p.Messages = append(p.Messages, openai.ToolMessage("3", call.ID))
				}
			}
		}
	}, append(turns, turns...)...)
}

func chat(t *testing.T, c openai.Client, p openai.ChatCompletionNewParams, streamed bool) openai.ChatCompletion {
	t.Helper()
	if streamed {
		return streamChat(t, c, p)
	}
	done, err := c.Chat.Completions.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return *done
}

// called are an answer's calls, which must fit. Noise may write at them until its budget ends,
// which closes them legally.
func called(t *testing.T, done openai.ChatCompletion) []openai.ChatCompletionMessageToolCallUnion {
	t.Helper()
	calls := done.Choices[0].Message.ToolCalls
	if reason := done.Choices[0].FinishReason; len(calls) == 0 || reason != "tool_calls" && reason != "length" {
		t.Fatalf("no call: %s", done.Choices[0].RawJSON())
	}
	for _, call := range calls {
		var args struct{ City string }
		if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil || call.Function.Name != toolName || !slices.Contains([]string{"Oslo", "Rome"}, args.City) {
			t.Errorf("%v: %s", err, call.RawJSON())
		}
	}
	return calls
}

func TestOpenAI_toolChoices(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		for name, choice := range map[string]openai.ChatCompletionToolChoiceOptionUnionParam{
			"required": {OfAuto: openai.String("required")},
			"named":    openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: toolName}),
		} {
			p := question()
			p.ToolChoice, p.ParallelToolCalls = choice, openai.Bool(false)
			done := chat(t, c, p, name == "named")
			if calls := called(t, done); len(calls) != 1 {
				t.Errorf("%s: %d calls", name, len(calls))
			}
		}
	}, enginetest.Say(toolCall), enginetest.Say(toolCall))
}

func TestOpenAI_structuredOutput(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		p := question()
		p.Tools = nil
		p.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "weather", Strict: openai.Bool(true), Schema: answerSchema},
		}}
		content := streamChat(t, openaiClient(s), p).Choices[0].Message.Content
		var got struct{ Celsius *float64 }
		if err := json.Unmarshal([]byte(content), &got); err != nil || got.Celsius == nil {
			t.Errorf("%v: %s", err, content)
		}
	}, enginetest.Say(`{"celsius": 3}`))
}

func TestOpenAI_choicesLogprobsAndSeed(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		p := question()
		p.Tools, p.N, p.Seed, p.MaxCompletionTokens = nil, openai.Int(2), openai.Int(7), openai.Int(8)
		p.Logprobs, p.TopLogprobs, p.Temperature = openai.Bool(true), openai.Int(2), openai.Float(1)
		done := chat(t, openaiClient(s), p, false)
		if len(done.Choices) != 2 {
			t.Fatalf("%d choices", len(done.Choices))
		}
		for _, choice := range done.Choices {
			if choice.Message.Content != "" && len(choice.Logprobs.Content) == 0 {
				t.Errorf("no logprobs: %s", choice.RawJSON())
			}
		}
	}, enginetest.Say("one"), enginetest.Say("two"))
}

func TestOpenAI_completionsAndModels(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		done, err := c.Completions.New(t.Context(), openai.CompletionNewParams{
			Model: model, MaxTokens: openai.Int(8), Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Once")},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.said(t, done.Choices[0].Text, " upon")
		stream := c.Completions.NewStreaming(t.Context(), openai.CompletionNewParams{
			Model: model, MaxTokens: openai.Int(8), Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Once")},
		})
		text := ""
		for stream.Next() {
			for _, choice := range stream.Current().Choices {
				text += choice.Text
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		s.said(t, text, " upon")
		models, err := c.Models.List(t.Context())
		if err != nil || len(models.Data) != 1 || models.Data[0].ID != model {
			t.Errorf("%v: %+v", err, models)
		}
		if one, err := c.Models.Get(t.Context(), model); err != nil || one.ID != model {
			t.Errorf("%v: %+v", err, one)
		}
	}, enginetest.Say(" upon"), enginetest.Say(" upon"))
}

func TestOpenAI_errorsAreTyped(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		unknown, hot, empty := question(), question(), question()
		unknown.Model, hot.Temperature, empty.Messages = "other", openai.Float(3), []openai.ChatCompletionMessageParamUnion{}
		for _, want := range []struct {
			p      openai.ChatCompletionNewParams
			status int
			param  string
			code   string
		}{
			{unknown, http.StatusNotFound, "model", "model_not_found"},
			{hot, http.StatusBadRequest, "temperature", ""},
			{empty, http.StatusBadRequest, "messages", ""},
		} {
			_, err := c.Chat.Completions.New(t.Context(), want.p)
			checkOpenAIError(t, err, want.status, want.param, want.code)
			stream := c.Chat.Completions.NewStreaming(t.Context(), want.p)
			for stream.Next() {
				t.Errorf("an event: %s", stream.Current().RawJSON())
			}
			checkOpenAIError(t, stream.Err(), want.status, want.param, want.code)
		}
		_, err := c.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Model: model, Input: openai.EmbeddingNewParamsInputUnion{OfString: param.NewOpt("hi")}})
		if s.script {
			checkOpenAIError(t, err, http.StatusBadRequest, "model", "unsupported")
		}
		_, err = c.Responses.Get(context.Background(), "resp_none", responsesGet)
		checkOpenAIError(t, err, http.StatusNotFound, "", "")
	})
}

func checkOpenAIError(t *testing.T, err error, status int, field, code string) {
	t.Helper()
	var e *openai.Error
	if !errors.As(err, &e) {
		t.Errorf("%v is not the SDK's own", err)
		return
	}
	if e.StatusCode != status || e.Param != field || (code != "" && e.Code != code) || e.Message == "" || e.Type == "" {
		t.Errorf("%d, param %q, code %q: %s; want %d, %q, %q", e.StatusCode, e.Param, e.Code, e.RawJSON(), status, field, code)
	}
}
