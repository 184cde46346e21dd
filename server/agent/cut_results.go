package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"tenon/server/chat"
)

const (
	// bytes of a result, whatever the context: what is longer reaches nobody
	mostResult  = 1 << 20
	leastResult = 256 // bytes that stay, however full the context is
	markup      = 64  // tokens that a template writes around a result, at most
)

// fold cuts a result to its share of what the context has left, and says in it what was cut.
// Client, journal and model read the same.
func (l *loop) fold(ctx context.Context, s *settled) {
	s.result = shortened(s.result, mostResult)
	// a token has at least a byte
	if l.context > 0 && len(s.result.Text)+markup <= l.share(l.used, s.left) {
		l.used += len(s.result.Text) + markup
		return
	}
	if err := l.cut(ctx, s); err != nil {
		// the next round meets the error
		slog.WarnContext(ctx, "a result is not held against the context", "tool", s.call.Name, "error", err)
	}
}

// share is how many tokens each of so many results may take, where the prompt has used some.
func (l *loop) share(used, results int) int {
	room := l.context / 4 // for the answer
	if most := l.request.MaxTokens; most > 0 {
		room = min(room, most)
	}
	return (l.context - room - used) / results
}

// cut finds the longest form of a result that fits, by counting tokens.
func (l *loop) cut(ctx context.Context, s *settled) error {
	const tries = 5
	whole := s.result
	s.result.Text = ""
	base, err := l.count(ctx, *s)
	s.result = whole
	for range tries {
		if err != nil {
			return err
		}
		if l.used, err = l.count(ctx, *s); err != nil {
			return err
		}
		took, share := l.used-base, max(l.share(base, s.left), 1)
		if took <= share || len(s.result.Text) <= leastResult {
			return nil
		}
		s.result = shortened(whole, max(len(s.result.Text)*share/took*9/10, leastResult))
	}
	return nil
}

// count counts the next round's prompt with a result.
func (l *loop) count(ctx context.Context, s settled) (int, error) {
	with := *l
	with.request.Conversation.Messages = slices.Clone(l.request.Conversation.Messages)
	with.answer(s)
	n, size, err := l.service.Room(ctx, with.request)
	l.context = size
	return n, err
}

// shortened is a result of at most so many bytes, beside the words that say what is missing.
func shortened(r chat.HostedResult, most int) chat.HostedResult {
	text := r.Text
	if len(text) <= most {
		return r
	}
	head, tail := strings.ToValidUTF8(text[:most*2/3], ""), strings.ToValidUTF8(text[len(text)-most/3:], "")
	left := len(text) - len(head) - len(tail)
	r.Text = fmt.Sprintf("%s\n[… %d of %d bytes are left out here: there is no room for them. Ask for less at once. …]\n%s", head, left, len(text), tail)
	r.Cut += left
	return r
}
