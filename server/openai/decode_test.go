package openai

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// base is a valid request; the cases below add fields to it.
const base = `{"model":"m","messages":[{"role":"user","content":"hi"}]`

func TestDecode_badValuesNameTheirField(t *testing.T) {
	for fields, want := range map[string]string{
		`,"temperature":2.1`:                         "temperature",
		`,"temperature":-0.1`:                        "temperature",
		`,"temperature":"hot"`:                       "temperature",
		`,"top_p":1.5`:                               "top_p",
		`,"presence_penalty":-3`:                     "presence_penalty",
		`,"frequency_penalty":2.5`:                   "frequency_penalty",
		`,"max_tokens":0`:                            "max_tokens",
		`,"max_tokens":-2`:                           "max_tokens",
		`,"max_tokens":1.5`:                          "max_tokens",
		`,"max_tokens":-7,"max_completion_tokens":5`: "max_tokens",
		`,"max_completion_tokens":0`:                 "max_completion_tokens",
		`,"n":0`:                                     "n",
		`,"n":129`:                                   "n",
		`,"top_logprobs":3`:                          "top_logprobs",
		`,"logprobs":true,"top_logprobs":21`:         "top_logprobs",
		`,"logit_bias":{"x":1}`:                      "logit_bias",
		`,"logit_bias":{"1":101}`:                    "logit_bias",
		`,"seed":1.5`:                                "seed",
		`,"stop":7`:                                  "stop",
		`,"stop":["a",""]`:                           "stop",
		`,"stop":["` + strings.Repeat("x", 2000) + `","` + strings.Repeat("y", 49) + `"]`: "stop",
		`,"repeat_penalty":0`:                     "repeat_penalty",
		`,"repeat_penalty":1e-60`:                 "repeat_penalty",
		`,"dry_base":1e39`:                        "dry_base",
		`,"mirostat_tau":-1`:                      "mirostat_tau",
		`,"dry_sequence_breakers":["a","\u0000"]`: "dry_sequence_breakers[1]",
		`,"dry_sequence_breakers":["` + strings.Repeat(`a","`, 64) + `"]`: "dry_sequence_breakers",
		`,"stream":"yes"`:                           "stream",
		`,"reasoning_effort":"huge"`:                "reasoning_effort",
		`,"response_format":{"type":"xml"}`:         "response_format.type",
		`,"response_format":{"type":"json_schema"}`: "response_format.json_schema.schema",
		`,"response_format":{"type":"json_schema","json_schema":{"schema":null}}`: "response_format.json_schema.schema",
		`,"response_format":{"type":"json_object"},"grammar":"root ::= \"a\""`:    "response_format",
		`,"tools":{}`:                                  "tools",
		`,"tools":[{"type":"magic"}]`:                  "tools[0].type",
		`,"tools":[{"type":"function"}]`:               "tools[0].function",
		`,"tools":[{"type":"function","function":{}}]`: "tools[0].function.name",
		`,"tools":[{"type":"custom","custom":{"name":"x","format":{"type":"grammar","grammar":{"syntax":"peg"}}}}]`: "tools[0].custom.format.grammar.syntax",
		`,"tool_choice":"maybe"`:             "tool_choice",
		`,"tool_choice":{"type":"function"}`: "tool_choice.type",
		`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`: "tool_choice.allowed_tools.tools",
		`,"functions":[{}]`:      "functions[0].name",
		`,"audio":{"voice":"x"}`: "audio",
	} {
		_, _, err := decodeChat(strings.NewReader(base + fields + "}"))
		var e *chat.Error
		if !errors.As(err, &e) || e.Kind != chat.Invalid || e.Field != want {
			t.Errorf("%s: %v, want an error at %q", fields, err, want)
		}
	}
}

func TestDecode_badMessagesNameTheirPlace(t *testing.T) {
	for messages, want := range map[string]string{
		`[]`:                              "messages",
		`[{"role":"alien","content":""}]`: "messages[0].role",
		`[{"role":"user","content":7}]`:   "messages[0].content",
		`[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]`: "messages[0].content[0]",
		`[{"role":"user","content":[{"type":"smell"}]}]`:                    "messages[0].content[0].type",
	} {
		_, _, err := decodeChat(strings.NewReader(`{"model":"m","messages":` + messages + `}`))
		var e *chat.Error
		if !errors.As(err, &e) || e.Field != want {
			t.Errorf("%s: %v, want an error at %q", messages, err, want)
		}
	}
}

func TestDecode_whatAToolReturnsBesideTextIsNamed(t *testing.T) {
	r, _, err := decodeChat(strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"},
		{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"seen:"},{"type":"image_url","image_url":{"url":"data:"}},{"type":"input_audio"},{"type":"file"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "seen:\n[image omitted: this model reads text only]\n[audio omitted: this model reads text only]\n[file omitted: this model reads text only]"
	if got := r.Conversation.Messages[2].Content(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestDecode_hostileBodiesAreErrors(t *testing.T) {
	deep := strings.Repeat(`[`, 1_000_000) + strings.Repeat(`]`, 1_000_000)
	for name, body := range map[string]string{
		"empty": "", "no object": "[]", "cut": base, "two objects": base + "}{}", "a million deep": base + `,"metadata":` + deep + "}",
		"NUL": "\x00", "number": base + `,"temperature":1e999}`,
	} {
		if _, _, err := decodeChat(strings.NewReader(body)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDecode_harmlessFieldsAreListed(t *testing.T) {
	r, _, err := decodeChat(strings.NewReader(base + `,"store":true,"metadata":{"a":"b"},"user":"u","service_tier":null,"made_up":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Ignored, " "); got != "made_up metadata store user" {
		t.Errorf("ignored %q", got)
	}
}

func TestDecode_everyFormOfToolChoice(t *testing.T) {
	for raw, want := range map[string]tools.Choice{
		`null`:       {},
		`"auto"`:     {},
		`"none"`:     {Mode: tools.None},
		`"required"`: {Mode: tools.Required},
		`{"type":"function","function":{"name":"f"}}`: {Mode: tools.Required, Names: []string{"f"}},
		`{"type":"custom","custom":{"name":"f"}}`:     {Mode: tools.Required, Names: []string{"f"}},
		`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"g"}}]}}`: {Mode: tools.Required, Names: []string{"f", "g"}},
	} {
		r, _, err := decodeChat(strings.NewReader(base + `,"tool_choice":` + raw + `}`))
		if err != nil || r.Choice.Mode != want.Mode || strings.Join(r.Choice.Names, " ") != strings.Join(want.Names, " ") {
			t.Errorf("%s: %+v, %v", raw, r.Choice, err)
		}
	}
}

func TestDecode_historyKeepsWhatWasSent(t *testing.T) {
	r, _, err := decodeChat(strings.NewReader(`{"model":"m","messages":[
		{"role":"developer","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
		{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{broken"}}]},
		{"role":"tool","tool_call_id":"1","content":"out"},
		{"role":"assistant","content":"so far"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m := r.Conversation.Messages
	if m[0].Role != templates.Developer || m[0].Content() != "a\nb" || m[1].Reasoning != "hm" || m[1].Calls[0].Arguments != "{broken" || m[2].CallID != "1" {
		t.Errorf("%+v", m)
	}
}

func TestDecode_seedOfAnyWidth(t *testing.T) {
	for seed, set := range map[string]bool{"-1": false, "0": true, "9223372036854775807": true} {
		r, _, err := decodeChat(strings.NewReader(base + `,"seed":` + seed + `}`))
		if err != nil || (r.Sampling.Seed != nil) != set {
			t.Errorf("%s: %v %v", seed, r.Sampling.Seed, err)
		}
	}
}

func FuzzDecode_neverPanics(f *testing.F) {
	f.Add([]byte(base + "}"))
	f.Add([]byte(base + `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"required"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, err := decodeChat(bytes.NewReader(b))
		var e *chat.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%v is no *chat.Error", err)
		}
	})
}

// Some clients replay a call's arguments as the object they stand for.
func TestDecode_argumentsInTheHistoryAreTextOrAnyValue(t *testing.T) {
	for sent, want := range map[string]string{`"{\"a\":1}"`: `{"a":1}`, `{"a":1}`: `{"a":1}`, `null`: "", `"not json"`: "not json", `[1]`: "[1]"} {
		for _, form := range []string{
			`{"role":"assistant","tool_calls":[{"id":"1","type":"function","index":0,"function":{"name":"f","arguments":` + sent + `}}]}`,
			`{"role":"assistant","function_call":{"name":"f","arguments":` + sent + `}}`,
		} {
			r, _, err := decodeChat(strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"x"},` + form + `]}`))
			if err != nil || r.Conversation.Messages[1].Calls[0].Arguments != want {
				t.Errorf("%s: %v, %+v", form, err, r.Conversation)
			}
		}
	}
}

// -100 bans a token, but not so that nothing is left to choose where all that a grammar allows is
// banned.
func TestDecode_aBanIsFinite(t *testing.T) {
	r, _, err := decodeChat(strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}],"logit_bias":{"5":-100,"6":-99}}`))
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Sampling.LogitBias; math.IsInf(float64(b[5]), 0) || b[5] > -1e6 || b[6] != -99 {
		t.Errorf("%v", b)
	}
}
