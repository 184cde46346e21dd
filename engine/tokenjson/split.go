package tokenjson

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
	"golang.org/x/text/unicode/norm"
)

// space is what stands for a space in SentencePiece's vocabularies.
const space = "\u2581"

// splitter brings a text into the form that the vocabulary has, and cuts it into words.
type splitter struct {
	change []func(string) string
	cut    []*regexp2.Regexp
	bytes  bool // tokens are of bytes, as GPT-2's: else of characters
	first  bool // a space goes before a text that begins a prompt
}

// gpt2Words is how GPT-2 cuts a text into words.
const gpt2Words = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// longestCut is how long a pattern may take for a text. Those of real models take time by its
// length.
const longestCut = 10 * time.Second

func newSplitter(f *file) (*splitter, error) {
	s := &splitter{}
	for _, one := range f.Normalizer.flat() {
		change := one.normalizer()
		if change == nil {
			return nil, fmt.Errorf("it changes texts in a way that is not known here: %.40q", one.Type)
		}
		s.change = append(s.change, change)
	}
	for _, one := range f.PreTokenizer.flat() {
		if err := s.add(one); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// normalizer is a change to a text, nil if it is not known.
func (s step) normalizer() func(string) string {
	switch {
	case s.Type == "NFC":
		return norm.NFC.String
	case s.Type == "NFKC":
		return norm.NFKC.String
	case s.Type == "Prepend":
		return func(text string) string { return s.Prepend + text }
	case s.Type == "Replace" && s.Pattern.String != "":
		return func(text string) string { return strings.ReplaceAll(text, s.Pattern.String, s.Content) }
	}
	return nil
}

// add takes a step of pre_tokenizer.
func (s *splitter) add(one step) error {
	pattern := ""
	switch isolated := one.Behavior == "Isolated" && !one.Invert || one.Behavior == "Removed" && one.Invert; {
	case one.Type == "Split" && one.Pattern.Regex != "" && isolated:
		pattern = one.Pattern.Regex
	case one.Type == "Split" && one.Pattern.String == " " && !strings.Contains(s.normalized(" "), " "):
		// there are none left
		return nil
	case one.Type == "Digits" && one.Individual:
		pattern = `\p{N}`
	case one.Type == "ByteLevel" && !one.PrefixSpace:
		s.bytes = true
		if one.Words == nil || *one.Words {
			pattern = gpt2Words
		}
	case one.Type == "Metaspace" && one.Replacement == space && one.Split != nil && !*one.Split:
		s.first = one.Scheme == "first"
		s.change = append(s.change, func(text string) string {
			if text = strings.ReplaceAll(text, " ", space); one.Scheme == "always" && !strings.HasPrefix(text, space) {
				return space + text
			}
			return text
		})
	default:
		return fmt.Errorf("it cuts words in a way that is not known here: %.40q %.40q", one.Type, one.Behavior)
	}
	if pattern == "" {
		return nil
	}
	re, err := regexp2.Compile(pattern, regexp2.None)
	if err != nil {
		return fmt.Errorf("it cuts words by a pattern that is not known here: %w", err)
	}
	re.MatchTimeout = longestCut
	s.cut = append(s.cut, re)
	return nil
}

func (s *splitter) normalized(text string) string {
	for _, change := range s.change {
		text = change(text)
	}
	return text
}

// words cuts a text that holds no added token.
func (s *splitter) words(ctx context.Context, text string) ([]string, error) {
	words := [][]rune{[]rune(s.normalized(text))}
	for _, pattern := range s.cut {
		var finer [][]rune
		for _, word := range words {
			var err error
			if finer, err = cut(ctx, finer, pattern, word); err != nil {
				return nil, err
			}
		}
		words = finer
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out, nil
}

// cut adds a word's parts: what a pattern finds, and what is between.
func cut(ctx context.Context, parts [][]rune, pattern *regexp2.Regexp, word []rune) ([][]rune, error) {
	end := 0
	m, err := pattern.FindRunesMatch(word)
	for ; m != nil && err == nil; m, err = pattern.FindNextMatch(m) {
		if m.Index > end {
			parts = append(parts, word[end:m.Index])
		}
		if end = m.Index + m.Length; m.Length > 0 {
			parts = append(parts, word[m.Index:end])
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if end < len(word) {
		parts = append(parts, word[end:])
	}
	return parts, err
}
