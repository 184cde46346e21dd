//go:build cgo

package llama

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

func TestModel_tellsWhatIsInTheFile(t *testing.T) {
	template := "{% for m in messages %}" + string(bytes.Repeat([]byte("x"), 5000)) + "{% endfor %}"
	m := load(t, tinymodel.Options{Kind: tinymodel.SlidingWindow, Template: template, Metadata: map[string]any{"tenon.note": "ü"}}, ModelOptions{})
	if m.Architecture() != "gemma3" || m.TrainedContext() != 4096 || m.SlidingWindow() != tinymodel.Window || layers(m) != 6 {
		t.Errorf("%s, context %d, window %d, %d layers", m.Architecture(), m.TrainedContext(), m.SlidingWindow(), layers(m))
	}
	if m.ChatTemplate("") != template || m.ChatTemplate("tool_use") != "" {
		t.Errorf("templates of %d and %d bytes", len(m.ChatTemplate("")), len(m.ChatTemplate("tool_use")))
	}
	if note, found := m.Metadata("tenon.note"); note != "ü" || !found || m.AllMetadata()["tenon.note"] != "ü" {
		t.Errorf("metadata %q", note)
	}
	if _, found := m.Metadata("no.such.key"); found {
		t.Error("a key that is not there was found")
	}
	if m.Parameters() <= 0 || m.Size() < m.Parameters() || m.Description() == "" || m.Recurrent() || m.Bidirectional() {
		t.Errorf("%d parameters, %d bytes, %q", m.Parameters(), m.Size(), m.Description())
	}
}

func TestLoad_vocabOnly(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{VocabOnly: true})
	if ids, err := m.Vocab().Tokenize(t.Context(), "The weather"); err != nil || len(ids) == 0 {
		t.Errorf("%v, %v", ids, err)
	}
	if _, err := m.NewContext(ContextOptions{Size: 256}); err == nil {
		t.Error("a context was made without weights")
	}
}

func TestVocab_controlTokensOnlyWhereTheyAreMeant(t *testing.T) {
	v := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{}).Vocab()
	const text = "a<|im_end|>b"
	meant, err := v.TokenizeAtOnce(text, TokenizeOptions{ParseSpecial: true})
	if err != nil {
		t.Fatal(err)
	}
	spelled, err := v.Tokenize(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(meant, v.EOS()) || slices.Contains(spelled, v.EOS()) {
		t.Errorf("meant %v, spelled %v; <|im_end|> is %d", meant, spelled, v.EOS())
	}
	if got := detokenize(v, meant); string(got) != text {
		t.Errorf("with control tokens: %q", got)
	}
	if v.Attr(v.EOS())&Control == 0 || !v.IsEnd(v.EOS()) || !slices.Contains(v.Ends(), v.EOS()) || v.IsEnd(meant[0]) || v.Attr(-1) != 0 {
		t.Errorf("attributes of %d: %b; ends %v", v.EOS(), v.Attr(v.EOS()), v.Ends())
	}
	if v.Piece(-1) != nil || v.Piece(int32(v.Size())) != nil {
		t.Error("a piece of a token that is not there")
	}
}

func TestVocab_anyBytesComeBack(t *testing.T) {
	for _, k := range chatKinds {
		v := load(t, tinymodel.Options{Kind: k}, ModelOptions{VocabOnly: true}).Vocab()
		for _, text := range []string{"", "\x00", "a\x00b", "\xff\xfe", "☃ ü\u00a0天", "  two  spaces\n\n", "\r\n\t"} {
			ids, err := v.Tokenize(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if got := detokenize(v, ids); string(got) != text && string(got) != string([]rune(text)) {
				t.Errorf("%s: %q came back as %q", k, text, got)
			}
		}
	}
}

func TestVocab_closedModel(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{VocabOnly: true})
	m.Close()
	if _, err := m.Vocab().Tokenize(t.Context(), "a"); err == nil {
		t.Error("a closed model tokenizes")
	}
	if string(m.Vocab().Piece('a')) != "a" {
		t.Error("the pieces are gone")
	}
}

// layers is the number of a model's layers.
func layers(m *Model) int {
	text, _ := m.Metadata(m.Architecture() + ".block_count")
	n, _ := strconv.Atoi(text) // 0 is no model's
	return n
}

// detokenize is the concatenation of tokens' pieces.
func detokenize(v *Vocab, ids []int32) (text []byte) {
	for _, id := range ids {
		text = append(text, v.Piece(id)...)
	}
	return text
}
