package tokenjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// object is a JSON object.
type object = map[string]any

// byteFile is a small tokenizer.json of bytes, with a split by a pattern that looks ahead.
func byteFile() object {
	vocab := object{}
	for b, letter := range letters {
		vocab[string(letter)] = b
	}
	for i, text := range []string{"he", "ll", "hell", "ĠĠ", "<s>", "unreachable"} {
		vocab[text] = 256 + i
	}
	return object{
		"added_tokens": []object{
			{"id": 260, "content": "<s>", "special": true},
			{"id": 300, "content": "<|end|>", "special": true},
			{"id": 301, "content": "<call>", "special": false},
			{"id": 302, "content": "<hr>", "special": false},
		},
		"normalizer": object{"type": "NFC"},
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []object{
			{"type": "Split", "pattern": object{"Regex": `\p{N}{1,3}|[^\s\p{N}]+|\s+(?!\S)|\s+`}, "behavior": "Isolated", "invert": false},
			{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
		}},
		"post_processor": object{"type": "Sequence", "processors": []object{
			{"type": "ByteLevel"},
			{"type": "TemplateProcessing", "single": []object{{"SpecialToken": object{"id": "<s>"}}, {"Sequence": object{"id": "A"}}}},
		}},
		"model": object{"type": "BPE", "vocab": vocab, "merges": []string{"h e", "l l", "he ll", "Ġ Ġ"}},
	}
}

// characterFile is a small one of characters, in SentencePiece's manner.
func characterFile() object {
	vocab := object{"<unk>": 0, "<s>": 1, "</s>": 2}
	for b := range 256 {
		vocab[fmt.Sprintf("<0x%02X>", b)] = 3 + b
	}
	for i, text := range []string{"▁", "h", "e", "l", "o", "ü", "▁h", "el", "▁hel", "lo", "▁hello", "/", "<", ">", "s", "</", "s>"} {
		vocab[text] = 259 + i
	}
	return object{
		"added_tokens": []object{
			{"id": 0, "content": "<unk>", "special": true}, {"id": 1, "content": "<s>", "special": true}, {"id": 2, "content": "</s>", "special": true},
			{"id": 280, "content": "▁▁▁", "special": false},
		},
		"normalizer": object{"type": "Sequence", "normalizers": []object{
			{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": object{"String": " "}, "content": "▁"},
		}},
		"pre_tokenizer": nil,
		"model": object{"type": "BPE", "vocab": vocab, "byte_fallback": true, "merges": [][]string{
			{"▁", "h"}, {"e", "l"}, {"▁h", "el"}, {"l", "o"}, {"▁hel", "lo"}, {"<", "/"}, {"s", ">"}, {"</", "s>"},
		}},
	}
}

// plainConfig goes with both.
var plainConfig = object{"bos_token": "<s>", "eos_token": object{"content": "<|end|>"}}

// write makes a folder of files.
func write(t testing.TB, files map[string]any) string {
	t.Helper()
	folder := t.TempDir()
	for name, v := range files {
		text, ok := v.(string)
		if !ok {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// open reads a tokenizer.json and its config.
func open(t testing.TB, file, config object) *Tokenizer {
	t.Helper()
	v, err := Open(write(t, map[string]any{Name: file, "tokenizer_config.json": config}), Options{Template: "{{ '<call>' }}"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// with is an object with another value, which is not the one that it was made of.
func with(o object, key string, value any) object {
	o = maps.Clone(o)
	o[key] = value
	return o
}
