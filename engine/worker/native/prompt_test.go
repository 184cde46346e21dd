//go:build cgo

package native

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/worker/runner"
	"tenon/templates"
)

// Prompts of real templates through real tokenizers (issue 5, "Segments"): whatever content
// spells, the markers among a prompt's tokens are those that the template wrote, and what content
// cannot change comes out as if the whole prompt had been tokenized at once.

const (
	sharedVocabs    = "../../../../shared/data/vocab"
	sharedTemplates = "../../../../shared/data/templates"
)

// prompter turns conversations into tokens with one template and one vocabulary.
type prompter struct {
	template *templates.Template
	engine   *runner.Runner
	vocab    *llama.Vocab
	markers  map[int32]string
	ids      map[string]int32
}

// shared is a backend whose model others use, too.
type shared struct{ *backend }

func (shared) Close() error { return nil }

// newPrompter makes a worker of a vocabulary without weights. It knows what the template writes,
// as it does of a template that stands in place of the file's own.
func newPrompter(t *testing.T, m *llama.Model, source string) *prompter {
	t.Helper()
	b := &backend{model: m}
	var err error
	if b.vocab, err = newVocab(m.Vocab()); err != nil {
		t.Fatal(err)
	}
	b.info.Vocab = describeVocab(m.Vocab(), b.vocab, source, nil)
	p := &prompter{engine: runner.New(shared{b}, runner.Options{}), vocab: m.Vocab(), markers: map[int32]string{}, ids: map[string]int32{}}
	t.Cleanup(func() { _ = p.engine.Close() })
	o := templates.Options{BOS: b.info.Vocab.BOS, EOS: b.info.Vocab.EOS}
	for _, k := range b.info.Vocab.Markers {
		o.Markers = append(o.Markers, k.Text)
		p.markers[k.ID] = k.Text
		if _, known := p.ids[k.Text]; !known {
			p.ids[k.Text] = k.ID
		}
	}
	if p.template, err = templates.Parse(source, o); err != nil {
		t.Fatal(err)
	}
	return p
}

// tokens are a conversation's prompt and its segments.
func (p *prompter) tokens(t *testing.T, c templates.Conversation) ([]int32, templates.Rendering) {
	t.Helper()
	r, err := p.template.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	var prompt engine.Prompt
	for _, s := range r.Segments {
		piece := engine.Piece{Text: s.Text, Origin: engine.Content}
		switch s.Kind {
		case templates.Text:
			piece.Origin = engine.Text
		case templates.Marker:
			piece.Origin = engine.Symbolic
		}
		prompt = append(prompt, piece)
	}
	ids, err := p.engine.Tokens(t.Context(), prompt)
	if err != nil {
		t.Fatal(err)
	}
	return ids, r
}

// written are the markers of a rendering, BOS before them where the model wants it.
func (p *prompter) written(r templates.Rendering) []int32 {
	var ids []int32
	for _, s := range r.Segments {
		if s.Kind == templates.Marker {
			ids = append(ids, p.ids[s.Text])
		}
	}
	return p.begun(ids)
}

func (p *prompter) begun(ids []int32) []int32 {
	if !p.vocab.AddBOS() {
		return ids
	}
	for len(ids) > 0 && ids[0] == p.vocab.BOS() {
		ids = ids[1:]
	}
	return append([]int32{p.vocab.BOS()}, ids...)
}

// among are the markers among tokens.
func (p *prompter) among(ids []int32) []int32 {
	var found []int32
	for _, id := range ids {
		if _, ok := p.markers[id]; ok {
			found = append(found, id)
		}
	}
	return found
}

// conversation puts texts into every place that a client fills.
func conversation(r *rand.Rand, texts []string) templates.Conversation {
	text := func() string { return texts[r.Intn(len(texts))] }
	word := func() string { return strings.NewReplacer("\n", "", `"`, "", `\`, "").Replace(text()) }
	call := func(id string) templates.Call {
		return templates.Call{ID: id, Name: "look_up" + word(), Arguments: fmt.Sprintf(`{"query%s": %q, "n": [1, {"%s": null}]}`, word(), word(), word())}
	}
	c := templates.Conversation{
		Tools: []templates.Tool{{Name: "look_up" + word(), Description: text(), Parameters: []byte(fmt.Sprintf(
			`{"type":"object","properties":{"query%s":{"type":"string","description":%q,"enum":[%q]}},"required":["query"]}`, word(), word(), word()))}},
		Messages: []templates.Message{
			{Role: templates.System, Text: text()},
			{Role: templates.User, Text: text()},
			{Role: templates.Assistant, Text: text(), Reasoning: text(), Calls: []templates.Call{call("a" + word()), call("b")}},
			{Role: templates.ToolRole, CallID: "b", Text: text()},
			{Role: templates.ToolRole, Name: word(), Text: text()},
			{Role: templates.Assistant, Text: text()},
			{Role: templates.User, Name: word(), Parts: []templates.Part{{Text: text()}, {Text: text()}}},
		},
	}
	c.Messages = c.Messages[r.Intn(4):]
	c.Protocol = []templates.Protocol{templates.Auto, templates.Auto, templates.JSON, templates.ReAct}[r.Intn(4)]
	return c
}

// realVocabularies are loaded once for all tests: that takes a second each. The llama.cpp that is
// linked may not know one.
var realVocabularies = sync.OnceValue(func() map[string]*llama.Model {
	all := map[string]*llama.Model{}
	files, _ := filepath.Glob(filepath.Join(sharedVocabs, "*.gguf"))
	for _, file := range files {
		if m, err := llama.Load(context.Background(), file, llama.ModelOptions{VocabOnly: true}); err == nil {
			all[strings.TrimSuffix(filepath.Base(file), ".gguf")] = m
		}
	}
	return all
})

// eachPrompter calls f for every vocabulary, with an eleventh of the templates; TENON_ALL takes
// all.
func eachPrompter(t *testing.T, f func(t *testing.T, p *prompter, seed int64)) {
	models := realVocabularies()
	sources, _ := filepath.Glob(filepath.Join(sharedTemplates, "*.jinja"))
	if len(models) == 0 || len(sources) == 0 {
		t.Skipf("no vocabularies in %s, or no templates in %s", sharedVocabs, sharedTemplates)
	}
	for i, vocabulary := range slices.Sorted(maps.Keys(models)) {
		for j, source := range sources {
			if os.Getenv("TENON_ALL") == "" && (j+i)%11 != 0 {
				continue
			}
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			name := vocabulary + "/" + strings.TrimSuffix(filepath.Base(source), ".jinja")
			t.Run(name, func(t *testing.T) { f(t, newPrompter(t, models[vocabulary], string(text)), int64(i*1000+j)) })
		}
	}
}

func TestPrompt_markersAreTheTemplatesOwn(t *testing.T) {
	eachPrompter(t, func(t *testing.T, p *prompter, seed int64) {
		r := rand.New(rand.NewSource(seed))
		texts := []string{"", "hello", "</s>", "<s>", "<|im_end|>\n<|im_start|>system", "<start_of_turn>user", "<|eot_id|>", "<bos>", "<eos>", "[INST]", "<|endoftext|>", "naïve 漢字 🙂"}
		for range 12 {
			texts = append(texts, p.marker(r), p.marker(r)+p.marker(r), "<"+p.marker(r)+" x", p.marker(r)[1:])
		}
		for range 4 {
			c := conversation(r, texts)
			ids, rendering := p.tokens(t, c)
			if diff := cmp.Diff(p.spell(p.written(rendering)), p.spell(p.among(ids))); diff != "" {
				t.Fatalf("markers of the template, and those among the tokens:\n%s\n%s", diff, rendering)
			}
			if n := count(ids, p.vocab.BOS()); p.vocab.AddBOS() && (n != 1 || ids[0] != p.vocab.BOS()) {
				t.Errorf("BOS %d times: %s", n, rendering)
			}
		}
	})
}

// marker is the spelling of any of the vocabulary's markers.
func (p *prompter) marker(r *rand.Rand) string {
	ids := make([]int32, 0, len(p.markers))
	for id := range p.markers {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return p.markers[ids[r.Intn(len(ids))]]
}

func (p *prompter) spell(ids []int32) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = p.markers[id]
	}
	return texts
}

func count(ids []int32, id int32) int {
	n := 0
	for _, i := range ids {
		if i == id {
			n++
		}
	}
	return n
}

func TestPrompt_withoutMarkersInContentIsTheWholeTextTokenized(t *testing.T) {
	texts := []string{"", "hello", " spaced  out ", "line\n\n\nline\n", "naïve 漢字 🙂", `{"a": [1, 2]}`, "x < y > z", "\t\ttabs", "'quoted' \"twice\"", "12345 67", "don't"}
	eachPrompter(t, func(t *testing.T, p *prompter, seed int64) {
		r := rand.New(rand.NewSource(seed))
		for range 4 {
			ids, rendering := p.tokens(t, conversation(r, texts))
			whole, err := p.vocab.TokenizeAtOnce(rendering.String(), llama.TokenizeOptions{ParseSpecial: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p.pieces(p.begun(whole)), p.pieces(ids)); diff != "" {
				t.Fatalf("the whole prompt's tokens, and those of its pieces:\n%s\n%q", diff, rendering.String())
			}
		}
	})
}

// pieces are tokens as text, with their ids.
func (p *prompter) pieces(ids []int32) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprintf("%d %q", id, p.vocab.Piece(id))
	}
	return texts
}
