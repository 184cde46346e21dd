package chat

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"tenon/templates"
)

// truncate plans a turn whose client would rather lose the beginning of its conversation than get
// no answer (Responses' truncation: auto). The oldest messages go, a call together with its
// results, until the answer has room; system messages, the user's last one and what the
// conversation ends with stay. dropped is how many went.
func (s *Service) truncate(ctx context.Context, m Model, r Request) (shorter Request, p planned, dropped int, err error) {
	size := m.Engine.Model().Context
	p, n, err := s.measure(ctx, m, r)
	if err != nil || n < size {
		return r, p, 0, err
	}
	groups := droppable(r.Conversation.Messages)
	least := sort.Search(len(groups), func(i int) bool {
		if err == nil {
			_, n, err = s.measure(ctx, m, r.without(groups[:i+1]))
		}
		return n <= size-answerRoom(r, size)
	})
	if err != nil {
		return r, p, 0, err
	}
	groups = groups[:min(least+1, len(groups))] // where all are too few, opening the turn will say so
	for _, g := range groups {
		dropped += g.to - g.from
	}
	r = r.without(groups)
	p, err = s.plan(m, r)
	return r, p, dropped, err
}

// measure plans a turn and counts its prompt.
func (s *Service) measure(ctx context.Context, m Model, r Request) (planned, int, error) {
	p, err := s.plan(m, r)
	if err != nil {
		return p, 0, err
	}
	ids, err := m.Engine.Tokens(ctx, p.turn.Prompt)
	if err != nil {
		return p, 0, fmt.Errorf("count the prompt: %w", err)
	}
	return p, len(ids), nil
}

// answerRoom is how many tokens a truncated prompt leaves for the answer.
func answerRoom(r Request, size int) int {
	if r.MaxTokens > 0 {
		return min(r.MaxTokens, size/2)
	}
	return size / 4
}

// messageGroup is messages that go together: a call and its results, or a single one.
type messageGroup struct{ from, to int }

// droppable are the groups that may go, oldest first.
func droppable(messages []templates.Message) (groups []messageGroup) {
	asked := lastOf(messages, func(m templates.Message) bool { return m.Role == templates.User })
	end := lastOf(messages, func(m templates.Message) bool { return m.Role != templates.ToolRole })
	for i := 0; i < end; {
		g := messageGroup{i, i + 1}
		for len(messages[i].Calls) > 0 && g.to < len(messages) && messages[g.to].Role == templates.ToolRole {
			g.to++
		}
		if i != asked && !isSystem(messages[i].Role) {
			groups = append(groups, g)
		}
		i = g.to
	}
	return groups
}

// lastOf is the place of the last message that is meant, or -1.
func lastOf(messages []templates.Message, meant func(templates.Message) bool) int {
	for i, m := range slices.Backward(messages) {
		if meant(m) {
			return i
		}
	}
	return -1
}

// without is the request without some of its messages.
func (r Request) without(groups []messageGroup) Request {
	var left []templates.Message
	next := 0
	for _, g := range groups {
		left = append(left, r.Conversation.Messages[next:g.from]...)
		next = g.to
	}
	r.Conversation.Messages = append(left, r.Conversation.Messages[next:]...)
	return r
}
