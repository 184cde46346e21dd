package sdktest

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
)

func anthropicClient(s served) anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(s.url), option.WithAPIKey("any"), option.WithMaxRetries(0))
}

func messageQuestion() anthropic.MessageNewParams {
	schema := anthropic.ToolInputSchemaParam{Properties: toolSchema["properties"], Required: []string{"city"}}
	tool := anthropic.ToolUnionParamOfTool(schema, toolName)
	tool.OfTool.Description = anthropic.String("The weather in a city")
	return anthropic.MessageNewParams{
		Model: model, MaxTokens: 60,
		System:   []anthropic.TextBlockParam{{Text: "Be brief.", CacheControl: anthropic.NewCacheControlEphemeralParam()}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("What is the weather in Oslo?"))},
		Tools:    []anthropic.ToolUnionParam{tool},
	}
}

// message runs a request; a stream is put together by the SDK's own accumulator.
func message(t *testing.T, c anthropic.Client, p anthropic.MessageNewParams, streamed bool) anthropic.Message {
	t.Helper()
	if !streamed {
		m, err := c.Messages.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return *m
	}
	stream := c.Messages.NewStreaming(t.Context(), p)
	var m anthropic.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Fatalf("the SDK does not take %s: %v", stream.Current().RawJSON(), err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnthropic_toolRoundTripWithThinking(t *testing.T) {
	turns := []enginetest.Reply{enginetest.Say("<think>I shall look.</think>" + toolCall), enginetest.Say("It is 3 degrees.")}
	eachEngine(t, func(t *testing.T, s served) {
		c := anthropicClient(s)
		for _, streamed := range []bool{true, false} {
			p := messageQuestion()
			p.MaxTokens, p.Thinking = 1100, anthropic.ThinkingConfigParamOfEnabled(1024)
			if !s.script { // noise thinks as long as it may
				p.MaxTokens, p.Thinking = 60, anthropic.ThinkingConfigParamUnion{OfDisabled: &anthropic.ThinkingConfigDisabledParam{}}
			}
			p.ToolChoice = anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
			first := message(t, c, p, streamed)
			if !endsInCall(s, first) {
				t.Fatalf("stop_reason %s: %s", first.StopReason, first.RawJSON())
			}
			p.Messages = append(p.Messages, first.ToParam(), anthropic.NewUserMessage(results(t, s, first)...))
			p.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
			second := message(t, c, p, streamed)
			for _, b := range second.Content {
				if b.Type == "text" {
					s.said(t, b.Text, "It is 3 degrees.")
				}
			}
			if u := second.Usage; u.OutputTokens == 0 || u.InputTokens+u.CacheReadInputTokens+u.CacheCreationInputTokens == 0 {
				t.Errorf("usage %s", u.RawJSON())
			}
		}
	}, append(turns, turns...)...)
}

// results answers a message's calls, which must fit; a scripted one thought first, and its
// thinking is signed.
func results(t *testing.T, s served, m anthropic.Message) []anthropic.ContentBlockParamUnion {
	t.Helper()
	var out []anthropic.ContentBlockParamUnion
	var kinds []string
	for _, b := range m.Content {
		kinds = append(kinds, b.Type)
		switch b := b.AsAny().(type) {
		case anthropic.ThinkingBlock:
			s.said(t, b.Thinking, "I shall look.")
			if b.Signature == "" {
				t.Error("the thinking is not signed")
			}
		case anthropic.ToolUseBlock:
			var args struct{ City string }
			if err := json.Unmarshal(b.Input, &args); err != nil || b.Name != toolName || !slices.Contains([]string{"Oslo", "Rome"}, args.City) {
				t.Errorf("%v: %s", err, b.RawJSON())
			}
			out = append(out, anthropic.NewToolResultBlock(b.ID, "3", false))
		}
	}
	if s.script {
		if diff := cmp.Diff([]string{"thinking", "tool_use"}, kinds); diff != "" {
			t.Error(diff)
		}
	}
	return out
}

func TestAnthropic_countTokensIsWhatIsCharged(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := anthropicClient(s)
		p := messageQuestion()
		count, err := c.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
			Model: model, Messages: p.Messages, System: anthropic.MessageCountTokensParamsSystemUnion{OfTextBlockArray: p.System},
			Tools: []anthropic.MessageCountTokensToolUnionParam{{OfTool: p.Tools[0].OfTool}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, streamed := range []bool{true, false} {
			if u := message(t, c, p, streamed).Usage; u.InputTokens+u.CacheReadInputTokens+u.CacheCreationInputTokens != count.InputTokens {
				t.Errorf("%d counted, charged %s", count.InputTokens, u.RawJSON())
			}
		}
	}, enginetest.Say("hello"), enginetest.Say("hello"))
}

// endsInCall tells whether a message ends in a call. Noise may write at one until its budget ends,
// which closes it legally.
func endsInCall(s served, m anthropic.Message) bool {
	byBudget := !s.script && m.StopReason == anthropic.StopReasonMaxTokens
	return len(m.Content) > 0 && m.Content[len(m.Content)-1].Type == "tool_use" &&
		(m.StopReason == anthropic.StopReasonToolUse || byBudget)
}

func TestAnthropic_toolChoicesStopsAndStructuredOutput(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := anthropicClient(s)
		p := messageQuestion()
		p.ToolChoice = anthropic.ToolChoiceParamOfTool(toolName)
		p.ToolChoice.OfTool.DisableParallelToolUse = anthropic.Bool(true)
		if m := message(t, c, p, false); !endsInCall(s, m) {
			t.Errorf("%s", m.RawJSON())
		}
		p = messageQuestion()
		p.Tools, p.StopSequences = nil, []string{"STOP"}
		m := message(t, c, p, true)
		if s.script && (m.StopReason != anthropic.StopReasonStopSequence || m.StopSequence != "STOP") {
			t.Errorf("%s %s", m.StopReason, m.StopSequence)
		}
		p.StopSequences = nil
		p.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: answerSchema}}
		m = message(t, c, p, true)
		var got struct{ Celsius *float64 }
		if err := json.Unmarshal([]byte(m.Content[len(m.Content)-1].Text), &got); err != nil || got.Celsius == nil {
			t.Errorf("%v: %s", err, m.RawJSON())
		}
	}, enginetest.Say(toolCall), enginetest.Say("one STOP two"), enginetest.Say(`{"celsius": 3}`))
}

func TestAnthropic_modelsAndErrors(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := anthropicClient(s)
		models, err := c.Models.List(t.Context(), anthropic.ModelListParams{})
		if err != nil || len(models.Data) != 1 || models.Data[0].ID != model || models.Data[0].DisplayName == "" {
			t.Errorf("%v: %+v", err, models)
		}
		if one, err := c.Models.Get(t.Context(), model, anthropic.ModelGetParams{}); err != nil || one.ID != model {
			t.Errorf("%v: %+v", err, one)
		}
		unknown, none := messageQuestion(), messageQuestion()
		unknown.Model, none.MaxTokens = "other", 0
		for _, want := range []struct {
			p      anthropic.MessageNewParams
			status int
			kind   anthropic.ErrorType
		}{{unknown, http.StatusNotFound, "not_found_error"}, {none, http.StatusBadRequest, "invalid_request_error"}} {
			_, err := c.Messages.New(t.Context(), want.p)
			var e *anthropic.Error
			if !errors.As(err, &e) || e.StatusCode != want.status || e.Type() != want.kind || e.RequestID == "" || e.Message == "" {
				t.Errorf("%v, want %d %s", err, want.status, want.kind)
			}
		}
	})
}
