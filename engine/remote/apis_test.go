package remote

import (
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/remote/chat"
)

// What is asked of an upstream says what the engine can do.
func TestAPIs_whatTheyCanDo(t *testing.T) {
	byIDs := engine.Can{IDs: true, Tokenizer: engine.LocalTokenizer, Mask: engine.PrintedMask, Conclude: true}
	byText := engine.Can{Tokenizer: engine.NoTokenizer, Mask: engine.PrintedMask, Conclude: true}
	for name, c := range map[string]struct {
		host farHost
		v    engine.Engine
		want engine.Can
	}{
		"vLLM by ids":                        {farHost{api: VLLM, version: "0.33.0"}, vocabulary(), byIDs},
		"vLLM by text":                       {farHost{api: VLLM, version: "0.33.0"}, nil, byText},
		"vLLM that cuts no text":             {farHost{api: VLLM, version: "0.33.0", blind: true}, vocabulary(), byText},
		"vLLM before 0.12":                   {farHost{api: VLLM, version: "0.11.2"}, vocabulary(), byIDs},
		"vLLM with a parser of thinking":     {farHost{api: VLLM, version: "0.33.0", ignores: true}, vocabulary(), engine.Can{IDs: true, Tokenizer: engine.LocalTokenizer, Symbols: true, Mask: engine.NoMask}},
		"vLLM that cannot read our grammars": {farHost{api: VLLM, version: "0.33.0", refuses: true}, vocabulary(), engine.Can{IDs: true, Tokenizer: engine.LocalTokenizer, Symbols: true, Mask: engine.NoMask}},
		"SGLang by ids":                      {farHost{api: SGLang}, vocabulary(), byIDs},
		"SGLang by text":                     {farHost{api: SGLang}, nil, byText},
		"SGLang without a grammar backend":   {farHost{api: SGLang, ignores: true}, nil, engine.Can{Tokenizer: engine.NoTokenizer, Mask: engine.NoMask}},
		"OpenAI":                             {farHost{api: OpenAI}, vocabulary(), engine.Can{Tokenizer: engine.NoTokenizer, Mask: engine.NoMask}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFar("a")
			c.host.width = 64
			f.hosts["a"] = &c.host
			e := connectWith(t, f, c.v, "http://a")
			got := e.Model().Can
			if got.Sampling == "" {
				t.Error("all fields of sampling are claimed")
			}
			if got.Sampling = ""; got != c.want {
				t.Errorf("%+v", got)
			}
			if c.v != nil && e.Model().Template != "{{ y }}" {
				t.Errorf("template %q", e.Model().Template)
			}
			if _, err := e.Tokens(t.Context(), engine.Plain("a")); errors.Is(err, engine.ErrUnsupported) == got.Tokenizes() {
				t.Errorf("tokens: %v", err)
			}
		})
	}
}

// A llama-server tells a template of its own for a file that has none, and nobody's calls are
// written by it.
func TestAPIs_whoseTemplateCounts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*engine.Model)
		want   string
	}{
		"the one that is served": {func(*engine.Model) {}, "{{ x }}"},
		"none of a file's":       {func(m *engine.Model) { m.Architecture, m.Template = "gemma3", "" }, ""},
		"a folder may lack it":   {func(m *engine.Model) { m.Template = "" }, "{{ x }}"},
	} {
		t.Run(name, func(t *testing.T) {
			v := vocabulary().(*enginetest.Scripted)
			c.change(&v.Info)
			f := newFar("a")
			e := connectWith(t, f, v, "http://a")
			if got := e.Model(); got.Template != c.want || got.Can.Tokenizer != engine.LocalTokenizer {
				t.Errorf("%q, %+v", got.Template, got.Can)
			}
			if e.verify(e.all()[0]); !e.isUp(e.all()[0]) {
				t.Error("it is taken for another model when it is looked at again")
			}
		})
	}
}

// The field that the upstream's version knows is found.
func TestAPIs_theFieldOfVLLMsGrammarIsTried(t *testing.T) {
	for _, is := range []string{"0.9.0", "0.12.0"} {
		f := newFar("a")
		f.hosts["a"] = hostOf(VLLM)
		f.hosts["a"].version = is
		f.hosts["a"].body = says(transcript(t, "vllm/whole.txt"))
		e := connectTo(t, f, "http://a")
		turn := plain()
		turn.Grammar = `root ::= "a"`
		got := ask(t, e, turn)
		if sent := f.requests[len(f.requests)-1]; got.err != nil || f.hosts["a"].grammar(sent) == nil {
			t.Errorf("%s: %v, %v", is, got.err, sent)
		}
	}
}

// An upstream that is too busy to be probed is asked again later: it is not taken for one that
// follows no grammar.
func TestAPIs_aBusyProbeSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar("a", "b")
		f.hosts["a"], f.hosts["b"] = hostOf(VLLM), hostOf(VLLM)
		f.change("b", func(h *farHost) { h.crowded = true })
		e := connectWith(t, f, vocabulary(), "http://a", "http://b")
		if e.isUp(e.all()[1]) || e.Model().Can.Mask != engine.PrintedMask {
			t.Errorf("%+v", e.Model().Can)
		}
		f.change("b", func(h *farHost) { h.crowded = false })
		time.Sleep(20 * time.Second)
		if can := e.Model().Can; !e.isUp(e.all()[1]) || can.Mask != engine.PrintedMask || !can.IDs {
			t.Errorf("%+v", can)
		}
		_ = e.Close()
	})
}

// Of upstreams one of which has letters spell markers, all may.
func TestAPIs_whatOneCannotDoNoneCan(t *testing.T) {
	f := newFar("a", "b")
	f.hosts["a"], f.hosts["b"] = hostOf(VLLM), hostOf(VLLM)
	f.hosts["a"].ignores = true
	e := connectWith(t, f, vocabulary(), "http://a", "http://b")
	if can := e.Model().Can; can.Symbols || can.Conclude || can.Mask != engine.NoMask || !can.IDs {
		t.Errorf("%+v", can)
	}
}

// An answer's end is a symbol, and tokens of it have the vocabulary's bytes.
func TestAPIs_tokensOfTheVocabulary(t *testing.T) {
	for _, a := range []API{VLLM, SGLang} {
		f := newFar("a")
		f.hosts["a"] = hostOf(a)
		f.hosts["a"].body = says(transcript(t, folders[a]+"/whole.txt"))
		got := ask(t, connectWith(t, f, vocabulary(), "http://a"), plain())
		if got.err != nil || len(got.tokens) != 12 || got.finish.Usage.Generated != 12 {
			t.Fatalf("%s: %d tokens, %v, %+v", a, len(got.tokens), got.err, got.finish)
		}
		for i, token := range got.tokens {
			if symbol := i == 11; (token.Kind == engine.Symbol) != symbol || !symbol && (int(token.ID) != int(gruss[i]) || string(token.Bytes) != gruss[i:i+1]) {
				t.Errorf("%s: token %d is %+v", a, i, token)
			}
		}
	}
}

// A grammar that SGLang does not compile is told inside the answer.
func TestAPIs_aGrammarThatSGLangRefuses(t *testing.T) {
	f := newFar("a")
	f.hosts["a"] = hostOf(SGLang)
	f.hosts["a"].body = says(transcript(t, "sglang/refused.txt"))
	turn := plain()
	turn.Grammar = `root ::= "a"`
	if got := ask(t, connectTo(t, f, "http://a"), turn); !errors.Is(got.err, engine.ErrUnsupported) || !strings.Contains(got.err.Error(), "Failed to compile") {
		t.Errorf("%v", got.err)
	}
}

// Another vocabulary than the one here is another model.
func TestAPIs_theVocabulariesAreOne(t *testing.T) {
	f := newFar("a")
	f.hosts["a"] = hostOf(VLLM)
	_, err := Connect(t.Context(), Options{Name: "m", URLs: []string{"http://a"}, Vocabulary: shifted{vocabulary()}, Log: slog.New(slog.DiscardHandler), transport: f})
	if !errors.Is(err, errOther) {
		t.Errorf("%v", err)
	}
}

// Of several models that are served, one is named; of a server that does not tell its context,
// that.
func TestAPIs_whatIsSaidInTheSettings(t *testing.T) {
	f := newFar("a")
	f.hosts["a"] = hostOf(OpenAI)
	f.hosts["llama"] = &farHost{owner: "llamacpp", width: 64}
	f.hosts["short"] = &farHost{api: OpenAI, owner: "short", width: 64}
	for url, want := range map[string]string{"http://llama": "", "http://short": "set ctx-size", "http://a#model=m": "", "http://a#model=x": "no model \"x\"", "http://a#api=llama-server": "as a llama-server does"} {
		e, err := Connect(t.Context(), Options{Name: "m", URLs: []string{url}, Log: slog.New(slog.DiscardHandler), transport: f})
		if err == nil {
			_ = e.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", url, err)
		}
	}
	e, err := Connect(t.Context(), Options{Name: "m", URLs: []string{"http://short"}, Context: 77, transport: f})
	if err != nil || e.Model().Context != 77 {
		t.Fatalf("%v", err)
	}
	_ = e.Close()
}

var update = flag.Bool("update", false, "write the requests anew")

// The requests of each API, as they are on the wire: make test-remote-bodies holds them against
// the servers' own models of them.
func TestAPIs_requests(t *testing.T) {
	number := func(n float32) *float32 { return &n }
	zero, seed := 0, uint32(7)
	full := engine.Turn{
		Prompt: engine.Plain("hi"), Grammar: `root ::= "a"`, Budget: engine.Budget{Tokens: 12}, Logprobs: 2, CacheKey: "key",
		Sampling: engine.Sampling{
			Numbers: engine.Numbers{
				Temperature: number(0.8), TopK: &zero, TopP: number(0), MinP: number(0.25), RepeatPenalty: number(1.5), PresencePenalty: number(1), FrequencyPenalty: number(-1), TypicalP: number(0.5),
			},
			Seed: &seed, LogitBias: map[int32]float32{97: -1000, 98: 2},
		},
	}
	hosts := map[string]*farHost{"vllm-0.33.0": hostOf(VLLM), "vllm-0.11.2": {api: VLLM, version: "0.11.2", width: 64}, "sglang": hostOf(SGLang), "openai": hostOf(OpenAI)}
	for name, host := range hosts {
		for how, v := range map[string]engine.Engine{"ids": vocabulary(), "text": nil} {
			if how == "ids" && host.api == OpenAI {
				continue
			}
			for size, turn := range map[string]engine.Turn{"full": full, "plain": {Prompt: engine.Plain("hi"), Logprobs: -1}} {
				f := newFar("a")
				f.hosts["a"] = host
				host.body = says(transcript(t, folders[host.api]+"/whole.txt"))
				if v == nil {
					turn.Sampling.LogitBias = nil
				}
				if got := ask(t, connectWith(t, f, v, "http://a"), turn); got.err != nil {
					t.Fatalf("%s: %v", name, got.err)
				}
				body, err := json.MarshalIndent(f.requests[0], "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				golden(t, filepath.Join("testdata", "requests", strings.Join([]string{name, how, size}, "-")+".json"), string(body)+"\n")
			}
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v\n%s", path, err, got)
	}
}

// A name that is no row of the table would be passed over in silence.
func TestAPIs_sampleByTheTable(t *testing.T) {
	for _, known := range []string{moreSampling, chat.Completions.Sampling, chat.Messages.Sampling} {
		for key := range strings.SplitSeq(known, ",") {
			if !slices.ContainsFunc(engine.SamplingFields, func(f engine.SamplingField) bool { return f.Key == key }) {
				t.Errorf("%s is no sampling field", key)
			}
		}
	}
}

// All tokens are top_k 0 for Anthropic's API, which refuses less, and -1 for the others.
func TestAPIs_topKOfAllTokens(t *testing.T) {
	for _, all := range []int{0, -1} {
		for known, want := range map[string]float64{chat.Messages.Sampling: 0, moreSampling: -1} {
			body := map[string]any{}
			sampling(body, engine.Sampling{Numbers: engine.Numbers{TopK: &all}}, known)
			if body["top_k"] != want {
				t.Errorf("%d of %s is sent as %v, want %v", all, known, body["top_k"], want)
			}
		}
	}
}

// What llama-server is asked for and tells beyond the others' common fields: chosen tokens'
// probabilities, biases by its own form, breakers, a seed.
func TestAPIs_llamaServersOwnForms(t *testing.T) {
	seed := uint32(7)
	asked := turn{Turn: engine.Turn{Logprobs: 1, Sampling: engine.Sampling{
		Seed: &seed, DRYBreakers: []string{"|"}, LogitBias: map[int32]float32{97: float32(math.Inf(-1))},
	}}}
	_, body := (&llamaServer{}).request(asked)
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"n_probs":1`, `"seed":7`, `"dry_sequence_breakers":["|"]`, `"logit_bias":[[97,false]]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	var in llamaEvent
	said := `{"content":"a","tokens":[97],"completion_probabilities":[{"id":97,"logprob":-0.5,"top_logprobs":[{"id":98,"bytes":[98],"logprob":-1},{"id":99,"bytes":[99],"logprob":-2}]}]}`
	if err := json.Unmarshal([]byte(said), &in); err != nil {
		t.Fatal(err)
	}
	got := in.delta(asked).tokens[0]
	if got.ID != 97 || got.Logprob != -0.5 || len(got.Top) != 1 || got.Top[0].ID != 98 || string(got.Top[0].Bytes) != "b" {
		t.Errorf("%+v", got)
	}
}
