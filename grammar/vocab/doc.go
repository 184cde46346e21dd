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
//	here                     the field (llguidance's toktrie, XGrammar's TokenizerInfo)
//	piece                    a token's bytes: decoded vocabulary entry
//	Trie, Subtrees           TokTrie
//	shape                    classes of a token's characters; a token slice has few shapes
//	Mask                     token bitmask (SimpleVob); Sparse and AllBut are short lists
//	symbol                   special token
//	end token (EOG)          EOS and other stop tokens
package vocab
