package grammar

import "tenon/grammar/vocab"

// Mask is a set of tokens: a short list of the allowed ones, a short list of the refused ones, or
// a bitset. See package vocab for its methods.
type Mask = vocab.Mask

// The representations of masks.
const (
	Sparse = vocab.Sparse // IDs lists the allowed tokens
	Dense  = vocab.Dense  // Bits holds one bit per token
	AllBut = vocab.AllBut // IDs lists the refused tokens
)
