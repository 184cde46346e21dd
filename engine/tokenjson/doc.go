// Package tokenjson is the vocabulary of a Hugging Face folder: tokenizer.json, and beside it
// tokenizer_config.json, generation_config.json and chat_template.jinja, as far as they are there.
// vLLM and SGLang load such folders. With it prompts go to them as token ids.
//
//	v, err := tokenjson.Open("models/Qwen3-8B", tokenjson.Options{})
//	ids, err := v.Tokens(ctx, prompt)
//
// A text becomes ids in these steps:
//
//	tokens        package tokens takes the markers out; what a client wrote is none
//	tokenjson.go  added tokens that plain text spells are found: runs of spaces, say
//	split.go      the rest is normalized, and cut into words by the file's own patterns
//	bpe.go        words are put together from bytes or characters
//
// Before that decode.go reads tokenizer.json, config.go the files beside it, and vocabulary.go
// makes the table of tokens.
//
// # Why it is written here
//
// Ids that are wrong make a model worse without a word, so a tokenizer is exact or it is of no
// use. The ids of thousands of texts (many scripts, runs of spaces, code, schemas, templates) were
// held against those of Python's tokenizers, for ten real tokenizers. make test-tokenizers does it
// again for this package; the others were tried once, with 4,350 such texts.
//
//	this package                      all texts have the same ids with nine tokenizers. With
//	                                  the tenth it is 4,346: some letters are newer than Go's
//	                                  tables
//	llama.cpp, from a GGUF file made  all with Llama 2, 3, 3.1 and Gemma 3; with Qwen 3 those
//	of tokenizer.json                 that are NFC. DeepSeek V3 4,311, Mistral Nemo 4,155,
//	                                  gpt-oss 4,089: its patterns know no marks, as Hindi, Thai
//	                                  and Arabic have
//	github.com/sugarme/tokenizer      19 to 54 % with three, and a panic with the others: its
//	                                  patterns cannot look ahead
//	github.com/gomlx/go-huggingface   reads no tokenizer.json
//
// Patterns run by regexp2, which was linked already. Models other than BPE, and steps that are not
// known, are refused: then prompts go as text.
package tokenjson
