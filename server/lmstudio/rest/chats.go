package rest

import (
	"slices"
	"sync"

	"tenon/templates"
)

// mostChats is how many bytes of chats are kept; the oldest go first.
const mostChats = 64 << 20

// chats are stored answers, each with the conversation up to it: any of them can be gone on from.
type chats struct {
	mu    sync.Mutex // guards what follows
	kept  []storedChat
	bytes int
}

type storedChat struct {
	id, owner string // whoever asked; nobody else sees it
	messages  []templates.Message
	size      int
}

func (c *chats) put(id, owner string, messages []templates.Message) {
	s := storedChat{id: id, owner: owner, messages: messages}
	for _, m := range messages {
		s.size += len(m.Content()) + len(m.Reasoning)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, s)
	for c.bytes += s.size; c.bytes > mostChats && len(c.kept) > 1; c.kept = c.kept[1:] {
		c.bytes -= c.kept[0].size
	}
}

func (c *chats) get(id, owner string) ([]templates.Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.kept, func(s storedChat) bool { return s.id == id && s.owner == owner })
	if i < 0 {
		return nil, false
	}
	return slices.Clone(c.kept[i].messages), true
}
