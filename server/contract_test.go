package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/server/servertest"
)

// conforms is h with every body and event that it sends held against OpenAI's description, where that is at hand, and
// against our own contracts (testdata/contracts.json) where it says nothing. Streams are read as the strictest clients read them, too.
func conforms(t *testing.T, h http.Handler) http.Handler {
	return servertest.Watch(h, func(e servertest.Exchange) {
		if e.Broken { // what a client that is gone did not get may be cut off anywhere
			return
		}
		checkExchange(t, e)
		if err := e.Fault(); err != nil {
			t.Error(err)
		}
	})
}

// wholes are the schemas of bodies by method and route, and streams those of events. A name that begins with "#" is in our
// own contracts.
var (
	wholes = map[string][]string{
		"POST /v1/chat/completions":       {"CreateChatCompletionResponse"},
		"POST /v1/completions":            {"CreateCompletionResponse"},
		"POST /v1/embeddings":             {"CreateEmbeddingResponse"},
		"POST /v1/responses":              {"Response"},
		"POST /v1/responses/input_tokens": {"TokenCountsResource"},
		"GET /v1/responses/*":             {"Response"},
		"POST /v1/responses/*/cancel":     {"Response"},
		"GET /v1/responses/*/input_items": {"ResponseItemList"},
		"DELETE /v1/responses/*":          {"#deleted"},
		"GET /v1/models":                  {"ListModelsResponse", "#model_list"},
		"GET /v1/models/*":                {"Model", "#model"},
		"POST /v1/messages":               {"#whole_message"},
		"POST /v1/messages/count_tokens":  {"#message_count"},
		"POST /tokenize":                  {"#tokens"},
		"POST /detokenize":                {"#content"},
		"POST /apply-template":            {"#prompt"},
	}
	streamed = map[string]string{
		"POST /v1/chat/completions": "CreateChatCompletionStreamResponse",
		"POST /v1/completions":      "CreateCompletionResponse",
		"POST /v1/messages":         "#message_event",
	}
)

func checkExchange(t *testing.T, e servertest.Exchange) {
	route := e.Method + " " + routeOf(e.Path)
	body := string(e.Response)
	switch {
	case e.Streamed():
		for _, sent := range data(body) {
			check(t, eventSchema(route, sent), sent)
		}
	case !strings.HasPrefix(e.Type, "application/json") || e.Method == http.MethodHead:
	case e.Status >= http.StatusBadRequest:
		if strings.HasPrefix(e.Path, "/v1/messages") || e.Header.Get("Anthropic-Version") != "" {
			check(t, "#message_error", body)
		} else if !strings.HasPrefix(e.Path, "/health") {
			check(t, "ErrorResponse", body)
		}
	default:
		for _, schema := range wholes[route] {
			check(t, schema, body)
		}
	}
}

// routeOf has a star for an id.
func routeOf(path string) string {
	for _, prefix := range []string{"/v1/models/", "/v1/responses/"} {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok || rest == "input_tokens" {
			continue
		}
		if _, last, ok := strings.Cut(rest, "/"); ok && prefix == "/v1/responses/" {
			return prefix + "*/" + last
		}
		return prefix + "*"
	}
	return path
}

func eventSchema(route, event string) string {
	var e struct {
		Type  string
		Error json.RawMessage
	}
	if json.Unmarshal([]byte(event), &e) == nil && route == "POST /v1/responses" {
		if schema := eventSchemas[e.Type]; schema != "" {
			return schema
		}
		return "no schema for the event " + e.Type
	}
	if e.Error != nil && streamed[route] != "#message_event" {
		return "ErrorResponse"
	}
	return streamed[route]
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
	"response.reasoning_text.delta":          "ResponseReasoningTextDeltaEvent",
	"response.reasoning_text.done":           "ResponseReasoningTextDoneEvent",
	"response.reasoning_summary_part.added":  "ResponseReasoningSummaryPartAddedEvent",
	"response.reasoning_summary_part.done":   "ResponseReasoningSummaryPartDoneEvent",
	"response.reasoning_summary_text.delta":  "ResponseReasoningSummaryTextDeltaEvent",
	"response.reasoning_summary_text.done":   "ResponseReasoningSummaryTextDoneEvent",
	"response.function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaEvent",
	"response.function_call_arguments.done":  "ResponseFunctionCallArgumentsDoneEvent",
	"response.custom_tool_call_input.delta":  "ResponseCustomToolCallInputDeltaEvent",
	"response.custom_tool_call_input.done":   "ResponseCustomToolCallInputDoneEvent",
}

// check reports where a body departs from a schema. Without OpenAI's description only our own contracts are checked.
func check(t *testing.T, schema, body string) {
	s, err := schemaNamed(schema)
	if err != nil {
		t.Errorf("%v: %s", err, body)
		return
	}
	if s == nil {
		return
	}
	switch schema {
	case "CreateCompletionResponse": // one schema for whole answers and chunks, which forgets that a reason comes last
		body = strings.ReplaceAll(body, `"finish_reason":null`, `"finish_reason":"stop"`)
	case "CreateEmbeddingResponse": // which forgets encoding_format: base64
		body = base64Vector.ReplaceAllString(body, `"embedding":[]`)
	case "CreateChatCompletionStreamResponse": // which forgets the custom calls that whole answers may have
		body = strings.ReplaceAll(body, `"type":"custom"`, `"type":"function"`)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		t.Errorf("%v: %s", err, body)
		return
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v\n%s", schema, err, body)
	}
}

var base64Vector = regexp.MustCompile(`"embedding":"[^"]*"`)

var compiled = struct {
	sync.Mutex
	schemas map[string]*jsonschema.Schema
}{schemas: map[string]*jsonschema.Schema{}}

// schemaNamed compiles a schema once. It is nil where the description is not at hand.
func schemaNamed(name string) (*jsonschema.Schema, error) {
	compiled.Lock()
	defer compiled.Unlock()
	if s := compiled.schemas[name]; s != nil {
		return s, nil
	}
	url := contractsURL + "#/$defs/" + strings.TrimPrefix(name, "#")
	if !strings.HasPrefix(name, "#") {
		if _, err := theDescription(); err != nil {
			return nil, nil // it is no part of this repository
		}
		url = descriptionURL + "#/components/schemas/" + name
	}
	c, err := contracts()
	if err != nil {
		return nil, err
	}
	s, err := c.Compile(url)
	compiled.schemas[name] = s
	return s, err
}

const contractsURL = "https://tenon.invalid/contracts.json"

// contracts knows both documents, as far as they are at hand.
var contracts = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	f, err := os.Open("testdata/contracts.json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := addResource(c, contractsURL, f); err != nil {
		return nil, err
	}
	if d, err := theDescription(); err == nil {
		return c, c.AddResource(descriptionURL, d.doc)
	}
	return c, nil
})

func addResource(c *jsonschema.Compiler, url string, r io.Reader) error {
	doc, err := jsonschema.UnmarshalJSON(r)
	if err != nil {
		return err
	}
	return c.AddResource(url, doc)
}
