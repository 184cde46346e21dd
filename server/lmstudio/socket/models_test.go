package socket_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/placement"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	"tenon/server/lmstudio"
	"tenon/server/lmstudio/socket"
	"tenon/server/servertest"
)

// Every member of a descriptor that the SDKs demand is there, and null only where they take it.
func TestModels_descriptors(t *testing.T) {
	s := serve(t).load(t, "m", "e")
	got := string(s.dial(t, "llm").call("listLoaded", "").Result)
	reference := got[strings.Index(got, `"instanceReference":"`)+21:]
	reference = reference[:strings.Index(reference, `"`)]
	want := `[{"type":"llm","modelKey":"m","format":"gguf","displayName":"m","publisher":"local","path":"local/m/m-Q4_K_M.gguf","indexedModelIdentifier":"local/m/m-Q4_K_M.gguf","sizeBytes":7,"deviceIdentifier":null,"architecture":"llama","quantization":{"name":"Q4_K_M","bits":4},"maxContextLength":65536,"vision":false,"trainedForToolUse":true,"identifier":"m","instanceReference":"` + reference + `","ttlMs":null,"lastUsedTime":`
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, `,"contextLength":65536}]`) {
		t.Error(got)
	}
	if got := string(s.dial(t, "system").call("listDownloadedModels", "").Result); !strings.Contains(got, `{"type":"embedding","modelKey":"e"`) {
		t.Error(got)
	}
}

// S3-18: what the SDKs are told of tools is what the model's template shows.
func TestModels_trainedForToolUseIsWhatTheTemplateShows(t *testing.T) {
	for _, shown := range []bool{true, false} {
		s := serve(t, func(o *socket.Options) {
			o.Models.Traits = func(catalog.Entry) loader.Traits { return loader.Traits{Tools: shown} }
		}).load(t, "m")
		for ns, call := range map[string]string{"llm": "listLoaded", "system": "listDownloadedModels"} {
			if got := string(s.dial(t, ns).call(call, "").Result); !strings.Contains(got, fmt.Sprintf(`"trainedForToolUse":%t`, shown)) {
				t.Errorf("%t: %s", shown, got)
			}
		}
	}
}

// A model that is not loaded is nothing, or an error of the SDK's own class.
func TestModels_notFound(t *testing.T) {
	s := serve(t).load(t, "m")
	c := s.dial(t, "llm")
	const query = `{"specifier":{"type":"query","query":{"identifier":"nope"}},"throwIfNotFound":%v}`
	if f := c.call("getModelInfo", fmt.Sprintf(query, false)); f.Type != "rpcResult" || f.Result != nil {
		t.Errorf("%+v", f)
	}
	for _, f := range []frame{
		c.call("getModelInfo", fmt.Sprintf(query, true)), c.call("unloadModel", `{"identifier":"nope"}`), c.call("tokenize", fmt.Sprintf(query, true)),
		c.open("loadModel", `{"modelKey":"nope","loadConfigStack":{"layers":[]}}`)[0], c.open("predict", `{"modelSpecifier":{"type":"query","query":{"identifier":"nope"}}}`)[0],
	} {
		if f.Error.DisplayData.Code != "generic.noModelMatchingQuery" || f.Error.Title == "" {
			t.Errorf("%+v", f)
		}
	}
	if f := c.open("getOrLoad", `{"identifier":"e","loadConfigStack":{"layers":[]}}`)[0]; f.Error.DisplayData.Code != "generic.domainMismatch" {
		t.Errorf("%+v", f)
	}
	for query, found := range map[string]bool{ // all that a query says must be so
		`{"identifier":"m","path":"local/m/m-Q4_K_M.gguf"}`: true, `{"path":"local/m"}`: true, `{"identifier":"m","path":"local/e"}`: false, `{"identifier":"m","path":"nope"}`: false, `{"identifier":"nope","path":"local/m"}`: false,
	} {
		if f := c.call("getModelInfo", `{"specifier":{"type":"query","query":`+query+`},"throwIfNotFound":true}`); (f.Error.DisplayData.Code == "") != found || found != (f.Type == "rpcResult") {
			t.Errorf("%s: %+v", query, f)
		}
	}
	preset := strings.Replace(ask("hi"), `{"modelSpecifier"`, `{"fuzzyPresetIdentifier":"x","modelSpecifier"`, 1)
	if f := c.open("predict", preset)[0]; f.Error.DisplayData.Code != "generic.presetNotFound" {
		t.Errorf("%+v", f)
	}
}

// What is not served is refused in the SDKs' own terms for that, with data that fit their schemas,
// and with a title that says what it is.
func TestModels_whatIsNotServedHasTheSDKsData(t *testing.T) {
	s := serve(t).load(t, "m")
	c := s.dial(t, "llm")
	upload := s.dial(t, "files").call("uploadFileBase64", `{"name":"a.png","contentBase64":"`+base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n0000"))+`"}`)
	var picture struct{ Identifier string }
	if err := json.Unmarshal(upload.Result, &picture); err != nil {
		t.Fatal(err)
	}
	image := conversation(`{"role":"user","content":[{"type":"file","name":"a.png","identifier":"` + picture.Identifier + `","sizeBytes":12,"fileType":"image"}]}`)
	for _, one := range []struct {
		got  frame
		says string
	}{
		{c.open("predict", image)[0], "text only"},
		{c.open("predict", ask("hi", setting("promptTemplate", `{"type":"jinja","jinjaPromptTemplate":{"template":"x"},"stopStrings":[]}`)))[0], "promptTemplate"},
		{c.open("loadModel", `{"modelKey":"m","loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"llm.load.llama.kCacheQuantizationType","value":{"checked":true,"value":"q5_1"}}]}}]}}`)[1], "q5_1"},
		{c.call("preloadDraftModel", `{}`), "llm/preloadDraftModel"},
		{s.dial(t, "plugins").open("startToolUseSession", `{}`)[0], "plugins/startToolUseSession"},
		{s.dial(t, "plugins").call("reindexPlugins", ""), "plugins/reindexPlugins"},
		{s.dial(t, "repository").call("searchModels", `{"opts":{}}`), "fetches no models"},
	} {
		e := one.got.Error
		if e.DisplayData.Code != "generic.engineDoesNotSupportFeature" || e.DisplayData.Feature != e.Title || e.RootTitle != e.Title || !strings.Contains(e.Title, one.says) || e.DisplayData.EngineName != "tenon" {
			t.Errorf("%s: %+v", one.says, one.got)
		}
	}
}

// A time to live is no less than nothing, and one that a clock can hold.
func TestModels_timesToLive(t *testing.T) {
	for ttl, want := range map[string]time.Duration{"0": fleet.Forever, "1500": 1500 * time.Millisecond, "-1": 0, "9223372036854775807": 0, "1.5": 0, `"1h"`: 0} {
		s := serve(t)
		all := s.dial(t, "llm").open("loadModel", `{"modelKey":"m","ttlMs":`+ttl+`,"loadConfigStack":{"layers":[]}}`)
		if refused := all[len(all)-1].Type == "channelError"; refused != (want == 0) || !refused && s.fleet.Instances()[0].TTL != want {
			t.Errorf("%s: %+v", ttl, all[len(all)-1])
		}
		all = s.dial(t, "embedding").open("getOrLoad", `{"identifier":"e","loadTtlMs":`+ttl+`,"loadConfigStack":{"layers":[]}}`)
		if refused := all[len(all)-1].Type == "channelError"; refused != (want == 0) {
			t.Errorf("%s: %+v", ttl, all[len(all)-1])
		}
	}
}

// S3-24: a model that is loaded is not loaded again, whichever way it is asked for.
func TestModels_loadAndUnload(t *testing.T) {
	s := serve(t)
	c := s.dial(t, "llm")
	all := c.open("getOrLoad", `{"identifier":"m","loadTtlMs":60000,"loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"llm.load.contextLength","value":4096},{"key":"llm.load.llama.flashAttention","value":true}]}}]}}`)
	if got := kinds(all); got[0] != "startLoading" || got[len(got)-2] != "loadSuccess" {
		t.Errorf("%v", got)
	}
	i := s.fleet.Instances()[0]
	if i.Settings.Context != 4096 || i.Settings.FlashAttention != "on" || i.TTL.Seconds() != 60 {
		t.Errorf("%+v", i)
	}
	if got := kinds(c.open("getOrLoad", `{"identifier":"m","loadConfigStack":{"layers":[]}}`)); got[0] != "alreadyLoaded" {
		t.Errorf("%v", got)
	}
	for n := range 2 { // act() of several rounds asks for the model each time
		success(t, c.open("predict", ask(fmt.Sprintf("[[a%d]]x[[/]]", n))))
	}
	if i := s.fleet.Instances()[0]; i.Reference != "1" {
		t.Errorf("it was loaded anew: %+v", i)
	}
	second := c.open("loadModel", `{"modelKey":"m","identifier":"second","loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"llm.load.contextLength","value":512}]}}]}}`)
	if diff := cmp.Diff([]string{"resolved", "progress", "success", "channelClose"}, compact(kinds(second))); diff != "" {
		t.Error(diff)
	}
	taken := c.open("loadModel", `{"modelKey":"m","identifier":"second","loadConfigStack":{"layers":[]}}`)
	if !slices.ContainsFunc(taken, func(f frame) bool { return strings.Contains(f.Error.Title, "already exists") }) {
		t.Errorf("%+v", taken)
	}
	if f := c.call("unloadModel", `{"identifier":"second"}`); f.Type != "rpcResult" || f.Result != nil || len(s.fleet.Instances()) != 1 {
		t.Errorf("%+v", f)
	}
}

func compact(all []string) (out []string) {
	for _, one := range all {
		if len(out) == 0 || out[len(out)-1] != one {
			out = append(out, one)
		}
	}
	return out
}

func TestText_tokensVectorsAndTemplates(t *testing.T) {
	s := serve(t).load(t, "m", "e")
	const any = `{"specifier":{"type":"query","query":{}},"inputString":"hi","modelSpecifier":{"type":"query","query":{}},"history":{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]},"predictionConfigStack":{"layers":[]},"opts":{}}`
	for _, c := range []struct{ ns, endpoint, want string }{
		{"llm", "tokenize", `{"tokens":[104,105]}`}, {"llm", "countTokens", `{"tokenCount":2}`}, {"embedding", "embedString", `{"embedding":[2,0.5]}`},
		{"llm", "applyPromptTemplate", `{"formatted":"User: hi\n\nAssistant:"}`}, {"llm", "getInstanceProcessingState", `{"queued":0,"status":"idle"}`},
		{"llm", "getLoadConfig", `{"fields":[{"key":"llm.load.contextLength","value":65536},{"key":"llm.load.numParallelSessions","value":4}]}`},
		{"embedding", "getLoadConfig", `{"fields":[{"key":"embedding.load.contextLength","value":512}]}`}, {"llm", "getBasePredictionConfig", `{"fields":[{"key":"llm.prediction.temperature","value":0.8},{"key":"llm.prediction.topKSampling","value":40},{"key":"llm.prediction.topPSampling","value":{"checked":true,"value":0.95}},{"key":"llm.prediction.minPSampling","value":{"checked":true,"value":0.05}},{"key":"llm.prediction.repeatPenalty","value":{"checked":true,"value":1}},{"key":"llm.prediction.contextOverflowPolicy","value":"stopAtLimit"}]}`},
		{"system", "version", `{"build":0,"version":"1.0"}`},
	} {
		if f := s.dial(t, c.ns).call(c.endpoint, any); string(f.Result) != c.want {
			t.Errorf("%s/%s: %s %+v", c.ns, c.endpoint, f.Result, f.Error)
		}
	}
}

// Text files are read by the model; images and other files are an error where they are used.
func TestFiles_textIsRead(t *testing.T) {
	s := serve(t).load(t, "m")
	for name, content := range map[string]string{"notes.txt": "the secret is 7", "a.png": "\x89PNG\r\n\x1a\n0000"} {
		f := s.dial(t, "files").call("uploadFileBase64", fmt.Sprintf(`{"name":%q,"contentBase64":%q}`, name, base64.StdEncoding.EncodeToString([]byte(content))))
		var kept struct{ Identifier string }
		if err := json.Unmarshal(f.Result, &kept); err != nil {
			t.Fatal(err)
		}
		id := kept.Identifier
		message := fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"read"},{"type":"file","name":%q,"identifier":%q,"sizeBytes":1,"fileType":"text/plain"}]}`, name, id)
		all := s.dial(t, "llm").open("predict", conversation(message))
		if name == "a.png" {
			if last := all[len(all)-1]; last.Type != "channelError" || !strings.Contains(last.Error.Title, "text only") {
				t.Errorf("%+v", last)
			}
			continue
		}
		success(t, all)
		if prompt := s.engine.Turns()[len(s.engine.Turns())-1].Prompt.String(); !strings.Contains(prompt, "[notes.txt]\nthe secret is 7") {
			t.Error(prompt)
		}
	}
}

// What one caller uploads no other reads, whoever knows its name.
func TestFiles_areTheirOwnersOnly(t *testing.T) {
	s := serve(t, func(o *socket.Options) {
		o.Admit = func(ctx context.Context, identifier, _ string) (context.Context, error) {
			return chat.WithCaller(ctx, chat.Caller{Key: identifier}), nil
		}
	}).load(t, "m")
	as := func(ns, who string) *client {
		c := s.connect(t, ns)
		c.send(`{"authVersion":1,"clientIdentifier":"` + who + `","clientPasskey":"x"}`)
		c.next()
		return c
	}
	var kept struct{ Identifier string }
	if err := json.Unmarshal(as("files", "ann").call("uploadFileBase64", `{"name":"a.txt","contentBase64":"c2VjcmV0"}`).Result, &kept); err != nil {
		t.Fatal(err)
	}
	for who, may := range map[string]bool{"ann": true, "bob": false} {
		all := as("llm", who).open("predict", conversation(`{"role":"user","content":[{"type":"file","name":"a.txt","identifier":"`+kept.Identifier+`","sizeBytes":6,"fileType":"text/plain"}]}`))
		if last := all[len(all)-1]; (last.Type == "channelClose") != may {
			t.Errorf("%s: %+v", who, last)
		}
	}
}

// A model that is loaded once more without a name of its own gets the next number, as the SDKs
// expect.
func TestModels_aSecondInstanceIsNumbered(t *testing.T) {
	s := serve(t)
	c := s.dial(t, "llm")
	for _, want := range []string{"m", "m:2", "m:3"} {
		all := c.open("loadModel", `{"modelKey":"m","loadConfigStack":{"layers":[]}}`)
		if got := success(t, all).Message.Info.Identifier; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The default model answers whoever names no model, or one that there is not: it is loaded for
// them. To load or unload what there is not stays an error, and so does another kind of model.
func TestModels_theDefaultAnswersForWhatThereIsNot(t *testing.T) {
	s := serve(t, func(o *socket.Options) { o.Models.Default = "m" }).load(t, "e")
	c := s.dial(t, "llm")
	if f := c.call("getModelInfo", `{"specifier":{"type":"query","query":{}},"throwIfNotFound":true}`); !strings.Contains(string(f.Result), `"identifier":"m"`) {
		t.Errorf("%+v", f)
	}
	for name, query := range map[string]string{"none": `{}`, "unknown": `{"identifier":"gpt-9"}`, "its own": `{"identifier":"m"}`} {
		said := strings.Replace(ask("[[a]]x[[/]]"), `{"identifier":"m"}`, query, 1)
		if got := content(c.open("predict", said)); got != "x" {
			t.Errorf("%s: %q", name, got)
		}
	}
	all := c.open("getOrLoad", `{"identifier":"gpt-9","loadConfigStack":{"layers":[]}}`)
	if f := all[0]; f.Message.Type != "alreadyLoaded" || f.Message.Info.Identifier != "m" {
		t.Errorf("%+v", f)
	}
	for _, f := range []frame{
		c.open("loadModel", `{"modelKey":"gpt-9","loadConfigStack":{"layers":[]}}`)[0], c.call("unloadModel", `{"identifier":"gpt-9"}`),
		s.dial(t, "embedding").open("getOrLoad", `{"identifier":"gpt-9","loadConfigStack":{"layers":[]}}`)[0],
		c.call("countTokens", `{"specifier":{"type":"query","query":{"identifier":"e"}},"inputString":"x"}`),
	} {
		if f.Error.DisplayData.Code != "generic.noModelMatchingQuery" {
			t.Errorf("%+v", f)
		}
	}
	if all := s.fleet.Instances(); all[len(all)-1].Reference != "2" {
		t.Errorf("another was loaded: %+v", all)
	}
}

// A share of the layers for the GPU is their number. "max" is as many as fit.
func TestModels_aShareOfTheLayersIsOffloaded(t *testing.T) {
	for ratio, want := range map[string]string{`"max"`: "auto", `"off"`: "0", `0.5`: "13", `0.3`: "8", `0`: "0", `1`: "auto", `2`: "", `"half"`: ""} {
		s := serve(t) // its models have 26 layers
		all := s.dial(t, "llm").open("loadModel", `{"modelKey":"m","loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"llm.load.llama.acceleration.offloadRatio","value":`+ratio+`}]}}]}}`)
		if want == "" {
			if last := all[len(all)-1]; !strings.Contains(last.Error.Title, "offloadRatio") {
				t.Errorf("%s: %+v", ratio, last)
			}
		} else if got := s.fleet.Instances()[0].Settings.GPULayers; got != want {
			t.Errorf("%s: %q, want %q", ratio, got, want)
		}
	}
}

// A load's memory is estimated as the ledger knows it, by whoever may load; nothing is loaded.
func TestModels_estimateUsage(t *testing.T) {
	estimate := func(_ catalog.Entry, s fleet.Settings) (fleet.Demand, error) {
		on := int64(0)
		if s.GPULayers != "" {
			on = 6
		}
		return fleet.Demand{Wanted: s.Context, Least: s.Context, Need: func(context int) (placement.Need, error) {
			return placement.Need{Weights: 7 - on/2, Cache: int64(context), Compute: 10, VRAM: on}, nil
		}}, nil
	}
	f, all := servertest.Fleet(map[string]engine.Engine{"m": servertest.Obedient(engine.Model{Context: 2048, Slots: 1})}, func(o *fleet.Options) {
		o.Estimate, o.Free = estimate, func() (placement.Memory, error) { return placement.Memory{RAM: 2000, VRAM: 6}, nil }
	})
	s := serve(t, func(o *socket.Options) { o.Models = lmstudio.Models{Fleet: f, Traits: all.Traits} })
	c := s.dial(t, "llm")
	ask := func(model string, fields ...string) string {
		f := c.call("estimateModelUsage", fmt.Sprintf(`{"modelKey":%q,"loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[%s]}}]}}`, model, strings.Join(fields, ",")))
		return string(f.Result) + f.Error.Title
	}
	const tokens = `{"key":"llm.load.contextLength","value":1000}`
	for got, want := range map[string]string{
		ask("m", tokens): `{"contextLength":1000,"memory":{"confidence":"high","contextBytes":1010,"contextVramBytes":0,"modelBytes":7,"modelVramBytes":0,"totalBytes":1017,"totalVramBytes":0},"passesGuardrails":true}`,
		ask("m", tokens, `{"key":"llm.load.llama.acceleration.offloadRatio","value":0.5}`): `{"contextLength":1000,"memory":{"confidence":"low","contextBytes":1013,"contextVramBytes":3,"modelBytes":7,"modelVramBytes":3,"totalBytes":1020,"totalVramBytes":6},"passesGuardrails":true}`,
		ask("m", `{"key":"llm.load.contextLength","value":2047}`):                          `"passesGuardrails":false`,
		ask("none"): `there is no model "none"`,
		ask("m", `{"key":"llm.load.contextLength","value":-1}`): "contextLength",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if n := len(f.Instances()); n != 0 {
		t.Errorf("%d are loaded", n)
	}
	refused := serve(t, func(o *socket.Options) {
		o.Manage = func(context.Context) error { return &chat.Error{Kind: chat.Forbidden, Message: "no"} }
	}).dial(t, "llm").call("estimateModelUsage", `{"modelKey":"m"}`)
	if refused.Error.Title != "no" {
		t.Errorf("%+v", refused)
	}
	if f := serve(t).dial(t, "embedding").call("estimateModelUsage", `{"modelKey":"e"}`); !strings.Contains(f.Error.Title, "cannot be estimated") {
		t.Errorf("%+v", f)
	}
}

// Loads that begin at the same time are instances of their own, each with a name of its own; of
// two that ask for the same name, one is told that it is taken.
func TestModels_loadsAtOnceShareNoInstance(t *testing.T) {
	for named, want := range map[string]map[string]int{"": {"m": 1, "m:2": 1, "m:3": 1}, `"identifier":"mine",`: {"mine": 1, "already exists": 2}} {
		s := serve(t)
		got := make(chan string, 3)
		for range cap(got) {
			c := s.dial(t, "llm")
			go func() {
				all := c.open("loadModel", `{"modelKey":"m",`+named+`"loadConfigStack":{"layers":[]}}`)
				end := all[len(all)-1]
				if strings.Contains(end.Error.Title, "already exists") {
					got <- "already exists"
				} else {
					got <- all[len(all)-2].Message.Info.Identifier
				}
			}()
		}
		counts := map[string]int{}
		for range cap(got) {
			counts[<-got]++
		}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Error(diff)
		}
	}
}

// SDKs send the texts of a list as calls at once: however many they are, each is answered.
func TestText_listsOfAnyLength(t *testing.T) {
	c := serve(t).load(t, "m").dial(t, "llm")
	const texts = 1000
	for i := range texts {
		c.send(fmt.Sprintf(`{"type":"rpcCall","endpoint":"countTokens","callId":%d,"parameter":{"specifier":{"type":"query","query":{}},"inputString":"hi"}}`, i))
	}
	for range texts {
		if f := c.next(); !strings.Contains(f, `"tokenCount":2`) {
			t.Fatal(f)
		}
	}
}
