package prepared

import (
	"strconv"

	"tenon/engine"
)

// InfillKeys name the tokens for filling in the middle in a GGUF: before the text, before what
// follows it, before the gap. Older files have the second names.
var InfillKeys = [3][2]string{
	{"tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id"},
	{"tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id"},
	{"tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id"},
}

// infillSpellings are how families write them, for files that do not say.
var infillSpellings = [][3]string{
	{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"},
	{"<fim_prefix>", "<fim_suffix>", "<fim_middle>"},
	{"<fim-prefix>", "<fim-suffix>", "<fim-middle>"},
	{"<PRE>", "<SUF>", "<MID>"},
	{"▁<PRE>", "▁<SUF>", "▁<MID>"},
	{"<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"},
	{"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"},
}

// InfillMarkers are a model's tokens for filling in, in the order of [InfillKeys].
func InfillMarkers(m engine.Model) (markers [3]string, ok bool) {
	texts := map[int32]string{}
	known := map[string]bool{}
	for _, marker := range m.Vocab.Markers {
		texts[marker.ID] = marker.Text
		known[marker.Text] = true
	}
	for i, keys := range InfillKeys {
		for _, key := range keys {
			if id, err := strconv.ParseInt(m.Metadata[key], 10, 32); err == nil && texts[int32(id)] != "" {
				markers[i] = texts[int32(id)]
			}
		}
	}
	if markers[0] != "" && markers[1] != "" && markers[2] != "" {
		return markers, true
	}
	for _, s := range infillSpellings {
		if known[s[0]] && known[s[1]] && known[s[2]] {
			return s, true
		}
	}
	return markers, false
}
