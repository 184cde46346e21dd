package contract

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"tenon/server/servertest"
	"tenon/server/sse"
)

// wholes are the schemas of bodies by method and route, and streams those of events. A name that
// begins with "#" is in our own contracts.
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

// Faults are where the bodies and events of an exchange depart from their descriptions. What a
// client that has left did not get may be cut off anywhere, and is not looked at.
func Faults(e servertest.Exchange) (faults []error) {
	if e.Broken {
		return nil
	}
	check := func(schema, body string) {
		if err := validate(schema, body); err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w\n%s", e.Method, e.Path, err, body))
		}
	}
	route := e.Method + " " + routeOf(e.Path)
	body := string(e.Response)
	switch {
	case e.Streamed():
		for _, sent := range Payloads(body) {
			check(eventSchema(route, sent), sent)
		}
	case !strings.HasPrefix(e.Type, "application/json") || e.Method == http.MethodHead:
	case e.Status >= http.StatusBadRequest:
		if strings.HasPrefix(e.Path, "/v1/messages") || e.Header.Get("Anthropic-Version") != "" {
			check("#message_error", body)
		} else if !strings.HasPrefix(e.Path, "/health") {
			check("ErrorResponse", body)
		}
	default:
		for _, schema := range wholes[route] {
			check(schema, body)
		}
	}
	return faults
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
		if schema := eventSchemas()[e.Type]; schema != "" {
			return schema
		}
		return "no schema for the event " + e.Type
	}
	if e.Error != nil && streamed[route] != "#message_event" {
		return "ErrorResponse"
	}
	return streamed[route]
}

// eventSchemas are the schemas of the events that a Responses stream may hold, by type, as the
// description lists them. Without it nothing of OpenAI's is looked at.
var eventSchemas = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	schemas, err := OpenAI()
	if err != nil {
		return all
	}
	for _, event := range schemas["ResponseStreamEvent"].(map[string]any)["anyOf"].([]any) {
		name := path.Base(event.(map[string]any)["$ref"].(string))
		members := schemas[name].(map[string]any)["properties"].(map[string]any)
		all[members["type"].(map[string]any)["enum"].([]any)[0].(string)] = name
	}
	return all
})

// Payloads are the JSON texts of a stream's events, without Chat's end mark.
func Payloads(stream string) []string {
	var out []string
	lines := bufio.NewScanner(strings.NewReader(stream))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok && d != sse.Done {
			out = append(out, d)
		}
	}
	return out
}
