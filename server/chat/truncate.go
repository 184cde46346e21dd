package chat

import (
	"context"
	"slices"
	"sort"

	"tenon/templates"
)

// truncate plans a turn whose client would rather lose the beginning of its conversation than get
// no answer (Responses' truncation: auto). The oldest turns go, each as a whole, until the answer
// has room; system messages, the user's last one and what the conversation ends with stay. dropped
// is how many messages went.
func (s *Service) truncate(ctx context.Context, m Model, r Request) (shorter Request, p planned, dropped int, err error) {
	size := m.Engine.Model().Context
	p, n, err := s.measure(ctx, m, r)
	if err != nil || n < size || size == 0 { // of an engine that does not tell its context
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
	// where all are too few, opening the turn will say so
	groups = groups[:min(least+1, len(groups))]
	shorter = r.without(groups)
	p, err = s.plan(m, shorter)
	return shorter, p, len(r.Conversation.Messages) - len(shorter.Conversation.Messages), err
}

// measure plans a turn and counts its prompt.
func (s *Service) measure(ctx context.Context, m Model, r Request) (planned, int, error) {
	p, err := s.plan(m, r)
	if err != nil {
		return p, 0, err
	}
	n, err := count(ctx, m, p.turn.Prompt)
	return p, n.N, err
}

// answerRoom is how many tokens a truncated prompt leaves for the answer.
func answerRoom(r Request, size int) int {
	if r.MaxTokens > 0 {
		return min(r.MaxTokens, size/2)
	}
	return size / 4
}

// messageGroup is the places of messages that go together.
type messageGroup []int

// droppable are the groups that may go, oldest first: the turns before the last user message, from
// what the user said to the last answer to it; then, of the turn that goes on, what the assistant
// did in each round. A call and its results are never parted, wherever they stand.
func droppable(messages []templates.Message) (groups []messageGroup) {
	asked := lastOf(messages, func(m templates.Message) bool { return m.Role == templates.User })
	begins := make([]bool, len(messages))
	for i, m := range messages {
		begins[i] = i == 0 || m.Role == templates.User || i > asked && m.Role == templates.Assistant
	}
	// from here on all belong together, by calls whose results come later
	joined := len(messages)
	for i, call := range slices.Backward(templates.Answered(messages)) {
		if call >= 0 {
			joined = min(joined, call)
		}
		begins[i] = begins[i] && i <= joined
		if i == joined {
			joined = len(messages)
		}
	}
	var all []messageGroup
	for i, m := range messages {
		if begins[i] {
			all = append(all, nil)
		}
		if last := len(all) - 1; !isSystem(m.Role) {
			all[last] = append(all[last], i)
		}
	}
	for _, g := range all[:max(len(all)-1, 0)] {
		if len(g) > 0 && !slices.Contains(g, asked) {
			groups = append(groups, g)
		}
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
	gone := slices.Concat(groups...)
	slices.Sort(gone)
	for i, m := range r.Conversation.Messages {
		if _, dropped := slices.BinarySearch(gone, i); !dropped {
			left = append(left, m)
		}
	}
	r.Conversation.Messages = left
	return r
}
