// Package tokens turns prompts into ids by a vocabulary, whoever has read it: llama.cpp or package
// tokenjson. Here text is data: only a template's text and symbols become markers, whatever
// content spells.
//
//	markers := tokens.Markers(vocab, template, nil)
//	ids, err := tokens.New(vocab, markers, bos, tokenize).Prompt(ctx, prompt)
//
// # Files
//
//	markers.go                               which tokens of a vocabulary are markers
//	finder.go                                where markers are spelled in a text
//	tokenizer.go                             prompts and texts to ids, and back
package tokens
