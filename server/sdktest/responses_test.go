package sdktest

import (
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"tenon/engine/enginetest"
)

var responsesGet = responses.ResponseGetParams{}

func responseQuestion() responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model:           model,
		MaxOutputTokens: openai.Int(60),
		Instructions:    openai.String("Be brief."),
		Input:           responses.ResponseNewParamsInputUnion{OfString: openai.String("What is the weather in Oslo?")},
		Tools: []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name: toolName, Description: openai.String("The weather in a city"), Parameters: toolSchema, Strict: openai.Bool(true),
		}}},
	}
}

// respond runs a request. Of a stream it takes what the last event carries, and checks that the
// deltas said the same.
func respond(t *testing.T, c openai.Client, p responses.ResponseNewParams, streamed bool) responses.Response {
	t.Helper()
	if !streamed {
		r, err := c.Responses.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return *r
	}
	stream := c.Responses.NewStreaming(t.Context(), p)
	var done responses.Response
	text := ""
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += e.Delta
		case responses.ResponseCompletedEvent:
			done = e.Response
		case responses.ResponseIncompleteEvent:
			done = e.Response
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if done.ID == "" || done.OutputText() != text {
		t.Errorf("the deltas said %q, the response %q", text, done.OutputText())
	}
	return done
}

func TestResponses_toolRoundTripByPreviousID(t *testing.T) {
	turns := []enginetest.Reply{enginetest.Say(toolCall), enginetest.Say("It is 3 degrees.")}
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		for _, streamed := range []bool{true, false} {
			p := responseQuestion()
			p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsRequired)}
			first := respond(t, c, p, streamed)
			var results responses.ResponseInputParam
			for _, item := range first.Output {
				if call := item.AsFunctionCall(); item.Type == "function_call" {
					output := responses.ResponseInputItemParamOfFunctionCallOutput("3")
					output.OfFunctionCallOutput.CallID = param.NewOpt(call.CallID)
					results = append(results, output)
				}
			}
			if len(results) == 0 {
				t.Fatalf("no call: %s", first.RawJSON())
			}
			p = responseQuestion()
			p.PreviousResponseID = openai.String(first.ID)
			p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: results}
			p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsNone)}
			second := respond(t, c, p, streamed)
			s.said(t, second.OutputText(), "It is 3 degrees.")
			if second.PreviousResponseID != first.ID || second.Usage.TotalTokens != second.Usage.InputTokens+second.Usage.OutputTokens {
				t.Errorf("%s", second.RawJSON())
			}
		}
	}, append(turns, turns...)...)
}

func TestResponses_areKeptListedCountedAndDeleted(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		p := responseQuestion()
		p.Tools = nil
		made := respond(t, c, p, false)
		got, err := c.Responses.Get(t.Context(), made.ID, responsesGet)
		if err != nil || got.OutputText() != made.OutputText() {
			t.Errorf("%v: %+v", err, got)
		}
		items, err := c.Responses.InputItems.List(t.Context(), made.ID, responses.InputItemListParams{})
		if err != nil || len(items.Data) != 1 || items.Data[0].AsMessage().Role != "user" {
			t.Errorf("%v: %+v", err, items)
		}
		count, err := c.Responses.InputTokens.Count(t.Context(), responses.InputTokenCountParams{
			Model: openai.String(model), Instructions: p.Instructions, Input: responses.InputTokenCountParamsInputUnion{OfString: p.Input.OfString},
		})
		if err != nil || count.InputTokens != made.Usage.InputTokens {
			t.Errorf("%v: %+v counted, %d charged", err, count, made.Usage.InputTokens)
		}
		if _, err := c.Responses.Cancel(t.Context(), made.ID); err != nil {
			t.Errorf("cancel of a finished response: %v", err)
		}
		if err := c.Responses.Delete(t.Context(), made.ID); err != nil {
			t.Error(err)
		}
		_, err = c.Responses.Get(t.Context(), made.ID, responsesGet)
		checkOpenAIError(t, err, http.StatusNotFound, "", "")
	}, enginetest.Say("hello"))
}

func TestResponses_structuredOutputAndCustomTools(t *testing.T) {
	eachEngine(t, func(t *testing.T, s served) {
		c := openaiClient(s)
		p := responseQuestion()
		p.Tools = nil
		p.Text = responses.ResponseTextConfigParam{Format: responses.ResponseFormatTextConfigUnionParam{OfJSONSchema: &responses.ResponseFormatTextJSONSchemaConfigParam{
			Name: "weather", Strict: openai.Bool(true), Schema: answerSchema,
		}}}
		s.said(t, respond(t, c, p, true).OutputText(), `{"celsius": 3}`)
		p = responseQuestion()
		p.Tools = []responses.ToolUnionParam{{OfCustom: &responses.CustomToolParam{
			Name: "pick", Format: shared.CustomToolInputFormatUnionParam{OfGrammar: &shared.CustomToolInputFormatGrammarParam{Syntax: "regex", Definition: "(left|right)"}},
		}}}
		p.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsRequired)}
		done := respond(t, c, p, true)
		call := done.Output[len(done.Output)-1].AsCustomToolCall()
		if call.Name != "pick" || (call.Input != "left" && call.Input != "right") {
			t.Errorf("%s", done.RawJSON())
		}
	}, enginetest.Say(`{"celsius": 3}`), enginetest.Say(`{"tool": "pick", "arguments": {"input": "left"}}`))
}
