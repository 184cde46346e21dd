//go:build cgo

package prepared

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/templates"
)

var update = flag.Bool("update", false, "write golden files anew")

const (
	sharedVocab     = "../../../../shared/data/vocab/ggml-vocab-gpt-2.gguf"
	sharedTemplates = "../../../../shared/data/templates"
)

// How many tokens of an agent's conversation have to be evaluated again because a client sends
// back as text what the model sampled as tokens: with the turns kept, and without. Models often
// sample other tokens for a text than a tokenizer makes of it; here the second token of every
// answer is sampled in two halves. What is left with the turns kept is what the template itself
// changes, for the reasons that templates/testdata/echo.txt names. The golden file is a figure to
// watch.
func TestSampledTurns_gainOfEchoedConversations(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedTemplates, "*.jinja"))
	if len(files) == 0 {
		t.Skipf("no templates in %s", sharedTemplates)
	}
	m, err := llama.Load(t.Context(), sharedVocab, llama.ModelOptions{VocabOnly: true})
	if err != nil {
		t.Skipf("no vocabulary: %v", err)
	}
	t.Cleanup(m.Close)
	var report strings.Builder
	var sum echoed
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tm, err := templates.Parse(string(source), templates.Options{BOS: "<s>", EOS: "</s>"})
		if err != nil {
			t.Fatal(err)
		}
		e := echo(t, m.Vocab(), tm)
		fmt.Fprintf(&report, "%-48s %s\n", strings.TrimSuffix(filepath.Base(file), ".jinja"), e)
		if e.kept > e.text {
			t.Errorf("%s: keeping turns costs tokens: %s", file, e)
		}
		sum.kept, sum.text, sum.total = sum.kept+e.kept, sum.text+e.text, sum.total+e.total
	}
	fmt.Fprintf(&report, "%-48s %s\n", "all", sum)
	compareGolden(t, "testdata/kept.txt", report.String())
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

// echoed counts tokens of all prompts of a conversation: evaluated again with the turns kept,
// without, and altogether.
type echoed struct{ kept, text, total int }

func (e echoed) String() string {
	return fmt.Sprintf("again %5d kept, %5d as text, of %6d", e.kept, e.text, e.total)
}

// echoTurns are an agent's conversation before each of its answers, and at its end.
func echoTurns() []templates.Conversation {
	full := []templates.Message{
		{Role: templates.System, Text: "You are an agent that looks things up."}, {Role: templates.User, Text: "What is the weather in Rome and in Oslo?"},
		{Role: templates.Assistant, Text: "Let me look.", Reasoning: "Two cities.", Calls: []templates.Call{{ID: "abcDEF001", Name: "get_weather", Arguments: `{"city": "Rome"}`}}},
		{Role: templates.ToolRole, CallID: "abcDEF001", Text: "Rome: 21 degrees, clear sky, light wind from the west."},
		{Role: templates.Assistant, Reasoning: "Now Oslo.", Calls: []templates.Call{{ID: "abcDEF002", Name: "get_weather", Arguments: `{"city": "Oslo"}`}}},
		{Role: templates.ToolRole, CallID: "abcDEF002", Text: "Oslo: 3 degrees, snow."},
		{Role: templates.Assistant, Text: "Rome is warm, Oslo is cold.", Reasoning: "Done."},
		{Role: templates.User, Text: "Thanks. And tomorrow?"},
		{Role: templates.Assistant, Text: "I cannot know that."},
		{Role: templates.User, Text: "Fair enough."},
	}
	tools := []templates.Tool{{Name: "get_weather", Description: "The weather.", Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}
	var turns []templates.Conversation
	for i, m := range full {
		if m.Role == templates.Assistant || i == len(full)-1 {
			turns = append(turns, templates.Conversation{Messages: full[:i], Tools: tools, Now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)})
		}
	}
	turns[len(turns)-1].Messages = full
	return turns
}

// echo plays a conversation: after each prompt the model samples the turn as the template shows it
// in the next one.
func echo(t *testing.T, v *llama.Vocab, tm *templates.Template) echoed {
	t.Helper()
	turns := echoTurns()
	kept := NewSampledTurns()
	var e echoed
	var cachedKept, cachedText []int32
	for i, c := range turns {
		r := rendered(t, tm, c)
		withTurns := tokensOf(t, v, kept.Prompt("", r))
		asText := tokensOf(t, v, pieces(r.Segments))
		e.total += len(asText)
		e.kept += len(cachedKept) - common(cachedKept, withTurns)
		e.text += len(cachedText) - common(cachedText, asText)
		if i == len(turns)-1 {
			break
		}
		answer := sampledAnswer(t, v, tm, r, rendered(t, tm, turns[i+1]), len(c.Messages))
		kept.Keep("", r, answer)
		cachedKept, cachedText = withTurns, asText
		for _, token := range answer {
			cachedKept, cachedText = append(cachedKept, token.ID), append(cachedText, token.ID)
		}
	}
	return e
}

func rendered(t *testing.T, tm *templates.Template, c templates.Conversation) templates.Rendering {
	t.Helper()
	r, err := tm.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sampledAnswer is what the model sampled: the text that the next prompt shows behind this one.
func sampledAnswer(t *testing.T, v *llama.Vocab, tm *templates.Template, prompt, next templates.Rendering, message int) []engine.Token {
	t.Helper()
	from := len(prompt.String())
	if !strings.HasPrefix(next.String(), prompt.String()) {
		// the template changes what came before: nothing behind it can be used again
		return nil
	}
	end := turnEnd(next, message, closing(t, tm))
	if end < from {
		return nil
	}
	var out []engine.Token
	for i, id := range tokensOf(t, v, engine.Prompt{{Text: next.String()[from:end]}}) {
		piece := v.Piece(id)
		if i != 1 || len(piece) < 2 {
			out = append(out, engine.Token{ID: id, Bytes: piece})
			continue
		}
		for _, half := range [][]byte{piece[:len(piece)/2], piece[len(piece)/2:]} {
			for _, id := range tokensOf(t, v, engine.Prompt{{Text: string(half)}}) {
				out = append(out, engine.Token{ID: id, Bytes: v.Piece(id)})
			}
		}
	}
	return out
}

// turnEnd is the byte of a prompt where the template closes an assistant's turn, behind all that
// the message says; -1: nowhere.
func turnEnd(r templates.Rendering, message int, closing string) int {
	at, behind, end := 0, 0, 0
	for i, s := range r.Segments {
		at += len(s.Text)
		if s.Kind == templates.Content && s.Field < templates.FieldTool && s.Message == message {
			behind, end = i+1, at
		}
	}
	var rest strings.Builder
	for _, s := range r.Segments[behind:] {
		if s.Kind == templates.Content {
			break
		}
		rest.WriteString(s.Text)
	}
	i := strings.Index(rest.String(), closing)
	if i < 0 || end == 0 || closing == "" {
		return -1
	}
	return end + i
}

// closing is what a template writes behind an answered turn, up to its first marker.
func closing(t *testing.T, tm *templates.Template) string {
	t.Helper()
	text := rendered(t, tm, templates.Conversation{Messages: []templates.Message{
		{Role: templates.User, Text: "zqone"}, {Role: templates.Assistant, Text: "zqtwo"}, {Role: templates.User, Text: "zqthree"},
	}}).String()
	_, behind, _ := strings.Cut(text, "zqtwo")
	between, _, _ := strings.Cut(behind, "zqthree")
	if at := marker.FindStringIndex(between); at != nil {
		return between[:at[1]]
	}
	return between
}

var marker = regexp.MustCompile(`<\|[^<>|\s]{1,40}\|?>|<[^<>|\s]{1,40}\|>|<｜[^<>\s]{1,40}｜>|</?s>|<(?:start|end)_of_[a-z]+>|\[/?[A-Z][A-Z_]{2,30}\]`)

// tokensOf is a prompt as a worker tokenizes it, text between kept turns at once. Content holds no
// markers here.
func tokensOf(t *testing.T, v *llama.Vocab, p engine.Prompt) []int32 {
	t.Helper()
	var ids []int32
	var text strings.Builder
	flush := func() {
		more, err := v.TokenizeAtOnce(text.String(), llama.TokenizeOptions{ParseSpecial: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, more...)
		text.Reset()
	}
	for _, piece := range p {
		if piece.Origin == engine.Kept {
			flush()
			ids = append(ids, piece.Tokens...)
			continue
		}
		text.WriteString(piece.Text)
	}
	flush()
	return ids
}

func common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
