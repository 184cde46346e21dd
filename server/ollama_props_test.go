package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	"tenon/server/lmstudio"
	"tenon/server/servertest"
)

func answer(t *testing.T, h http.Handler, method, path, body string) (int, map[string]any) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
	var v map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, rec.Body)
	}
	return rec.Code, v
}

// Issue 23: each client reads the context window in a spelling of its own, before a model is
// loaded, too.
func TestContextWindow_inEverySpellingOfModelsThatAreNotLoaded(t *testing.T) {
	idle := fleet.Status{Entry: catalog.Entry{ID: "m", Aliases: []string{"other"}, Context: 2048, ContextTrained: 32768, Architecture: "qwen3", Size: 5}, State: fleet.NotLoaded}
	loaded := fleet.Status{Entry: catalog.Entry{ID: "m", Aliases: []string{"other"}, ContextTrained: 32768, Architecture: "qwen3"}, State: fleet.Loaded, Model: engine.Model{Context: 2048, Slots: 2, Template: "{{ x }}"}}
	for _, status := range []fleet.Status{idle, loaded} {
		h := server.New(server.Options{Service: &chat.Service{}, Models: listed{status}})
		_, m := answer(t, h, "GET", "/v1/models/m", "")
		for _, key := range []string{"context_length", "loaded_context_length", "max_model_len", "max_input_tokens", "max_output_tokens", "max_tokens"} {
			if m[key] != float64(2048) {
				t.Errorf("%s: %s is %v", status.State, key, m[key])
			}
		}
		if meta, _ := m["meta"].(map[string]any); meta["n_ctx"] != float64(2048) || meta["n_ctx_train"] != float64(32768) || m["max_context_length"] != float64(32768) {
			t.Errorf("%s: %v", status.State, m)
		}
		_, props := answer(t, h, "GET", "/props", "")
		if settings, _ := props["default_generation_settings"].(map[string]any); settings["n_ctx"] != float64(2048) || props["model_path"] != "m" {
			t.Errorf("%s: %v", status.State, props)
		}
		_, shown := answer(t, h, "POST", "/api/show", `{"model":"OTHER:latest"}`)
		if info, _ := shown["model_info"].(map[string]any); info["general.architecture"] != "qwen3" || info["qwen3.context_length"] != float64(2048) {
			t.Errorf("%s: %v", status.State, shown)
		}
	}
}

// Issue 23: of a model that is not loaded its file and the settings speak; what they do not say is
// left out.
func TestProps_ofAModelThatIsNotLoadedSayWhatIsKnown(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Template: "{{ messages }}"})
	all := listed{{Entry: catalog.Entry{ID: "m", Path: path}, State: fleet.NotLoaded}}
	files := loader.New(nil, loader.Options{})
	h := server.New(server.Options{Service: &chat.Service{}, Models: all, Traits: files.Traits, Slots: func(string) int { return 3 }})
	_, props := answer(t, h, "GET", "/props", "")
	if props["total_slots"] != float64(3) || props["bos_token"] != "<|endoftext|>" || props["eos_token"] != "<|im_end|>" || props["chat_template"] != "{{ messages }}" {
		t.Errorf("%v", props)
	}
	digest := func() string {
		_, tags := answer(t, h, "GET", "/api/tags", "")
		return tags["models"].([]any)[0].(map[string]any)["digest"].(string)
	}
	first := digest()
	if len(first) != 64 || digest() != first {
		t.Errorf("digest %q", first)
	}
	all[0].Path = tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 7})
	if other := digest(); other == first || len(other) != 64 {
		t.Errorf("digest of another file %q", other)
	}
	_, shown := answer(t, h, "POST", "/api/show", `{"model":"m"}`)
	if shown["template"] != "" {
		t.Errorf("%v", shown)
	}

	h = server.New(server.Options{Service: &chat.Service{}, Models: all})
	_, props = answer(t, h, "GET", "/props", "")
	for _, key := range []string{"total_slots", "bos_token", "eos_token"} {
		if v, told := props[key]; told {
			t.Errorf("%s is told as %v, and nobody knows it", key, v)
		}
	}
}

// Issue 23: what Copilot and others ask of Ollama before they use the OpenAI routes.
func TestOllama_probesAreAnswered(t *testing.T) {
	h := server.New(options(t))
	if status, v := answer(t, h, "GET", "/api/version", ""); status != http.StatusOK || !strings.HasPrefix(v["version"].(string), "0.") {
		t.Errorf("%d %v", status, v)
	}
	_, tags := answer(t, h, "GET", "/api/tags", "")
	list := tags["models"].([]any)
	first := list[0].(map[string]any)
	if len(list) != 2 || first["name"] != "scripted" || first["model"] != "scripted" || first["details"].(map[string]any)["format"] != "gguf" {
		t.Errorf("%v", tags)
	}
	_, shown := answer(t, h, "POST", "/api/show", `{"name":"scripted"}`)
	if c := shown["capabilities"].([]any); len(c) != 2 || c[1] != "tools" {
		t.Errorf("%v", shown)
	}
	for body, want := range map[string]int{`{"model":"none"}`: http.StatusNotFound, `{`: http.StatusBadRequest} {
		if status, v := answer(t, h, "POST", "/api/show", body); status != want || v["error"] == nil {
			t.Errorf("%s: %d %v", body, status, v)
		}
	}
}

// Issue 23: clients that insist on a name get the default model under it, in every protocol;
// without a default they are refused.
func TestDefaultModel_servesEveryName(t *testing.T) {
	for _, c := range streams {
		for _, name := range []string{`"claude-sonnet-4-5"`, `""`} {
			body := strings.Replace(strings.Replace(c.body, `"scripted"`, name, 1), `,"stream":true`, "", 1)
			o := options(t, enginetest.Say("hello"))
			status, v := answer(t, server.New(o), "POST", c.path, body)
			if want := map[bool]int{true: http.StatusBadRequest, false: http.StatusNotFound}[name == `""`]; status != want || v["error"] == nil {
				t.Errorf("%s as %s without a default: %d %v", c.path, name, status, v)
			}
			o.Service.Default = "gpt-4o" // an alias of it
			status, v = answer(t, server.New(o), "POST", c.path, body)
			told, _ := json.Marshal(v)
			if status != http.StatusOK || !strings.Contains(string(told), "hello") {
				t.Errorf("%s as %s: %d %s", c.path, name, status, told)
			}
			if want := cmp.Or(strings.Trim(name, `"`), "gpt-4o"); v["model"] != want {
				t.Errorf("%s as %s: the answer is of %v", c.path, name, v["model"])
			}
		}
	}
	o := options(t)
	o.Service.Default = "scripted"
	o.LMStudio = idleFleet{all: o.Models.Status()}
	o.Traits = func(catalog.Entry) loader.Traits { return loader.Traits{} }
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "/api/v0/models/gpt-9", "", `"id":"gpt-9"`},
		{"POST", "/api/show", `{"model":"gpt-9:latest"}`, `"general.basename":"scripted"`},
		{"GET", "/props?model=gpt-9", "", `"model_path":"scripted"`},
		{"POST", "/v1/responses/input_tokens", `{"input":"hi"}`, `"input_tokens":`},
		{"POST", "/tokenize", `{"content":"hi","model":"gpt-9"}`, `"tokens":`},
		{"POST", "/apply-template", `{"messages":[{"role":"user","content":"hi"}],"model":"gpt-9"}`, `"prompt":`},
	} {
		status, v := answer(t, server.New(o), c.method, c.path, c.body)
		if told, _ := json.Marshal(v); status != http.StatusOK || !strings.Contains(string(told), c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, told)
		}
	}
	e := enginetest.Script()
	e.Info.Can.Embeddings = true
	embeds := servertest.Options(servertest.Model{ID: "scripted", Engine: embedder{e}})
	embeds.Service.Default = "scripted"
	if status, v := answer(t, server.New(embeds), "POST", "/v1/embeddings", `{"input":"hi"}`); status != http.StatusOK || v["model"] != "scripted" {
		t.Errorf("%d %v", status, v)
	}
	if status, v := answer(t, server.New(o), "GET", "/v1/models/claude-sonnet-4-5", ""); status != http.StatusOK || v["id"] != "claude-sonnet-4-5" || v["context_length"] != float64(4096) {
		t.Errorf("%d %v", status, v)
	}
}

// S3-18: what is said of tools is what the model's template shows, in every list alike; of what a
// request may send Ollama's answer speaks, and every model takes tools.
func TestModels_sayOfToolsWhatTheTemplateShows(t *testing.T) {
	entries := map[string]loader.Traits{"taught": {Tools: true}, "plain": {}, "vectors": {Embeds: true}}
	var all listed
	for _, id := range []string{"taught", "plain", "vectors"} {
		all = append(all, fleet.Status{Entry: catalog.Entry{ID: id}, State: fleet.NotLoaded})
	}
	h := server.New(server.Options{
		Service: &chat.Service{}, Models: all, LMStudio: idleFleet{all: all},
		Traits: func(e catalog.Entry) loader.Traits { return entries[e.ID] },
	})
	for id, want := range map[string]string{"taught": `["completion","tools"]`, "plain": `["completion"]`, "vectors": `["embeddings"]`} {
		_, m := answer(t, h, "GET", "/v1/models/"+id, "")
		if got, _ := json.Marshal(m["capabilities"]); string(got) != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
		_, v0 := answer(t, h, "GET", "/api/v0/models/"+id, "")
		got, _ := json.Marshal(v0["capabilities"])
		if tools := strings.Contains(string(got), "tool_use"); tools != entries[id].Tools {
			t.Errorf("%s: REST v0 says %s", id, got)
		}
	}
	_, v1 := answer(t, h, "GET", "/api/v1/models", "")
	for _, raw := range v1["models"].([]any) {
		m := raw.(map[string]any)
		can, _ := m["capabilities"].(map[string]any)
		if trained, _ := can["trained_for_tool_use"].(bool); trained != entries[m["key"].(string)].Tools {
			t.Errorf("REST v1 says %v", m)
		}
	}
}

// idleFleet lists models and loads none.
type idleFleet struct {
	lmstudio.Fleet
	all listed
}

func (f idleFleet) Status() []fleet.Status      { return f.all }
func (f idleFleet) Instances() []fleet.Instance { return nil }
func (f idleFleet) Resolve(name string) (catalog.Entry, error) {
	for _, s := range f.all {
		if s.ID == name {
			return s.Entry, nil
		}
	}
	return catalog.Entry{}, &catalog.NotFoundError{Name: name}
}

// What published clients read of the context window, as their sources have it: Zed's
// crates/lmstudio/src/lmstudio.rs and Copilot's src/extension/byok/vscode-node/ollamaProvider.ts.
func TestContextWindow_asPublishedClientsReadIt(t *testing.T) {
	status := fleet.Status{Entry: catalog.Entry{ID: "m", Context: 2048, ContextTrained: 32768, Architecture: "qwen3", Quantization: "Q8_0"}, State: fleet.NotLoaded}
	loaded := status
	loaded.ID, loaded.State, loaded.Model = "n", fleet.Loaded, engine.Model{Context: 2048}
	all := listed{status, loaded}
	h := server.New(server.Options{Service: &chat.Service{}, Models: all, LMStudio: idleFleet{all: all}, Traits: func(catalog.Entry) loader.Traits { return loader.Traits{Tools: true} }})

	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/api/v0/models", nil))
	var zed struct {
		Data []struct {
			ID, Object, Type, Publisher, State *string
			Compatibility                      *string  `json:"compatibility_type"`
			Max                                *uint64  `json:"max_context_length"`
			Loaded                             *uint64  `json:"loaded_context_length"`
			Capabilities                       []string `json:"capabilities"`
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &zed); err != nil || len(zed.Data) != 2 {
		t.Fatal(err, rec.Body)
	}
	for _, m := range zed.Data {
		for name, v := range map[string]*string{"id": m.ID, "object": m.Object, "type": m.Type, "publisher": m.Publisher, "state": m.State, "compatibility_type": m.Compatibility} {
			if v == nil {
				t.Errorf("Zed drops the list: %s is missing", name)
			}
		}
		if !slices.Contains([]string{"llm", "embeddings", "vlm"}, *m.Type) || !slices.Contains([]string{"loaded", "loading", "not-loaded"}, *m.State) || !slices.Contains([]string{"gguf", "mlx"}, *m.Compatibility) {
			t.Errorf("Zed knows no %s, %s or %s", *m.Type, *m.State, *m.Compatibility)
		}
		// Zed takes the loaded length for the window, and the longest only where there is
		// none.
		if m.Max == nil || *m.Max != 32768 || m.Loaded == nil || *m.Loaded != 2048 || !slices.Contains(m.Capabilities, "tool_use") {
			t.Errorf("Zed reads of %s: %v, %v, %v", *m.ID, m.Max, m.Loaded, m.Capabilities)
		}
	}

	_, version := answer(t, h, "GET", "/api/version", "")
	var major, minor, patch int
	if _, err := fmt.Sscanf(version["version"].(string), "%d.%d.%d", &major, &minor, &patch); err != nil || major == 0 && minor < 6 {
		t.Errorf("Copilot refuses a version below 0.6.4: %v", version)
	}
	_, tags := answer(t, h, "GET", "/api/tags", "")
	for _, raw := range tags["models"].([]any) {
		name := raw.(map[string]any)["model"].(string)
		_, shown := answer(t, h, "POST", "/api/show", `{"model":"`+name+`"}`)
		info := shown["model_info"].(map[string]any)
		window := info[info["general.architecture"].(string)+".context_length"]
		if window != float64(2048) || info["general.basename"] != name || !slices.Contains(shown["capabilities"].([]any), any("tools")) {
			t.Errorf("Copilot reads of %s: %v", name, shown)
		}
	}
}

// Continue has a spelling for each kind of server that it is told to talk to: max_model_len
// (core/llm/llms/Vllm.ts), num_ctx among Ollama's parameters (Ollama.ts), context_length or
// Anthropic's two (core/llm/fetchModels.ts). llama.cpp's own web page reads /props.
func TestContextWindow_asContinueAndLlamaServersPageReadIt(t *testing.T) {
	for _, state := range []fleet.State{fleet.NotLoaded, fleet.Loaded} {
		status := fleet.Status{Entry: catalog.Entry{ID: "m", Context: 2048, ContextTrained: 32768}, State: state, Model: engine.Model{Context: 2048}}
		h := server.New(server.Options{Service: &chat.Service{}, Models: listed{status}})
		_, list := answer(t, h, "GET", "/v1/models?limit=100", "")
		first := list["data"].([]any)[0].(map[string]any)
		for _, key := range []string{"max_model_len", "context_length", "max_input_tokens", "max_tokens", "max_output_tokens"} {
			if first[key] != float64(2048) {
				t.Errorf("%s: %s is %v", state, key, first[key])
			}
		}
		_, shown := answer(t, h, "POST", "/api/show", `{"name":"m"}`)
		var window string
		for line := range strings.Lines(shown["parameters"].(string)) {
			if m := regexp.MustCompile(`^(\S+)\s+((?:".*")|\S+)$`).FindStringSubmatch(line); m != nil && m[1] == "num_ctx" {
				window = m[2]
			}
		}
		if window != "2048" {
			t.Errorf("%s: %v", state, shown)
		}
		_, props := answer(t, h, "GET", "/props", "")
		if props["default_generation_settings"].(map[string]any)["n_ctx"] != float64(2048) {
			t.Errorf("%s: %v", state, props)
		}
	}
}

// Zed drops the whole list of Ollama's models if one lacks what crates/ollama/src/ollama.rs
// demands: a model's digest is there, and empty, where its file cannot be read.
func TestOllama_theListHasWhatZedDemands(t *testing.T) {
	_, tags := answer(t, server.New(server.Options{Service: &chat.Service{}, Models: listed{{Entry: catalog.Entry{ID: "m", Path: "gone.gguf"}}}}), "GET", "/api/tags", "")
	m := tags["models"].([]any)[0].(map[string]any)
	details, _ := m["details"].(map[string]any)
	for _, v := range []any{m["name"], m["modified_at"], m["digest"], details["format"], details["family"], details["parameter_size"], details["quantization_level"]} {
		if _, ok := v.(string); !ok {
			t.Errorf("%v", m)
		}
	}
}

// Ollama's other routes are refused in its own shape, and say where to go.
func TestOllama_whatIsNotServedIsRefusedInItsShape(t *testing.T) {
	h := server.New(options(t))
	if _, v := answer(t, h, "POST", "/api/show", `[]`); v["error"] != "the body is of type array; expected an object" {
		t.Errorf("%v", v)
	}
	for path, want := range map[string]string{"/api/chat": "/v1/chat/completions", "/api/generate": "/v1/completions", "/api/embed": "/v1/embeddings", "/api/pull": "no route"} {
		status, v := answer(t, h, "POST", path, `{"model":"scripted"}`)
		if text, _ := v["error"].(string); status != http.StatusNotFound || !strings.Contains(text, want) {
			t.Errorf("%s: %d %v", path, status, v)
		}
	}
}
