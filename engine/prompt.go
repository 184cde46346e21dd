package engine

import "strings"

// Prompt is what a model reads: pieces that remember where they came from.
//
// Between symbols, adjacent text and content are tokenized together, so that the ids equal those
// of the whole prompt wherever content holds no marker. Content never yields a control or marker
// token, whatever it spells.
type Prompt []Piece

// Piece is a part of a prompt. Tokens is set for Kept, Text for the others.
type Piece struct {
	Origin Origin  `json:"origin,omitempty"`
	Text   string  `json:"text,omitempty"`
	Tokens []int32 `json:"tokens,omitempty"`
}

// Origin says how far a piece is trusted.
type Origin uint8

const (
	Text     Origin = iota // written by the template
	Symbolic               // one control or marker token, named by its spelling
	Content                // written by a client, a tool or a model
	Kept                   // token ids as the model sampled them in an earlier turn
)

// Plain is a prompt of one piece of trusted text.
func Plain(text string) Prompt { return Prompt{{Text: text}} }

// String is the prompt as text; kept ids appear as nothing. For debugging and tests.
func (p Prompt) String() string {
	var b strings.Builder
	for _, piece := range p {
		b.WriteString(piece.Text)
	}
	return b.String()
}
