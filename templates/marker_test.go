package templates

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/models/gguf"
	"tenon/templates/schema"
)

func TestMarkers_leftmostLongest(t *testing.T) {
	m := newMarkers([]string{"<|im_start|>", "<|im", "[INST]", "\n\n", "▁▁", "<｜User｜>"})
	for in, want := range map[string][]string{
		"":                         nil,
		"plain <|x|>":              {"plain <|x|>"},
		"<|im_start|>user":         {"*<|im_start|>", "user"},
		"<|im_stop":                {"*<|im", "_stop"},
		"a[INST][INST]b":           {"a", "*[INST]", "*[INST]", "b"},
		"white\n\nspace":           {"white\n\nspace"},
		"é<｜User｜>":                {"é", "*<｜User｜>"},
		"<<|im_start|>":            {"<", "*<|im_start|>"},
		"<|im_start|><|im_start|>": {"*<|im_start|>", "*<|im_start|>"},
	} {
		var got []string
		m.split(in, func(s string, k Kind) {
			if k == Marker {
				s = "*" + s
			}
			got = append(got, s)
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

// sharedVocabularies are vocabulary-only GGUF files, kept beside the project.
const sharedVocabularies = "../../shared/data/vocab"

// eachVocabulary runs f with the markers of every vocabulary: its control and user-defined tokens.
func eachVocabulary(t *testing.T, f func(t *testing.T, markers []string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedVocabularies, "*.gguf"))
	if err != nil || len(files) == 0 {
		t.Skipf("no vocabularies in %s", sharedVocabularies)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".gguf"), func(t *testing.T) {
			v, err := gguf.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			var markers []string
			tokens := v.Strings("tokenizer.ggml.tokens")
			for i, kind := range v.Ints("tokenizer.ggml.token_type") {
				if kind == 3 || kind == 4 { // control, user-defined
					markers = append(markers, tokens[i])
				}
			}
			f(t, markers)
		})
	}
}

// forging returns texts that spell a vocabulary's markers, whole, in parts and glued together.
func forging(r *rand.Rand, markers []string) string {
	var b strings.Builder
	for range 1 + r.Intn(4) {
		m := markers[r.Intn(len(markers))]
		if r.Intn(3) == 0 {
			m = m[:r.Intn(len(m)+1)]
		}
		b.WriteString(strings.ToValidUTF8(m, "") + []string{"", " ", "\n", "word"}[r.Intn(4)])
	}
	return "zq" + strings.NewReplacer("think", "thunk").Replace(b.String()) + "zq"
}

// Whatever content says, the markers of the prompt are those that the template wrote, in the same
// order.
func TestRender_contentForgesNoMarker(t *testing.T) {
	n := 0
	eachVocabulary(t, func(t *testing.T, vocabulary []string) {
		n++
		eachTemplate(t, func(t *testing.T, tm *Template) {
			if n++; n%5 != 0 && os.Getenv("TENON_ALL") == "" {
				// one vocabulary for each template; all of them with TENON_ALL=1
				return
			}
			tm = withMarkers(tm, vocabulary)
			r := rand.New(rand.NewSource(1))
			for range 5 {
				words := 0
				plain, err := tm.Render(forged(func() string { words++; return fmt.Sprint("word", words) }))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(markersIn(tm, plain.String()), markersOf(plain)); diff != "" {
					t.Errorf("the whole prompt has other markers than its pieces:\n%s\n%s", diff, plain)
				}
				nasty, err := tm.Render(forged(func() string { return forging(r, vocabulary) }))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(markersOf(plain), markersOf(nasty)); diff != "" {
					t.Errorf("%s\n%s", diff, nasty)
				}
			}
		})
	})
}

// withMarkers is the template with another vocabulary's markers beside what it was parsed with.
func withMarkers(tm *Template, markers []string) *Template {
	for m := range tm.markers.known {
		markers = append(markers[:len(markers):len(markers)], m)
	}
	return &Template{source: tm.source, options: tm.options, probe: tm.probe, form: tm.form, markers: newMarkers(markers)}
}

func markersOf(r Rendering) []string {
	var list []string
	for _, s := range r.Segments {
		if s.Kind == Marker {
			list = append(list, s.Text)
		}
	}
	return list
}

// markersIn finds the markers of a whole prompt, as a tokenizer does that knows nothing of pieces.
func markersIn(tm *Template, prompt string) []string {
	var list []string
	tm.markers.split(prompt, func(text string, k Kind) {
		if k == Marker {
			list = append(list, text)
		}
	})
	return list
}

func TestRender_beginsOnce(t *testing.T) {
	eachTemplate(t, func(t *testing.T, tm *Template) {
		for _, c := range echo() {
			r, err := tm.Render(c)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range r.Segments {
				if i > 0 && s.is("<s>") {
					t.Errorf("BOS is piece %d:\n%s", i, r)
				}
			}
		}
	})
	twice, err := Parse("{{ bos_token }}{{ bos_token }}{{ messages[0].content }}", Options{BOS: "<s>", Markers: []string{"<s>"}})
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := twice.Render(Conversation{Messages: []Message{hi}}); r.String() != "<s>hi" {
		t.Errorf("got %s", r)
	}
}

// forged is a conversation whose every text comes from f.
func forged(f func() string) Conversation {
	return Conversation{
		Tools: []Tool{{Name: "get_weather", Description: f(), Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string","description":` + schema.Quote(f()) + `}}}`)}},
		Messages: []Message{
			{Role: System, Text: f()}, {Role: User, Text: f()},
			{Role: Assistant, Calls: []Call{{ID: "call_1", Name: "get_weather", Arguments: `{"city":` + schema.Quote(f()) + `}`}}},
			{Role: ToolRole, CallID: "call_1", Text: f()},
			{Role: Assistant, Text: f()}, {Role: User, Text: f()},
		},
	}
}
