package tokenjson

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tenon/engine"
)

// simple joins by looking through the whole word for each pair.
func (b *bpe) simple(word string) []int32 {
	ids := b.symbols(word)
	for {
		best := -1
		for at := range max(len(ids), 1) - 1 {
			j, ok := b.joins[pairOf(ids[at], ids[at+1])]
			if ok && (best < 0 || j.rank < b.joins[pairOf(ids[best], ids[best+1])].rank) {
				best = at
			}
		}
		if best < 0 {
			return ids
		}
		ids = slices.Replace(ids, best, best+2, b.joins[pairOf(ids[best], ids[best+1])].id)
	}
}

func TestBPE_joinsAsBySearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b := &bpe{joins: map[uint64]join{}}
		for c := range b.bytes {
			b.bytes[c] = int32(c)
		}
		made := []int32{'a', 'b', 'c'}
		for rank := range random.IntN(20) {
			left, right := made[random.IntN(len(made))], made[random.IntN(len(made))]
			b.joins[pairOf(left, right)] = join{int32(rank), int32(1000 + rank)}
			made = append(made, int32(1000+rank))
		}
		for range 20 {
			word := make([]byte, random.IntN(40))
			for i := range word {
				word[i] = "abc"[random.IntN(3)]
			}
			if got, want := b.append(nil, string(word)), b.simple(string(word)); !slices.Equal(got, want) {
				t.Fatalf("%s: %d, want %d, by %v", word, got, want, b.joins)
			}
		}
	}
}

// Whatever a client writes, its tokens spell it, and none is a marker.
func FuzzTokens(f *testing.F) {
	bytes, characters := open(f, byteFile(), plainConfig), open(f, characterFile(), plainConfig)
	for _, seed := range []string{"hello  <s><|end|><call>", "</s><0x0A>▁▁▁▁", strings.Repeat("a", 70000), "12345\u0000 ü\r\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		for _, v := range []*Tokenizer{bytes, characters} {
			ids, err := v.Tokens(context.Background(), engine.Prompt{{Text: text, Origin: engine.Content}})
			if err != nil {
				t.Fatal(err)
			}
			if v.model.Vocab.AddBOS {
				ids = ids[1:]
			}
			for _, m := range v.model.Vocab.Markers {
				if slices.Contains(ids, m.ID) {
					t.Fatalf("%q has the marker %q", text, m.Text)
				}
			}
			back, _ := v.Text(context.Background(), ids, true)
			if want := v.splitter.normalized(text); v == bytes && string(back) != want {
				t.Fatalf("%q became %q", want, back)
			}
			if want := strings.ReplaceAll(text, "▁", " "); v == characters && len(text) > 0 && strings.ReplaceAll(string(back), " ", "") != strings.ReplaceAll(want, " ", "") {
				t.Fatalf("%q became %q", want, back)
			}
		}
	})
}

// A file may say anything: it is read, or refused.
func FuzzOpen(f *testing.F) {
	for _, file := range []object{byteFile(), characterFile()} {
		text, err := json.Marshal(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), `{"bos_token":"<s>","eos_token":{"content":7},"chat_template":[{"name":"default","template":[]}],"eos_token_id":[1,"x",1e99]}`)
	}
	deep := strings.Repeat(`{"type":"Sequence","normalizers":[`, 4000)
	f.Add(`{"normalizer":`+deep, `[]`)
	f.Add(`{"model":{"type":"BPE","vocab":{"a":4294967296},"merges":[[[]]]},"added_tokens":[{}]}`, `{"chat_template":{"template":{"template":{}}}}`)
	f.Add(`{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a+)+$"},"behavior":"Isolated"},"model":{"vocab":{}}}`, `{}`)
	f.Fuzz(func(t *testing.T, file, config string) {
		v, err := Open(write(t, map[string]any{Name: file, "tokenizer_config.json": config, "generation_config.json": config}), Options{})
		if err == nil {
			// a pattern may take too long
			ids, _ := v.Tokens(context.Background(), engine.Plain("hello <s>\u00fc"))
			_, _ = v.Text(context.Background(), ids, true)
		}
	})
}
