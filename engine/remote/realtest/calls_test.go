//go:build cgo

package realtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	tenonPath = flag.String("remote.tenon", "", "the tenon that serves in front of a vLLM")
	gemmaPath = flag.String("remote.gemma", "", "a Gemma 3 that the vLLM serves, too")
)

type object = map[string]any

// schemas are the tools that may be called.
var schemas = map[string]object{
	"get_weather": {"type": "object", "required": []any{"city", "unit"}, "additionalProperties": false, "properties": object{
		"city": object{"type": "string", "minLength": 1, "maxLength": 20}, "unit": object{"enum": []any{"c", "f"}}, "days": object{"type": "integer", "minimum": 1, "maximum": 9},
	}},
	"set_alarm": {"type": "object", "required": []any{"at", "repeat"}, "additionalProperties": false, "properties": object{
		"at": object{"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"}, "repeat": object{"type": "array", "maxItems": 2, "items": object{"enum": []any{"mon", "tue", "sat"}}},
	}},
}

// Every call of a whole server in front of a real vLLM names a declared tool and fits its schema,
// in each protocol, and one that is demanded comes. The tiny model says noise, Gemma means
// something.
func TestVLLM_callsFit(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		rounds int
	}{"noise": {tiny(t), 4}, "Gemma": {*gemmaPath, 1}} {
		t.Run(name, func(t *testing.T) {
			if c.path == "" {
				t.Skip("no Gemma is named: make test-vllm")
			}
			at := startTenon(t, c.path, startVLLM(t, c.path))
			for protocol := range requests {
				for _, choice := range []string{"required", "set_alarm", "auto"} {
					for _, stream := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s %s stream=%t", protocol, choice, stream), func(t *testing.T) {
							for round := range c.rounds {
								judge(t, choice, ask(t, at, protocol, choice, stream, round))
							}
						})
					}
				}
			}
		})
	}
}

// startTenon serves a model that a vLLM has, with the vocabulary of its file.
func startTenon(t *testing.T, model, upstream string) string {
	t.Helper()
	if *tenonPath == "" {
		t.Skip("no tenon is named: make test-vllm")
	}
	folder := t.TempDir()
	settings := filepath.Join(folder, "tenon.yaml")
	text := fmt.Sprintf("models:\n  m:\n    source: %s\n    remote: [%q]\n", model, upstream)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	return serve(t, exec.Command(*tenonPath, "serve", "--config", settings, "--port", port, "--models-dir", folder, "--lmstudio-discovery=false"), "http://127.0.0.1:"+port)
}

const question = "Wake me at 06:30 on Saturdays, and what is the weather in Oslo?"

// requests are where each protocol asks, and how.
var requests = map[string]func(choice string) (path string, body object){
	"chat completions": func(choice string) (string, object) {
		var tools []object
		for name, s := range schemas {
			tools = append(tools, object{"type": "function", "function": object{"name": name, "parameters": s}})
		}
		var wanted any = choice
		if schemas[choice] != nil {
			wanted = object{"type": "function", "function": object{"name": choice}}
		}
		return "/v1/chat/completions", object{"messages": []any{object{"role": "user", "content": question}}, "tools": tools, "tool_choice": wanted, "max_tokens": 150, "parallel_tool_calls": false}
	},
	"responses": func(choice string) (string, object) {
		var tools []object
		for name, s := range schemas {
			tools = append(tools, object{"type": "function", "name": name, "parameters": s})
		}
		var wanted any = choice
		if schemas[choice] != nil {
			wanted = object{"type": "function", "name": choice}
		}
		return "/v1/responses", object{"input": question, "tools": tools, "tool_choice": wanted, "max_output_tokens": 150, "parallel_tool_calls": false, "store": false}
	},
	"messages": func(choice string) (string, object) {
		var tools []object
		for name, s := range schemas {
			tools = append(tools, object{"name": name, "input_schema": s})
		}
		wanted := object{"type": choice}
		switch {
		case choice == "required":
			wanted = object{"type": "any"}
		case schemas[choice] != nil:
			wanted = object{"type": "tool", "name": choice}
		}
		wanted["disable_parallel_tool_use"] = true
		return "/v1/messages", object{"messages": []any{object{"role": "user", "content": question}}, "tools": tools, "tool_choice": wanted, "max_tokens": 150}
	},
}

// call is one that the server sent.
type call struct{ name, arguments string }

// ask sends a request and returns the calls of its answer.
func ask(t *testing.T, at, protocol, choice string, stream bool, seed int) []call {
	t.Helper()
	path, body := requests[protocol](choice)
	body["model"], body["stream"] = "m", stream
	if protocol == "chat completions" {
		body["seed"] = seed
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Timeout: 5 * time.Minute}
	answer, err := client.Post(at+path, "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	var calls found
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		line, event := strings.CutPrefix(in.Text(), "data: ")
		if answer.StatusCode != http.StatusOK || strings.Contains(line, `"type":"error"`) {
			t.Fatalf("%s: %s", answer.Status, line)
		}
		var v object
		if event == stream && json.Unmarshal([]byte(line), &v) == nil {
			calls.read(v)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return calls
}

// found collects calls out of answers and events of all protocols.
type found []call

func (f *found) read(v object) {
	for _, choice := range list(v["choices"]) {
		part, whole := choice["message"].(object)
		if !whole {
			part, _ = choice["delta"].(object)
		}
		for _, c := range list(part["tool_calls"]) {
			at, streamed := c["index"].(float64)
			function, _ := c["function"].(object)
			if !streamed || int(at) == len(*f) {
				*f = append(*f, call{name: text(function["name"])})
			}
			(*f)[len(*f)-1].arguments += text(function["arguments"])
		}
	}
	item, _ := v["item"].(object)
	if v["type"] != "response.output_item.done" {
		item = nil
	}
	for _, c := range append(append(list(v["output"]), list(v["content"])...), item) {
		switch c["type"] {
		case "function_call":
			*f = append(*f, call{text(c["name"]), text(c["arguments"])})
		case "tool_use":
			b, _ := json.Marshal(c["input"]) // it was JSON
			*f = append(*f, call{text(c["name"]), string(b)})
		}
	}
	if block, _ := v["content_block"].(object); block["type"] == "tool_use" {
		*f = append(*f, call{name: text(block["name"])})
	}
	if delta, _ := v["delta"].(object); delta["type"] == "input_json_delta" {
		(*f)[len(*f)-1].arguments += text(delta["partial_json"])
	}
}

func list(v any) (all []object) {
	items, _ := v.([]any)
	for _, x := range items {
		if o, ok := x.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// judge holds calls against what was declared and demanded.
func judge(t *testing.T, choice string, calls []call) {
	t.Helper()
	if choice != "auto" && len(calls) != 1 {
		t.Errorf("%d calls, want one: %v", len(calls), calls)
	}
	for _, c := range calls {
		if schemas[c.name] == nil || schemas[choice] != nil && c.name != choice {
			t.Errorf("%q is called", c.name)
			continue
		}
		compiler := jsonschema.NewCompiler()
		err := compiler.AddResource("tool.json", schemas[c.name])
		var value any
		if err == nil {
			value, err = jsonschema.UnmarshalJSON(strings.NewReader(c.arguments))
		}
		if err == nil {
			err = compiler.MustCompile("tool.json").Validate(value)
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.arguments, err)
		}
	}
	t.Logf("%v", calls)
}
