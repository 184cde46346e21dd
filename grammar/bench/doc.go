// Package bench holds a test that measures the grammar engine on labelled JSON Schemas: whether it
// judges every instance as labelled, and how long masks take. make bench-grammar runs it beside
// llguidance and XGrammar; by hand:
//
//	go test ./grammar/bench -run TestMasks -v -masks.file FILE.jsonl.gz -masks.vocab MODEL.gguf
//
// A file has one JSON object per line: {"name", "schema", "tests": [{"valid", "data"}]}. Each
// instance is written as compact JSON, cut into tokens, and walked to its end with a mask computed
// before every token, the end token included. That is done once on a grammar just compiled (cold)
// and once more (warm). Cold is without what earlier schemas have left behind, garbage included:
// there are the vocabulary and the automata of formats, both made before the first schema, and no
// schema changes them. Formats are asserted; numbers are spelled as in the file.
//
// What is printed:
//
//	passing      schemas that refuse nothing valid and accept nothing invalid
//	unsupported  schemas that cannot be compiled exactly, by keyword
//	mask         time of one mask and the accept that follows; a cold one above 1 ms is
//	             measured three times and the least counts
//	first mask   time from the schema's text to its first mask
//	memory       what the process has taken from the operating system
package bench
