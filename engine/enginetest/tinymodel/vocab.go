package tinymodel

import (
	"fmt"
	"slices"
	"strings"
)

// GGUF's token types: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
const (
	normalToken  = 1
	unknownToken = 2
	controlToken = 3
	userToken    = 4 // an added token that plain text spells too
	unusedToken  = 5
	byteToken    = 6
)

type vocabulary struct {
	model, pre string // tokenizer.ggml.model and .pre
	tokens     []string
	kinds      []int32
	scores     []float32 // SentencePiece only
	merges     []string  // byte-level BPE only
	extra      map[string]any
}

func (v *vocabulary) add(text string, kind int32, score float32) int {
	v.tokens = append(v.tokens, text)
	v.kinds = append(v.kinds, kind)
	v.scores = append(v.scores, score)
	return len(v.tokens) - 1
}

func (v *vocabulary) pad(size int) {
	for i := 0; len(v.tokens) < size; i++ {
		v.add(fmt.Sprintf("<unused%d>", i), unusedToken, 0)
	}
}

func (v *vocabulary) write(f *file) {
	f.set("tokenizer.ggml.model", v.model)
	if v.pre != "" {
		f.set("tokenizer.ggml.pre", v.pre)
	}
	f.set("tokenizer.ggml.tokens", v.tokens)
	f.set("tokenizer.ggml.token_type", v.kinds)
	if v.merges != nil {
		f.set("tokenizer.ggml.merges", v.merges)
	} else {
		f.set("tokenizer.ggml.scores", v.scores)
	}
	for _, key := range sortedKeys(v.extra) {
		f.set("tokenizer.ggml."+key, v.extra[key])
	}
}

// byteLevelVocab is a GPT-2 style vocabulary with the control tokens of ChatML and markers that
// are added tokens.
func byteLevelVocab() vocabulary {
	v := vocabulary{model: "gpt2", pre: "qwen2"}
	for b := range 256 {
		v.add(string(byteRune(byte(b))), normalToken, 0)
	}
	for _, m := range train(wordsOf(sample, byteLevel), merges) {
		v.merges = append(v.merges, m.left+" "+m.right)
		v.add(m.left+m.right, normalToken, 0)
	}
	end := v.add("<|endoftext|>", controlToken, 0)
	v.add("<|im_start|>", controlToken, 0)
	turn := v.add("<|im_end|>", controlToken, 0)
	for _, marker := range []string{"<think>", "</think>", "<tool_call>", "</tool_call>"} {
		v.add(marker, userToken, 0)
	}
	v.extra = map[string]any{
		"bos_token_id": uint32(end), "eos_token_id": uint32(turn), "padding_token_id": uint32(end), "add_bos_token": false,
	}
	return v
}

// sentencePieceVocab is a Gemma style vocabulary: spaces are ▁, unknown characters fall back to
// bytes.
func sentencePieceVocab() vocabulary {
	v := vocabulary{model: "llama"}
	pad := v.add("<pad>", controlToken, 0)
	eos := v.add("<eos>", controlToken, 0)
	bos := v.add("<bos>", controlToken, 0)
	unk := v.add("<unk>", unknownToken, 0)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), byteToken, 0)
	}
	words := wordsOf(sample, spacesAsUnderscores)
	for _, r := range runesOf(words) {
		v.add(r, normalToken, -1000)
	}
	for i, m := range train(words, merges) {
		if !slices.Contains(v.tokens, m.left+m.right) {
			v.add(m.left+m.right, normalToken, -float32(i))
		}
	}
	v.add("<start_of_turn>", controlToken, 0)
	v.add("<end_of_turn>", controlToken, 0)
	v.add("<tool_call>", userToken, 0)
	v.extra = map[string]any{
		"bos_token_id": uint32(bos), "eos_token_id": uint32(eos), "unknown_token_id": uint32(unk),
		"padding_token_id": uint32(pad), "add_bos_token": true, "add_eos_token": false, "add_space_prefix": false,
	}
	return v
}

const separatorKey = "seperator_token_id" //nolint:misspell // so GGUF spells it

// wordPieceVocab is a BERT style vocabulary: whole words, and letters to spell the others. ▁
// begins a word.
func wordPieceVocab() vocabulary {
	v := vocabulary{model: "bert"}
	ids := map[string]any{"add_bos_token": true, "add_eos_token": true}
	for _, special := range []struct{ text, key string }{
		{"[PAD]", "padding_token_id"}, {"[UNK]", "unknown_token_id"}, {"[CLS]", "bos_token_id"},
		{"[SEP]", separatorKey}, {"[MASK]", "mask_token_id"},
	} {
		ids[special.key] = uint32(v.add(special.text, controlToken, 0))
	}
	ids["cls_token_id"] = ids["bos_token_id"]
	ids["eos_token_id"] = ids[separatorKey]
	for _, word := range strings.Fields(strings.ToLower(sample)) {
		word = "▁" + strings.Trim(word, ".,:;?!\"'{}[]()")
		if !slices.Contains(v.tokens, word) {
			v.add(word, normalToken, 0)
		}
	}
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' {
			v.add(string(c), normalToken, 0)
			if word := "▁" + string(c); !slices.Contains(v.tokens, word) {
				v.add(word, normalToken, 0)
			}
		}
	}
	v.extra = ids
	v.extra["token_type_count"] = uint32(2)
	return v
}
