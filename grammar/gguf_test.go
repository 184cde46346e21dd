package grammar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenon/grammar/vocab"
)

// FromGGUF builds the vocabulary of a model from the header of its file.
func FromGGUF(m Metadata) (*Vocab, error) {
	tokens := m.Strings("tokenizer.ggml.tokens")
	if len(tokens) == 0 {
		return nil, fmt.Errorf("the file has no vocabulary (tokenizer.ggml.tokens)")
	}
	types := m.Ints("tokenizer.ggml.token_type")
	model := m.String("tokenizer.ggml.model")
	decode := pieceDecoder(model, m.String("tokenizer.ggml.pre"))
	pieces, kinds := make([][]byte, len(tokens)), make([]vocab.Kind, len(tokens))
	for i, t := range tokens {
		kinds[i] = vocab.Normal
		if i < len(types) && types[i] >= int64(vocab.Normal) && types[i] <= int64(vocab.Byte) {
			kinds[i] = vocab.Kind(types[i])
		}
		switch kinds[i] {
		case vocab.Normal:
			pieces[i] = decode(t)
		case vocab.Byte:
			pieces[i] = byteToken(t)
		default:
			pieces[i] = []byte(t)
		}
	}
	return NewVocab(pieces, kinds, endTokens(m, tokens))
}

// pieceDecoder turns the text of a normal token into the bytes it stands for, as the tokenizer
// models of llama.cpp do.
func pieceDecoder(model, pre string) func(string) []byte {
	switch model {
	case "gpt2":
		return byteLevel
	case "bert":
		return wordPiece
	case "rwkv":
		return escapedLiteral
	}
	return func(t string) []byte { return []byte(strings.ReplaceAll(t, "▁", " ")) }
}

// byteLevel undoes GPT-2's mapping of bytes to printable code points: printable Latin-1 bytes are
// themselves, the others follow from U+0100 on. What is not in its table stands for itself.
func byteLevel(t string) []byte {
	b := make([]byte, 0, len(t))
	for _, r := range t {
		if x, ok := byteOfRune[r]; ok {
			b = append(b, x)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

var byteOfRune = func() map[rune]byte {
	table := map[rune]byte{}
	for b, r := range runeOfByte {
		table[r] = byte(b)
	}
	return table
}()

// wordPiece: a token begins a word unless ## (or, in GGUF files, the absence of ▁) says that it
// goes on.
func wordPiece(t string) []byte {
	if rest, ok := strings.CutPrefix(t, "▁"); ok {
		return []byte(" " + rest)
	}
	return []byte(strings.TrimPrefix(t, "##"))
}

// escapedLiteral reads RWKV's tokens, which are written with C's escapes.
func escapedLiteral(t string) []byte {
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(t, `"`, `\"`) + `"`)
	if err != nil {
		return []byte(t)
	}
	return []byte(s)
}

// byteToken reads <0x0A>.
func byteToken(t string) []byte {
	if len(t) == 6 && strings.HasPrefix(t, "<0x") {
		if x, err := strconv.ParseUint(t[3:5], 16, 8); err == nil {
			return []byte{byte(x)}
		}
	}
	return []byte(t)
}

// endNames are texts of tokens that end a turn in some family, whatever the file's own keys say;
// llama.cpp goes by the same names.
var endNames = []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<turn|>", "<|endoftext|>", "<|eom_id|>", "<EOT>", "_<EOT>", "<|end_of_text|>",
	"<end_of_utterance>", "<|return|>", "<|call|>", "<|calls|>", "<|flush|>", "</s>", "<eos>", "[EOS]", "[EOT]", "<｜end▁of▁sentence｜>"}

func endTokens(m Metadata, tokens []string) []int32 {
	var ends []int32
	add := func(id int64) {
		if id >= 0 && id < int64(len(tokens)) && !slices.Contains(ends, int32(id)) {
			ends = append(ends, int32(id))
		}
	}
	for _, key := range []string{"eos", "eot", "eom"} {
		if id, ok := m.Int("tokenizer.ggml." + key + "_token_id"); ok {
			add(id)
		}
	}
	types := m.Ints("tokenizer.ggml.token_type")
	for id, t := range tokens {
		if id < len(types) && vocab.Kind(types[id]) != vocab.Normal && slices.Contains(endNames, t) {
			add(int64(id))
		}
	}
	return ends
}
