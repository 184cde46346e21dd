package grammar

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Metadata is what a tokenizer reads a model file's header by; absent keys give zero values.
type Metadata interface {
	String(key string) string
	Strings(key string) []string
	Ints(key string) []int64
	Int(key string) (int64, bool)
}

// BPE cuts plain text into tokens as a byte-level BPE model does. It is for measuring and tests,
// where no engine is at hand; special tokens in the text are not looked for.
type BPE struct {
	ids    map[string]int32
	ranks  map[[2]string]int
	digits int  // the most digits of one word; 0 for any number
	gpt2   bool // GPT-2's rules of cutting text into words, else Llama 3's
	whole  bool // a word that is a token is not merged
}

// NewBPE reads a byte-level BPE tokenizer from the header of a model file.
func NewBPE(m Metadata) (*BPE, error) {
	merges := m.Strings("tokenizer.ggml.merges")
	if m.String("tokenizer.ggml.model") != "gpt2" || len(merges) == 0 {
		return nil, errors.New("the file has no byte-level BPE tokenizer")
	}
	t := &BPE{ids: map[string]int32{}, ranks: make(map[[2]string]int, len(merges))}
	for id, s := range m.Strings("tokenizer.ggml.tokens") {
		t.ids[s] = int32(id)
	}
	for rank, s := range merges {
		if i := strings.IndexByte(s[min(1, len(s)):], ' '); i >= 0 {
			t.ranks[[2]string{s[:i+1], s[i+2:]}] = rank
		}
	}
	switch m.String("tokenizer.ggml.pre") {
	case "llama-bpe", "llama3", "llama-v3":
		t.digits, t.whole = 3, true
	case "qwen2", "qwen35":
		t.digits = 1
	default:
		t.gpt2 = true
	}
	return t, nil
}

// Tokenize cuts text into tokens.
func (t *BPE) Tokenize(text []byte) []int32 {
	var out []int32
	for s := string(text); s != ""; {
		n := t.word(s)
		out = t.merge(out, s[:n])
		s = s[n:]
	}
	return out
}

// merge appends the tokens of one word: the adjacent pair of lowest rank is joined until none is
// left.
func (t *BPE) merge(out []int32, word string) []int32 {
	parts := make([]string, 0, len(word))
	for i := range len(word) {
		parts = append(parts, string(runeOfByte[word[i]]))
	}
	if t.whole {
		if id, ok := t.ids[strings.Join(parts, "")]; ok {
			return append(out, id)
		}
	}
	for len(parts) > 1 {
		best, at := len(t.ranks), -1
		for i := range len(parts) - 1 {
			if r, ok := t.ranks[[2]string{parts[i], parts[i+1]}]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			break
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	for _, p := range parts {
		if id, ok := t.ids[p]; ok {
			out = append(out, id)
		}
	}
	return out
}

// word is the length of the first word of s, by the rules that the models' regular expressions
// state: contractions, letters with one character before them, digits, punctuation with newlines
// behind it, white space.
func (t *BPE) word(s string) int {
	if n := contraction(s, !t.gpt2); n > 0 {
		return n
	}
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	switch {
	case isLetter(r):
		return n + span(s[n:], isLetter)
	case isLetter(next) && len(s) > n && (r == ' ' || !t.gpt2 && r != '\r' && r != '\n' && !unicode.IsNumber(r)):
		return n + span(s[n:], isLetter)
	case unicode.IsNumber(r):
		return t.number(s)
	case t.gpt2 && r == ' ' && unicode.IsNumber(next):
		return 1 + span(s[1:], unicode.IsNumber)
	}
	if n := t.punctuation(s); n > 0 {
		return n
	}
	return t.space(s)
}

func (t *BPE) number(s string) int {
	if t.digits == 0 {
		return span(s, unicode.IsNumber)
	}
	n := 0
	for range t.digits {
		r, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 || !unicode.IsNumber(r) {
			break
		}
		n += size
	}
	return n
}

func (t *BPE) punctuation(s string) int {
	n := 0
	if s[0] == ' ' {
		n = 1
	}
	k := span(s[n:], func(r rune) bool { return !unicode.IsSpace(r) && !isLetter(r) && !unicode.IsNumber(r) })
	if k == 0 {
		return 0
	}
	n += k
	if !t.gpt2 {
		n += span(s[n:], func(r rune) bool { return r == '\r' || r == '\n' })
	}
	return n
}

// space is white space up to its last newline, else all of it but the last character, which
// belongs to the word that follows.
func (t *BPE) space(s string) int {
	n := span(s, unicode.IsSpace)
	if i := strings.LastIndexAny(s[:n], "\r\n"); i >= 0 && !t.gpt2 {
		return i + 1
	}
	if _, last := utf8.DecodeLastRuneInString(s[:n]); n < len(s) && n > last {
		return n - last
	}
	return max(n, 1)
}

func isLetter(r rune) bool { return unicode.IsLetter(r) }

func span(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

func contraction(s string, fold bool) int {
	for _, c := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(s) >= len(c) && (s[:len(c)] == c || fold && strings.EqualFold(s[:len(c)], c)) {
			return len(c)
		}
	}
	return 0
}

// runeOfByte is how GPT-2 prints bytes: printable Latin-1 bytes are themselves, the others follow
// from U+0100 on.
var runeOfByte = func() (table [256]rune) {
	next := rune(0x100)
	for b := range 256 {
		if table[b] = rune(b); b < 0x21 || b > 0x7E && b < 0xA1 || b == 0xAD {
			table[b] = next
			next++
		}
	}
	return table
}()

// TestBPE_cutsTextAsLlamaCpp compares with the cases that lie beside the shared vocabularies;
// their texts are separated by a line of their own.
func TestBPE_cutsTextAsLlamaCpp(t *testing.T) {
	for _, name := range []string{"llama-bpe", "gpt-2"} {
		t.Run(name, func(t *testing.T) {
			tok, err := NewBPE(openVocabulary(t, name))
			if err != nil {
				t.Fatal(err)
			}
			in, err := os.ReadFile("../../shared/data/vocab/ggml-vocab-" + name + ".gguf.inp")
			if err != nil {
				t.Fatal(err)
			}
			out, err := os.ReadFile("../../shared/data/vocab/ggml-vocab-" + name + ".gguf.out")
			if err != nil {
				t.Fatal(err)
			}
			wants := strings.Split(string(out), "\n")
			for i, text := range strings.Split(string(in), "\n__ggml_vocab_test__\n") {
				got := strings.Trim(fmt.Sprint(tok.Tokenize([]byte(text))), "[]")
				if want := strings.TrimSpace(wants[i]); got != want {
					t.Errorf("%q: %s, want %s", text, got, want)
				}
			}
		})
	}
}
