package chat

import (
	"context"
	"errors"
	"fmt"

	"tenon/engine"
	"tenon/server/chat/prepared"
	"tenon/templates"
)

// The words in the middle are LM Studio's, by which its clients know such a refusal.
const (
	tooLong = "the prompt has %d tokens, which with one for the answer is greater than the context length of %d tokens"
	shorten = "shorten it, or serve with a larger --ctx-size"
)

// Overflow is the refusal of a prompt of so many tokens.
func Overflow(prompt, context int) *Error {
	return &Error{
		Kind: TooLong, Field: "prompt", Err: &engine.ContextError{Prompt: prompt, Context: context}, Message: fmt.Sprintf(tooLong+"; "+shorten, prompt, context),
	}
}

// Overflowed says of a refused prompt how many tokens it has, and how many it may have: one less
// than the context, which has to hold a first token of the answer. A text to embed has no answer.
func (e *Error) Overflowed() (prompt, most int, ok bool) {
	var over *engine.ContextError
	if e.Kind != TooLong || !errors.As(e, &over) {
		return 0, 0, false
	}
	if e.embeds {
		return over.Prompt, over.Context, true
	}
	return over.Prompt, over.Context - 1, true
}

// explainOverflow says of a prompt that does not fit how many tokens each part of it has, so that
// the user knows what to shorten. Any other error is returned as it is.
func explainOverflow(ctx context.Context, m Model, r Request, err error) error {
	var over *engine.ContextError
	if !errors.As(err, &over) {
		return err
	}
	if r.Prompt != nil {
		return Overflow(over.Prompt, over.Context)
	}
	conversation := r.Conversation
	conversation.Tools = nil
	bare, renderErr := m.Renderer.Render(conversation)
	if renderErr != nil {
		return err
	}
	counts := map[string]int{}
	for _, part := range promptParts(bare, conversation) {
		n, countErr := count(ctx, m, part.prompt)
		if countErr != nil {
			return err
		}
		counts[part.name] = n.N
	}
	tools := max(over.Prompt-counts["system"]-counts["history"]-counts["template"], 0)
	return &Error{
		Kind: TooLong, Field: "messages", Err: err,
		Message: fmt.Sprintf(tooLong+" (system %d, tools %d, history %d, template %d); "+shorten,
			over.Prompt, over.Context, counts["system"], tools, counts["history"], counts["template"]),
	}
}

// promptPart is the share of a prompt that one kind of input wrote.
type promptPart struct {
	name   string
	prompt engine.Prompt
}

// promptParts divides a rendering without tools by who wrote it. What the template wrote itself is
// a part of its own; what tools add, in whatever place a template puts them, is the difference to
// the whole.
func promptParts(r templates.Rendering, c templates.Conversation) []promptPart {
	parts := []promptPart{{name: "system"}, {name: "history"}, {name: "template"}}
	for _, s := range r.Segments {
		i := 2
		switch {
		case s.Kind != templates.Content:
		case s.Message >= 0 && s.Message < len(c.Messages) && isSystem(c.Messages[s.Message].Role):
			i = 0
		default:
			i = 1
		}
		parts[i].prompt = append(parts[i].prompt, engine.Piece{Text: s.Text, Origin: prepared.Origins[s.Kind]})
	}
	return parts
}

func isSystem(r templates.Role) bool { return r == templates.System || r == templates.Developer }
