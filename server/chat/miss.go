package chat

import (
	"fmt"
	"slices"

	"tenon/engine"
	"tenon/templates"
)

// Miss is where a prompt leaves an earlier one of the caller's, and who wrote what differs.
type Miss struct {
	engine.Miss
	// "template", "prompt", "tool get_weather", or with its index from 0 "message 7 (text)"
	Where string `json:"where"`
	// template, prompt, tools, system, history or latest: for metrics
	Part string `json:"-"`
}

// missIn finds out who wrote what stands where a prompt differs: the part of the conversation that
// holds the place, or the next behind it. With what the template writes before a message the
// message begins. Tools that a template does not show are a part of the first message.
func missIn(r templates.Rendering, c templates.Conversation, m *engine.Miss) *Miss {
	if m == nil {
		return nil
	}
	out := &Miss{Miss: *m, Where: "template", Part: "template"}
	if len(r.Segments) == 0 {
		out.Where, out.Part = "prompt", "prompt"
	}
	at := 0
	for _, s := range r.Segments {
		at += len(s.Text)
		if at > m.Bytes && s.Kind == templates.Content && s.Field != templates.FieldArg {
			out.Where, out.Part = written(s, c)
			break
		}
	}
	return out
}

var fieldNames = map[templates.Field]string{
	templates.FieldText: "text", templates.FieldReasoning: "reasoning", templates.FieldCall: "calls", templates.FieldOther: "other",
}

func written(s templates.Segment, c templates.Conversation) (where, part string) {
	if s.Field == templates.FieldTool {
		return "tool " + shownTool(c.Tools, s.Message), "tools"
	}
	part = "history"
	switch {
	case s.Message == len(c.Messages)-1:
		part = "latest"
	case s.Message < len(c.Messages) && (c.Messages[s.Message].Role == templates.System || c.Messages[s.Message].Role == templates.Developer):
		part = "system"
	}
	return fmt.Sprintf("message %d (%s)", s.Message, fieldNames[s.Field]), part
}

// shownTool names the tool that stands so far back in a prompt: they are shown in the order of
// their names.
func shownTool(tools []templates.Tool, i int) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}
