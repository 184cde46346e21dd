package rest

import (
	"slices"

	"tenon/server/chat/owned"
	"tenon/templates"
)

// mostChats bounds the stored chats.
var mostChats = owned.Size{Entries: 10_000, Bytes: 64 << 20}

// chats are stored answers, each with the conversation up to it: any of them can be gone on from,
// by whoever asked.
type chats struct {
	kept *owned.Table[string, []templates.Message]
}

func newChats() chats { return chats{owned.New[string, []templates.Message](mostChats)} }

func (c chats) put(id, owner string, messages []templates.Message) {
	size := 0
	for _, m := range messages {
		size += len(m.Content()) + len(m.Reasoning)
		for _, call := range m.Calls {
			size += len(call.Arguments)
		}
	}
	c.kept.Put(owner, id, messages, size)
}

func (c chats) get(id, owner string) ([]templates.Message, bool) {
	messages, ok := c.kept.Get(owner, id)
	return slices.Clone(messages), ok
}
