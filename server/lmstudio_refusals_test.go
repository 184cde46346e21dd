package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// Issue 21: what a REST v1 body has wrong is refused with the member's name, and nothing of it is
// passed over in silence.
func TestStudio_refusalsNameTheirField(t *testing.T) {
	s, _, _ := studio(t)
	const chat, load, unload, download = "/api/v1/chat", "/api/v1/models/load", "/api/v1/models/unload", "/api/v1/models/download"
	for _, c := range []struct{ path, body, param string }{
		{chat, `{"model":"m"}`, "input"},
		{chat, `{"model":"m","input":5}`, "input"},
		{chat, `{"model":"m","input":[]}`, "input"},
		{chat, `{"model":"m","input":[{"type":"text","text":"x"}]}`, "input[].text"},
		{chat, `{"model":"m","input":[{"type":"image","data_url":"data:"}]}`, "input[0].type"},
		{chat, `{"model":"m","input":"x","stop":"y"}`, "stop"},
		{chat, `{"model":"m","messages":[]}`, "messages"},
		{chat, `{"model":"m","input":"x","temperature":1.5}`, "temperature"},
		{chat, `{"model":"m","input":"x","temperature":"hot"}`, "temperature"},
		{chat, `{"model":"m","input":"x","top_p":2}`, "top_p"},
		{chat, `{"model":"m","input":"x","min_p":-1}`, "min_p"},
		{chat, `{"model":"m","input":"x","top_k":-5}`, "top_k"},
		{chat, `{"model":"m","input":"x","top_k":1.5}`, "top_k"},
		{chat, `{"model":"m","input":"x","repeat_penalty":0}`, "repeat_penalty"},
		{chat, `{"model":"m","input":"x","max_output_tokens":0}`, "max_output_tokens"},
		{chat, `{"model":"m","input":"x","max_output_tokens":-1}`, "max_output_tokens"},
		{chat, `{"model":"m","input":"x","context_length":0}`, "context_length"},
		{chat, `{"model":"m","input":"x","context_length":-4}`, "context_length"},
		{chat, `{"model":"m","input":"x","context_length":99999999999}`, "context_length"},
		{chat, `{"model":"m","input":"x","reasoning":"sideways"}`, "reasoning"},
		{chat, `{"model":"m","input":"x","store":"yes"}`, "store"},
		{chat, `{"model":"m","input":"x","stream":1}`, "stream"},
		{chat, `{"model":"m","input":"x","previous_response_id":"resp_x"}`, "previous_response_id"},
		{chat, `{"model":"m","input":"x","integrations":"mcp/a"}`, "integrations"},
		{chat, `{"model":"m","input":"x","integrations":[{"type":"ephemeral_mcp","server_label":"a"}]}`, "integrations[0].server_url"},
		{chat, `{"model":"m","input":"x","integrations":[{"type":"ephemeral_mcp","server_url":"http://a"}]}`, "integrations[0].server_label"},
		{chat, `{"model":"m","input":"x","integrations":[{"type":"plugin","id":"mcp/a","allowed_tool":["x"]}]}`, "integrations[].allowed_tool"},
		{chat, `{"model":"m","input":"x","integrations":[{"type":"other"}]}`, "integrations[0].type"},
		{load, `{}`, "model"},
		{load, `{"model":"m","context_length":0}`, "context_length"},
		{load, `{"model":"m","eval_batch_size":-1}`, "eval_batch_size"},
		{load, `{"model":"m","parallel":0}`, "parallel"},
		{load, `{"model":"m","ttl":-1}`, "ttl"},
		{load, `{"model":"m","gpu":2}`, "gpu"},
		{load, `{"model":"m","flash_attention":"on"}`, "flash_attention"},
		{load, `{"model":"m","echo_load_config":1}`, "echo_load_config"},
		{load, `{"model":"m","temperature":1}`, "temperature"},
		{unload, `{}`, "instance_id"},
		{unload, `{"instance_id":"m","force":true}`, "force"},
		{download, `{}`, "model"},
		{download, `{"model":"a/b","quantization":5}`, "quantization"},
		{download, `{"model":"/etc/passwd"}`, "model"},
	} {
		status, got := askStudio(t, s, "POST", c.path, c.body)
		e, _ := got["error"].(map[string]any)
		if e["param"] != c.param || status < 400 || status > 501 || e["message"] == "" {
			t.Errorf("%s %s: %d %v", c.path, c.body, status, got)
		}
		if kind := e["type"]; kind != "invalid_request" && kind != "not_implemented" {
			t.Errorf("%s %s: type %v", c.path, c.body, kind)
		}
	}
}

// Members that are taken and have no effect are named in the answer's head.
func TestStudio_membersWithoutEffectAreNamed(t *testing.T) {
	s, _, _ := studio(t)
	resp, err := http.Post(s.URL+"/api/v1/models/load", "application/json", strings.NewReader(`{"model":"m","num_experts":2,"offload_kv_cache_to_gpu":true}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got := resp.Header.Get("X-Tenon-Ignored"); resp.StatusCode != http.StatusOK || got != "num_experts, offload_kv_cache_to_gpu" {
		t.Errorf("%d %q", resp.StatusCode, got)
	}
}
