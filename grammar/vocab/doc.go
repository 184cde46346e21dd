// Package vocab holds a model's vocabulary in the form masks are computed from: the bytes of every
// token in one flat prefix tree, and the tokens that are symbols (control and marker tokens) by
// their text.
//
//	v, err := vocab.New(pieces, kinds, eog)
//	v.Trie() // walked by masks
//
// A vocabulary is built once per model ([New]) and is immutable: any number of goroutines may
// share it.
//
// Files: vocab.go, trie.go (the tree of tokens), shapes.go (the tree of classes of characters),
// mask.go (sets of tokens).
//
// # Words
//
//	here                     llguidance's toktrie; XGrammar; regex-automata has none
//	Vocab                    TokEnv, TokRxInfo; TokenizerInfo
//	piece                    a token's bytes; an entry of the decoded vocabulary
//	Trie, Subtrees           TokTrie; sorted_decoded_vocab
//	shape                    classes of a token's characters; a TokenizerSlice has few shapes
//	Mask                     SimpleVob; token bitmask. Sparse and AllBut are short lists, as in
//	                         AdaptiveTokenMask
//	symbol                   special token
//	end token (EOG)          tok_eos; stop_token_ids
package vocab
