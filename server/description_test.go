package server_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/engine/enginetest"
)

// description validates what is sent against OpenAI's published description of its API, which is no part of this repository.
type description struct {
	compiler *jsonschema.Compiler
	schemas  map[string]any
}

const descriptionURL = "https://openai.invalid/description.json"

func readDescription(t *testing.T) description {
	t.Helper()
	f, err := os.Open("../../shared/data/openapi/openai.json.gz")
	if err != nil {
		t.Skipf("OpenAI's description is not at hand: %v", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(z)
	if err != nil {
		t.Fatal(err)
	}
	modernise(doc)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(descriptionURL, doc); err != nil {
		t.Fatal(err)
	}
	return description{c, doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)}
}

// properties are the names of a schema's properties, those of the schemas that it is made of included.
func (d description) properties(t *testing.T, schema string) []string {
	t.Helper()
	found := map[string]any{}
	d.gather(d.schemas[schema], found)
	if len(found) == 0 {
		t.Fatalf("%s is not described", schema)
	}
	return slices.Sorted(maps.Keys(found))
}

func (d description) gather(schema any, to map[string]any) {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		d.gather(d.schemas[path.Base(ref)], to)
	}
	all, _ := s["allOf"].([]any)
	for _, part := range all {
		d.gather(part, to)
	}
	properties, _ := s["properties"].(map[string]any)
	maps.Copy(to, properties)
}

// outside are values just beyond the limits that the description gives a property of a schema, and a fraction where it must
// be an integer.
func (d description) outside(t *testing.T, schema, property string) []string {
	t.Helper()
	found := map[string]any{}
	d.gather(d.schemas[schema], found)
	return beyond(found[property])
}

func beyond(schema any) (values []string) {
	s, _ := schema.(map[string]any)
	either, _ := s["anyOf"].([]any)
	for _, one := range either {
		values = append(values, beyond(one)...)
	}
	if s["type"] == "integer" {
		values = append(values, "1.5")
	}
	for limit, step := range map[string]float64{"minimum": -1, "maximum": 1} {
		n, ok := s[limit].(json.Number)
		if !ok {
			continue
		}
		if v, err := n.Float64(); err == nil && math.Abs(v) < 1e9 { // beyond 64 bits there are no integers to send
			values = append(values, strconv.FormatFloat(v+step, 'g', -1, 64))
		}
	}
	return values
}

// modernise turns what the description writes in words of older drafts into today's: nullable (OpenAPI 3.0) and
// $recursiveAnchor (draft 2019-09).
func modernise(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			modernise(e)
		}
	case map[string]any:
		delete(v, "$recursiveAnchor")
		for _, e := range v {
			modernise(e)
		}
		if v["nullable"] == true {
			delete(v, "nullable")
			inner := maps.Clone(v)
			clear(v)
			v["anyOf"] = []any{inner, map[string]any{"type": "null"}}
		}
	}
}

// validate reports where a body departs from one of the description's schemas.
func (d description) validate(t *testing.T, schema, body string) {
	t.Helper()
	s, err := d.compiler.Compile(descriptionURL + "#/components/schemas/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v\n%s", schema, err, body)
	}
}

// eventSchemas has the schema of every event that a Responses stream may hold, by its type.
var eventSchemas = map[string]string{
	"response.created":                       "ResponseCreatedEvent",
	"response.in_progress":                   "ResponseInProgressEvent",
	"response.completed":                     "ResponseCompletedEvent",
	"response.incomplete":                    "ResponseIncompleteEvent",
	"response.failed":                        "ResponseFailedEvent",
	"response.output_item.added":             "ResponseOutputItemAddedEvent",
	"response.output_item.done":              "ResponseOutputItemDoneEvent",
	"response.content_part.added":            "ResponseContentPartAddedEvent",
	"response.content_part.done":             "ResponseContentPartDoneEvent",
	"response.output_text.delta":             "ResponseTextDeltaEvent",
	"response.output_text.done":              "ResponseTextDoneEvent",
	"response.function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaEvent",
	"response.function_call_arguments.done":  "ResponseFunctionCallArgumentsDoneEvent",
}

func send(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v: %s", resp.StatusCode, err, b)
	}
	return string(b)
}

// data are the JSON payloads of a stream, without Chat's end mark.
func data(stream string) []string {
	var out []string
	lines := bufio.NewScanner(strings.NewReader(stream))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok && d != "[DONE]" {
			out = append(out, d)
		}
	}
	return out
}

func TestDescription_everyBodyAndEventConforms(t *testing.T) {
	d := readDescription(t)
	for name, reply := range map[string]string{
		"text": "plain words", "call": `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`, "both": "Look:\n" + `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := enginetest.Say(reply)
			s, _ := start(t, r, r, r, r, r, r, r, r)
			d.chat(t, s.URL)
			d.responses(t, s.URL)
			d.completions(t, s.URL)
		})
	}
}

func (d description) chat(t *testing.T, base string) {
	t.Helper()
	asked := hello + `,"logprobs":true,"top_logprobs":1`
	d.validate(t, "CreateChatCompletionResponse", send(t, base+"/v1/chat/completions", asked+weather))
	for _, chunk := range data(send(t, base+"/v1/chat/completions", asked+`,"stream":true,"stream_options":{"include_usage":true}`+weather)) {
		d.validate(t, "CreateChatCompletionStreamResponse", chunk)
	}
}

func (d description) responses(t *testing.T, base string) {
	t.Helper()
	const ask = `{"model":"scripted","input":[{"role":"user","content":"hi"}],"tools":[{"type":"function","name":"get_weather","strict":false,"parameters":{"type":"object","properties":{"city":{"type":"string"}}}},{"type":"custom","name":"patch"}]`
	whole := send(t, base+"/v1/responses", ask+`}`)
	d.validate(t, "Response", whole)
	for _, e := range data(send(t, base+"/v1/responses", ask+`,"stream":true}`)) {
		var kind struct{ Type string }
		if err := json.Unmarshal([]byte(e), &kind); err != nil || eventSchemas[kind.Type] == "" {
			t.Fatalf("%v: an event that is not described: %s", err, e)
		}
		d.validate(t, eventSchemas[kind.Type], e)
	}
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(whole), &made); err != nil {
		t.Fatal(err)
	}
	for path, schema := range map[string]string{"": "Response", "/input_items": "ResponseItemList"} {
		resp, err := http.Get(base + "/v1/responses/" + made.ID + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		d.validate(t, schema, string(b))
	}
}

func (d description) completions(t *testing.T, base string) {
	t.Helper()
	const ask = `{"model":"scripted","prompt":"one","max_tokens":3,"logprobs":1`
	d.validate(t, "CreateCompletionResponse", send(t, base+"/v1/completions", ask+`}`))
	for _, chunk := range data(send(t, base+"/v1/completions", ask+`,"stream":true}`)) {
		// The description has one schema for whole answers and chunks, and forgets that a reason comes last.
		d.validate(t, "CreateCompletionResponse", strings.Replace(chunk, `"finish_reason":null`, `"finish_reason":"stop"`, 1))
	}
}
