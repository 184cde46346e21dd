package tokenjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// file is a tokenizer.json, as far as it is read.
type file struct {
	Added        []addedToken `json:"added_tokens"`
	Normalizer   *step        `json:"normalizer"`
	PreTokenizer *step        `json:"pre_tokenizer"`
	Post         *processor   `json:"post_processor"`
	Model        struct {
		Type         string          `json:"type"`
		Vocab        json.RawMessage `json:"vocab"` // its form differs by type
		Merges       merges          `json:"merges"`
		IgnoreMerges bool            `json:"ignore_merges"`
	} `json:"model"`
}

type addedToken struct {
	ID      int32  `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// step is a normalizer or a pre-tokenizer: it changes a text, or cuts it into words, before the
// words are looked up in the vocabulary.
type step struct {
	Type          string `json:"type"`
	Normalizers   []step `json:"normalizers"`
	PreTokenizers []step `json:"pretokenizers"`
	Pattern       struct {
		Regex, String string
	} `json:"pattern"`
	Behavior    string `json:"behavior"`
	Invert      bool   `json:"invert"`
	Content     string `json:"content"`
	Prepend     string `json:"prepend"`
	PrefixSpace bool   `json:"add_prefix_space"`
	Words       *bool  `json:"use_regex"` // as GPT-2 has them; nil: true
	Individual  bool   `json:"individual_digits"`
	Replacement string `json:"replacement"`
	Scheme      string `json:"prepend_scheme"`
	Split       *bool  `json:"split"` // nil: true
}

// flat are the steps one after the other.
func (s *step) flat() (all []step) {
	if s == nil {
		return nil
	}
	if s.Type != "Sequence" {
		return []step{*s}
	}
	for _, inner := range append(s.Normalizers, s.PreTokenizers...) {
		all = append(all, inner.flat()...)
	}
	return all
}

// processor says what comes before a text.
type processor struct {
	Processors []processor `json:"processors"`
	Single     []struct {
		Special *struct {
			ID string `json:"id"`
		} `json:"SpecialToken"`
	} `json:"single"`
}

// begins tells whether texts begin with a token.
func (p *processor) begins(token string) bool {
	if p == nil {
		return false
	}
	for _, inner := range p.Processors {
		if inner.begins(token) {
			return true
		}
	}
	return len(p.Single) > 0 && p.Single[0].Special != nil && p.Single[0].Special.ID == token
}

// merges are pairs of tokens that become one, the first ones first.
type merges [][2]string

// UnmarshalJSON takes pairs, and strings with a space between the two, as older files have them.
func (m *merges) UnmarshalJSON(text []byte) error {
	if inner := bytes.TrimLeft(text, "[ \t\r\n"); bytes.Count(text[:len(text)-len(inner)], []byte("[")) > 1 {
		return json.Unmarshal(text, (*[][2]string)(m))
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*m = make(merges, len(list))
	for i, both := range list {
		left, right, ok := strings.Cut(both, " ")
		if !ok {
			return fmt.Errorf("the merge %.40q is no pair", both)
		}
		(*m)[i] = [2]string{left, right}
	}
	return nil
}
