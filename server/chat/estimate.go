package chat

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"tenon/engine"
	"tenon/templates"
	"tenon/tools"
)

// Tokens is a count of a prompt's tokens.
type Tokens struct {
	N int
	// the model is not loaded: counted with another tokenizer and without its chat template
	Estimated bool
}

// estimateEncoding is the vocabulary that stands in for a model that is not loaded. With 200,000
// tokens it is of the size of today's; others split most text into a tenth more or less.
const estimateEncoding = tiktoken.MODEL_O200K_BASE

var estimator = sync.OnceValue(func() *tiktoken.Tiktoken {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	// its vocabulary is linked in; nothing is fetched
	e, _ := tiktoken.GetEncoding(estimateEncoding)
	return e
})

// estimate counts about how many tokens the prompt of r will have.
func estimate(r Request) (Tokens, error) {
	text := r.Prompt.String()
	if r.Prompt == nil {
		rendered, err := renderPlainly(r)
		if err != nil {
			return Tokens{}, err
		}
		text = rendered
	}
	return Tokens{N: estimateText(text), Estimated: true}, nil
}

// count counts a prompt, or estimates it where the model's engine does not tokenize.
func count(ctx context.Context, m Model, p engine.Prompt) (Tokens, error) {
	if m.Engine.Model().Can.Tokenizes() {
		ids, err := m.Engine.Tokens(ctx, p)
		if err != nil {
			return Tokens{}, fmt.Errorf("tokenize the prompt: %w", err)
		}
		return Tokens{N: len(ids)}, nil
	}
	return Tokens{N: estimateText(p.String()), Estimated: true}, nil
}

// Limits of an estimate: the time that a word takes grows with the square of its length, and the
// server must not be kept busy by a text that is one word.
const (
	estimatePiece = 1 << 10   // bytes that are split into tokens together
	estimateMost  = 256 << 10 // bytes that are; the rest is taken to be like them
)

func estimateText(text string) int {
	e := estimator()
	head := text[:min(len(text), estimateMost)]
	n := 0
	for piece := range slices.Chunk([]byte(head), estimatePiece) {
		n += len(e.EncodeOrdinary(string(piece)))
	}
	if len(head) < len(text) {
		n = int(int64(n) * int64(len(text)) / int64(len(head)))
	}
	return n
}

// renderPlainly writes the prompt as it would be without a chat template.
func renderPlainly(r Request) (string, error) {
	plan, err := tools.Fallback().Plan(outputTurn(Model{}, r))
	if err != nil {
		return "", r.Places.toolError(err)
	}
	r.Conversation.Tools = promptTools(plan)
	rendering, err := templates.Builtin{}.Render(r.Conversation)
	if err != nil {
		return "", fmt.Errorf("render the conversation: %w", err)
	}
	return rendering.String(), nil
}
