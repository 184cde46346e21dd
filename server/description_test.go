package server_test

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server/servertest/contract"
)

// description is OpenAI's published description of its API, which is no part of this repository.
type description struct{ schemas map[string]any }

// readDescription skips the test where the description is not at hand.
func readDescription(t *testing.T) description {
	t.Helper()
	schemas, err := contract.OpenAI()
	if err != nil {
		t.Skipf("OpenAI's description is not at hand: %v", err)
	}
	return description{schemas}
}

// properties are the names of a schema's properties, those of the schemas that it is made of
// included.
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

// outside are values just beyond the limits that the description gives a property of a schema, and
// a fraction where it must be an integer.
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
		// beyond 64 bits there are no integers to send
		if v, err := n.Float64(); err == nil && math.Abs(v) < 1e9 {
			values = append(values, strconv.FormatFloat(v+step, 'g', -1, 64))
		}
	}
	return values
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

// What the server sends is held against the description by whoever starts it (conforms): here it
// only has to be asked for everything.
func TestDescription_everyBodyAndEventConforms(t *testing.T) {
	readDescription(t)
	for name, reply := range map[string]string{
		"text": "plain words", "call": `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`, "both": "Look:\n" + `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`,
		"free text": `{"tool": "patch", "arguments": {"input": "*** Begin"}}`, "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			r := enginetest.Say(reply)
			s, _ := start(t, slices.Repeat([]enginetest.Reply{r}, 20)...)
			for path, bodies := range everything {
				for _, body := range bodies {
					send(t, s.URL+path, body+`}`)
					send(t, s.URL+path, body+`,"stream":true}`)
				}
			}
			stored(t, s.URL)
		})
	}
}

// everything are requests, not yet closed, whose answers have every part that answers may have.
var everything = map[string][]string{
	"/v1/chat/completions": {
		hello + `,"logprobs":true,"top_logprobs":1,"timings_per_token":true` + strings.TrimSuffix(weather, "}"),
		hello + `,"n":2,"stop":"l","tools":[{"type":"custom","custom":{"name":"patch"}}]`,
		hello + olderWeather,
	},
	"/v1/completions": {`{"model":"scripted","prompt":["one","two"],"max_tokens":3,"logprobs":1`, `{"model":"scripted","prompt":["one","two"],"max_tokens":3,"echo":true,"timings_per_token":true`},
	"/v1/responses": {
		`{"model":"scripted","input":[{"role":"user","content":"hi"}],"top_logprobs":1,"reasoning":{"summary":"auto"},"tools":[{"type":"function","name":"get_weather","strict":false,"parameters":{"type":"object","properties":{"city":{"type":"string"}}}},{"type":"custom","name":"patch"}]`,
		`{"model":"scripted","input":[],"max_output_tokens":1`,
		`{"model":"scripted","input":"hi","max_output_tokens":3,"instructions":"be brief","text":{"verbosity":"low"},"include":["message.output_text.logprobs"]`,
	},
	"/v1/messages": {
		`{"model":"scripted","max_tokens":99,"timings_per_token":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"get_weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}]`,
		`{"model":"scripted","max_tokens":9,"stop_sequences":["l"],"messages":[{"role":"user","content":"hi"}]`,
	},
}

// stored reads a response back in every way.
func stored(t *testing.T, base string) {
	t.Helper()
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(send(t, base+"/v1/responses", everything["/v1/responses"][0]+`}`)), &made); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/input_items"} {
		resp, err := http.Get(base + "/v1/responses/" + made.ID + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

// kinds are the values of type that the alternatives of a schema have.
func (d description) kinds(schema any) (all []string) {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		return d.kinds(d.schemas[path.Base(ref)])
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		alternatives, _ := s[word].([]any)
		for _, a := range alternatives {
			all = append(all, d.kinds(a)...)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	kind, _ := properties["type"].(map[string]any)
	values, _ := kind["enum"].([]any)
	for _, v := range values {
		all = append(all, v.(string))
	}
	return all
}

// Clients send the history of other servers: an item of a kind that is described is read, left out
// with a note, or refused with a reason, and so is a tool.
func TestDescription_everyKindOfItemAndToolIsKnown(t *testing.T) {
	d := readDescription(t)
	h := handler(t, nothing)
	items, tools := d.kinds(d.schemas["InputItem"]), d.kinds(d.schemas["Tool"])
	if len(items) < 20 || len(tools) < 10 {
		t.Fatalf("%q, %q", items, tools)
	}
	for _, kind := range items {
		rec := askWith(t, h, "/v1/responses", `{"model":"scripted","input":[{"type":"`+kind+`","role":"user","name":"n","call_id":"c","content":[]},{"role":"user","content":"hi"}]}`)
		if rec.Code != http.StatusOK && !strings.Contains(rec.Body.String(), "nothing is compacted here") {
			t.Errorf("item %s: %d %s", kind, rec.Code, rec.Body)
		}
	}
	for _, kind := range tools {
		if kind == "namespace" || kind == "function" || kind == "custom" || kind == "mcp" {
			continue // not hosted, or refused where nothing is configured
		}
		// the sample lacks what its kind demands, and is echoed so: the answer is not held
		// against the description
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(`{"model":"scripted","input":"hi","tools":[{"type":"`+kind+`"}]}`)))
		if rec.Code != http.StatusOK || !strings.Contains(rec.Header().Get("X-Tenon-Ignored"), "tools[0] ("+kind+")") {
			t.Errorf("tool %s: %d %s", kind, rec.Code, rec.Body)
		}
	}
}
