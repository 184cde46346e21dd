package server_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/servertest"
)

// shape is the members that an answer may have, each with its JSON kinds, and "?" where it may be
// absent. Members of objects, and of the items of lists, stand behind a dot.
type shape map[string]string

// described is what LM Studio's documentation says of an answer, and what is added to it here.
type described struct{ documented, added shape }

// studioAnswers are the documented members of each answer (docs of 2026-04-29,
// 1_developer/2_rest). What stands behind "added" is ours.
var studioAnswers = map[string]described{
	"v1 models": {documented: shape{
		"models": "list", "models.type": "string", "models.publisher": "string", "models.key": "string", "models.display_name": "string",
		"models.architecture": "string null ?", "models.quantization": "object null", "models.quantization.name": "string null",
		"models.quantization.bits_per_weight": "number null", "models.size_bytes": "number", "models.params_string": "string null",
		"models.loaded_instances": "list", "models.loaded_instances.id": "string", "models.loaded_instances.config": "object",
		"models.loaded_instances.config.context_length": "number", "models.loaded_instances.config.eval_batch_size": "number ?",
		"models.loaded_instances.config.parallel": "number ?", "models.loaded_instances.config.flash_attention": "bool ?",
		"models.loaded_instances.config.num_experts": "number ?", "models.loaded_instances.config.offload_kv_cache_to_gpu": "bool ?",
		"models.max_context_length": "number", "models.format": "string null", "models.capabilities": "object ?", "models.capabilities.vision": "bool",
		"models.capabilities.trained_for_tool_use": "bool", "models.capabilities.reasoning": "object ?", "models.capabilities.reasoning.allowed_options": "list",
		"models.capabilities.reasoning.default": "string", "models.description": "string null ?", "models.variants": "list ?", "models.selected_variant": "string ?",
	}},
	"load": {documented: shape{
		"type": "string", "instance_id": "string", "load_time_seconds": "number", "status": "string", "load_config": "object ?", "load_config.context_length": "number",
		"load_config.eval_batch_size": "number ?", "load_config.flash_attention": "bool ?", "load_config.num_experts": "number ?", "load_config.offload_kv_cache_to_gpu": "bool ?",
	}, added: shape{"load_config.parallel": "number ?"}},
	"unload": {documented: shape{"instance_id": "string"}},
	"download": {documented: shape{
		"job_id": "string ?", "status": "string", "completed_at": "string ?", "total_size_bytes": "number ?", "started_at": "string ?",
		// of the status
		"bytes_per_second": "number ?", "estimated_completion": "string ?", "downloaded_bytes": "number ?",
	}, added: shape{"error": "string ?"}},
	"chat": {documented: shape{
		"model_instance_id": "string", "output": "list", "output.type": "string", "output.content": "string", "stats": "object", "stats.input_tokens": "number",
		"stats.total_output_tokens": "number", "stats.reasoning_output_tokens": "number", "stats.tokens_per_second": "number", "stats.time_to_first_token_seconds": "number",
		"stats.model_load_time_seconds": "number ?", "response_id": "string ?",
	}},
	"error": {documented: shape{"error": "object", "error.type": "string", "error.message": "string", "error.code": "string ?", "error.param": "string ?"}},
	"v0 models": {documented: shape{
		"object": "string", "data": "list", "data.id": "string", "data.object": "string", "data.type": "string", "data.publisher": "string", "data.arch": "string",
		"data.compatibility_type": "string", "data.quantization": "string", "data.state": "string", "data.max_context_length": "number",
	}, added: shape{
		// LM Studio's too, if not its documentation's
		"data.loaded_context_length": "number ?", "data.capabilities": "list",
	}},
	"v0 chat": {documented: shape{
		"id": "string", "object": "string", "created": "number", "model": "string", "choices": "list", "choices.index": "number", "choices.logprobs": "null object",
		"choices.finish_reason": "string", "choices.message": "object", "choices.message.role": "string", "choices.message.content": "string",
		"usage": "object", "usage.prompt_tokens": "number", "usage.completion_tokens": "number", "usage.total_tokens": "number", "stats": "object",
		"stats.tokens_per_second": "number", "stats.time_to_first_token": "number", "stats.generation_time": "number", "stats.stop_reason": "string",
		"model_info": "object", "model_info.arch": "string", "model_info.quant": "string", "model_info.format": "string", "model_info.context_length": "number",
		"runtime": "object", "runtime.name": "string", "runtime.version": "string", "runtime.supported_formats": "list",
	}, added: shape{"choices.message.refusal": "null", "choices.message.annotations": "list", "service_tier": "string", "system_fingerprint": "string",
		// OpenAI's
		"usage.prompt_tokens_details": "object", "usage.completion_tokens_details": "object"}},
	"v0 completion": {documented: shape{
		"id": "string", "object": "string", "created": "number", "model": "string", "choices": "list", "choices.index": "number", "choices.logprobs": "null object",
		"choices.finish_reason": "string", "choices.text": "string", "usage": "object", "usage.prompt_tokens": "number", "usage.completion_tokens": "number",
		"usage.total_tokens": "number", "stats": "object", "stats.tokens_per_second": "number", "stats.time_to_first_token": "number", "stats.generation_time": "number",
		"stats.stop_reason": "string", "model_info": "object", "model_info.arch": "string", "model_info.quant": "string", "model_info.format": "string",
		"model_info.context_length": "number", "runtime": "object", "runtime.name": "string", "runtime.version": "string", "runtime.supported_formats": "list",
	}, added: shape{"service_tier": "string", "system_fingerprint": "string", "usage.prompt_tokens_details": "object", "usage.completion_tokens_details": "object"}},
	"v0 embeddings": {documented: shape{
		"object": "string", "data": "list", "data.object": "string", "data.embedding": "list", "data.index": "number", "model": "string", "usage": "object",
		"usage.prompt_tokens": "number", "usage.total_tokens": "number",
	}},
}

// vectors is an engine that makes a vector of every text.
type vectors struct{ *enginetest.Scripted }

func (vectors) Embed(_ context.Context, prompts []engine.Prompt) ([]engine.Embedding, error) {
	all := make([]engine.Embedding, len(prompts))
	for i := range all {
		all[i] = engine.Embedding{Vector: []float32{1, 0}, Tokens: 1}
	}
	return all, nil
}

// Issue 21: every answer of the REST API has the members that LM Studio's documentation gives it,
// of their kinds, and no others but those that are listed as ours.
func TestStudio_answersFieldByField(t *testing.T) {
	engines := map[string]engine.Engine{
		"m": servertest.Obedient(engine.Model{Context: 1 << 16, Slots: 2}), "e": vectors{&enginetest.Scripted{Info: engine.Model{Context: 512, Can: engine.Can{Embeddings: true}}}},
	}
	f, o := servertest.Fleet(engines, func(o *fleet.Options) { o.Catalog.Entries[1].Parameters = "270M" })
	t.Cleanup(func() { _ = f.Close() }) // scripted engines close well
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	const say = `[[a]]<think>why</think>hello[[/]]`
	seen := 0
	for _, c := range []struct{ shape, method, path, body string }{
		{"v1 models", "GET", "/api/v1/models", ""},
		{"load", "POST", "/api/v1/models/load", `{"model":"m","context_length":4096,"eval_batch_size":512,"flash_attention":true,"num_experts":2,"offload_kv_cache_to_gpu":true,"echo_load_config":true}`},
		{"load", "POST", "/api/v1/models/load", `{"model":"e"}`},
		{"v1 models", "GET", "/api/v1/models", ""},
		{"chat", "POST", "/api/v1/chat", `{"model":"m","input":"` + say + `"}`},
		{"chat", "POST", "/api/v1/chat", `{"model":"m","input":[{"type":"message","content":"` + say + `"}],"system_prompt":"s","integrations":[],"stream":false,"temperature":0,"top_p":1,"top_k":4,"min_p":0.1,"repeat_penalty":1.1,"max_output_tokens":99,"reasoning":"on","context_length":100,"store":false}`},
		{"error", "POST", "/api/v1/chat", `{"input":"x"}`},
		{"error", "GET", "/api/v1/nothing", ""},
		{"unload", "POST", "/api/v1/models/unload", `{"instance_id":"m"}`},
		{"chat", "POST", "/api/v1/chat", `{"model":"m","input":"x"}`},
		{"v0 models", "GET", "/api/v0/models", ""},
		{"v0 chat", "POST", "/api/v0/chat/completions", `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"x"}],"temperature":0.7,"max_tokens":-1,"stream":false}`},
		{"v0 completion", "POST", "/api/v0/completions", `{"model":"m","prompt":"x","temperature":0.7,"max_tokens":10,"stream":false,"stop":"\n"}`},
		{"v0 embeddings", "POST", "/api/v0/embeddings", `{"model":"e","input":"x"}`},
	} {
		_, got := askStudio(t, s, c.method, c.path, c.body)
		want := studioAnswers[c.shape]
		seen += want.judge(t, c.path+" "+c.body, "", got)
	}
	t.Logf("%d members judged", seen)
}

// judge holds a value against the documentation, and returns how many members it has.
func (d described) judge(t *testing.T, of, place string, v any) (seen int) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			seen += d.judge(t, of, place, item)
		}
	case map[string]any:
		for name, member := range v {
			at := strings.TrimPrefix(place+"."+name, ".")
			kinds, known := d.documented[at]
			if !known {
				kinds, known = d.added[at]
			}
			if !known && strings.HasPrefix(d.added[strings.TrimSuffix(place, ".")], "object") {
				continue // an object of OpenAI's
			}
			if !known || !slices.Contains(strings.Fields(kinds), kindOf(member)) {
				t.Errorf("%s: %s is %v (%s), documented as %q", of, at, member, kindOf(member), kinds)
			}
			seen += 1 + d.judge(t, of, at, member)
		}
		for at, kinds := range d.documented {
			name, inside := strings.CutPrefix(at, strings.TrimPrefix(place+".", "."))
			if _, has := v[name]; inside && !strings.Contains(name, ".") && !has && !strings.Contains(kinds, "?") {
				t.Errorf("%s: %s is missing in %v", of, at, v)
			}
		}
	}
	return seen
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	}
	return "object"
}
