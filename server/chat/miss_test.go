package chat

import (
	"strings"
	"testing"

	"tenon/engine"
	"tenon/templates"
)

// Whatever differs between two conversations, the miss names who wrote it.
func TestMiss_namesWhatMoved(t *testing.T) {
	base := func() templates.Conversation {
		return templates.Conversation{
			Messages: []templates.Message{
				{Role: templates.System, Text: "Today is Monday."}, {Role: templates.User, Text: "What is the weather in Paris?"},
				{Role: templates.Assistant, Text: "Let me see."}, {Role: templates.User, Text: "And in Rome?"},
			},
			Tools: []templates.Tool{
				{Name: "get_weather", Description: "Tells the weather.", Parameters: []byte(`{"type":"object"}`)},
				{Name: "get_time", Description: "Tells the time.", Parameters: []byte(`{"type":"object"}`)},
			},
		}
	}
	template, err := templates.Parse("{% for t in tools %}{{ t | tojson }}\n{% endfor %}{% for m in messages %}<|{{ m.role }}|>"+
		"{{ m.content }}{% for c in m.tool_calls %}<tool_call>{{ c.function | tojson }}</tool_call>{% endfor %}\n{% endfor %}<|assistant|>", templates.Options{})
	if err != nil {
		t.Fatal(err)
	}
	render := func(c templates.Conversation) templates.Rendering {
		r, err := template.Render(c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := render(base())
	for _, c := range []struct {
		where, part string
		change      func(*templates.Conversation)
	}{
		{"message 0 (text)", "system", func(c *templates.Conversation) { c.Messages[0].Text = "Today is Friday." }},
		{"message 1 (text)", "history", func(c *templates.Conversation) { c.Messages[1].Text = "What is the weather in Bonn?" }},
		{"message 2 (text)", "history", func(c *templates.Conversation) { c.Messages[2].Text = "I shall look." }},
		{"message 3 (text)", "latest", func(c *templates.Conversation) { c.Messages[3].Text = "And in Oslo?" }},
		{"tool get_time", "tools", func(c *templates.Conversation) { c.Tools[1].Description = "Shows the time." }},
		{"tool get_weather", "tools", func(c *templates.Conversation) { c.Tools[0].Description = "Shows the weather." }},
	} {
		conversation := base()
		c.change(&conversation)
		now := render(conversation)
		m := &engine.Miss{Bytes: sameBytes(before.String(), now.String())}
		if got := missIn(now, conversation, m); got.Where != c.where || got.Part != c.part {
			t.Errorf("%s, %s; not %s, %s; behind %q", got.Where, got.Part, c.where, c.part, now.String()[max(0, m.Bytes-30):m.Bytes])
		}
	}
	builtin, err := templates.Builtin{}.Render(base())
	if got := missIn(builtin, base(), &engine.Miss{Bytes: strings.Index(builtin.String(), "the time")}); err != nil || got.Where != "message 0 (text)" {
		t.Errorf("a tool shown by us: %s, %v", got.Where, err)
	}
	if got := missIn(before, base(), &engine.Miss{Bytes: len(before.String()) - 1}); got.Where != "template" {
		t.Errorf("behind all messages: %s", got.Where)
	}
	if got := missIn(templates.Rendering{}, base(), &engine.Miss{}); got.Where != "prompt" || missIn(before, base(), nil) != nil {
		t.Errorf("of a plain prompt: %s", got.Where)
	}
}

func sameBytes(a, b string) int {
	n := 0
	for n < len(a) && strings.HasPrefix(b, a[:n+1]) {
		n++
	}
	return n
}
