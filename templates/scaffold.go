package templates

import (
	"regexp"
	"strings"

	"tenon/templates/jinja"
	"tenon/templates/schema"
)

// fold tells tools, calls and results in one of tenon's own protocols, as text that any template
// can show: the definitions in the system message, calls as the model would have written them,
// results in the user's turns.
func fold(h *healing) {
	if h.protocol == Native {
		return
	}
	if h.tools != nil {
		rules := h.tools.listing + h.wording.rules(h.protocol)
		if h.guided {
			rules += h.examples.String() // an own protocol has no markers
		}
		h.addSystem(rules)
	}
	h.tools = nil
	var out []turn
	for i := 0; i < len(h.turns); i++ {
		t := h.turns[i]
		n := len(t.Calls)
		if n == 0 {
			out = append(out, t)
			continue
		}
		h.note(ruleFold, t.index, string(h.protocol))
		results := h.turns[i+1 : i+1+n]
		out = append(out, calls(h.protocol, t), answers(h.protocol, results))
		i += n
	}
	h.turns = out
}

// addSystem puts text behind the client's own system text, or in a message of its own before
// everything.
func (h *healing) addSystem(text string) {
	if h.leading() == 0 {
		h.insert(0, turn{Message: Message{Role: System, Text: text}, index: 0})
		return
	}
	first := &h.turns[0]
	if first.more != nil {
		first.more = jinja.Concat(first.more, ours("\n\n"+text))
		return
	}
	first.Text = strings.TrimLeft(strings.TrimRight(first.Text, "\n")+"\n\n"+text, "\n")
}

// listing tells a model the tools that there are.
func listing(tools []Tool) string {
	var b strings.Builder
	b.WriteString("# Tools\n\nYou can call these tools (name, arguments with their types, ? marks what may be left out):\n\n")
	for _, t := range tools {
		b.WriteString(schema.Signature(t.Name, t.Description, t.Parameters))
		b.WriteByte('\n')
	}
	return b.String()
}

// Wording replaces what models are told about calling tools, for those that understand other words
// better. What is "" is told as usual.
type Wording struct {
	// %NAMES% are the tools' names
	Guidance string `json:"guidance,omitempty" yaml:"guidance"`
	// how to call in tenon's JSON format
	JSON string `json:"json,omitempty" yaml:"json"`
	// how to call in the ReAct format
	ReAct string `json:"react,omitempty" yaml:"react"`
}

// rules tell how to call in an own protocol; they stand behind the list of tools.
func (w Wording) rules(p Protocol) string {
	own := map[Protocol]string{JSON: w.JSON, ReAct: w.ReAct}[p]
	if own == "" {
		return protocolRules[p]
	}
	return "\n" + strings.TrimSpace(own)
}

// protocolRules tell it how to call them.
var protocolRules = map[Protocol]string{JSON: jsonRules, ReAct: reactRules, XML: xmlRules}

const jsonRules = `
To call a tool, end your reply with one JSON object on a line of its own and write nothing after it:
{"tool": NAME, "arguments": {...}}
The result comes with the next message. Rules:
- Use a tool's exact name, and only the tools listed.
- Give every required argument, with the right type, and none that is not listed.
- If a required value is unknown, ask the user instead of guessing.
- If no tool is needed, answer in plain text without such an object.`

const xmlRules = `
To call a tool, end your reply with one call between tags and write nothing after it:
<tool_call>
{"name": NAME, "arguments": {...}}
</tool_call>
The result comes with the next message. Rules:
- Use a tool's exact name, and only the tools listed.
- Give every required argument, with the right type, and none that is not listed.
- If a required value is unknown, ask the user instead of guessing.
- If no tool is needed, answer in plain text without such tags.`

const reactRules = `
Reply in this form, one step at a time:
Thought: what you need to find out or do next
Action: the name of one tool
Action Input: its arguments as one JSON object
Then stop and wait: the result comes with the next message as
Observation: the result
When you know the answer, reply instead with
Thought: why you are done
Final Answer: the answer to the user
Rules:
- Exactly one Action in a reply. Stop after Action Input; never write an Observation yourself.
- Use a tool's exact name, and only the tools listed.
- Action Input is valid JSON with every required argument, the right types, and none that is not listed.
- If a required value is unknown, ask for it in a Final Answer instead of guessing.`

// calls tells an assistant's turn with calls as text.
func calls(p Protocol, t turn) turn {
	var lines []string
	if p == ReAct {
		thought := t.Text
		if thought == "" {
			thought, t.Reasoning = t.Reasoning, ""
		}
		if thought != "" {
			lines = append(lines, "Thought: "+indentSteps(thought))
		}
		for _, c := range t.Calls {
			lines = append(lines, "Action: "+c.Name, "Action Input: "+c.Arguments)
		}
	} else {
		if t.Text != "" {
			lines = append(lines, t.Text, "")
		}
		for _, c := range t.Calls {
			lines = append(lines, object(p, c))
		}
	}
	t.Text, t.Calls = strings.Join(lines, "\n"), nil
	return t
}

// object is a call as one JSON object.
func object(p Protocol, c Call) string {
	if p == XML {
		return "<tool_call>\n" + `{"name": ` + schema.Quote(c.Name) + `, "arguments": ` + c.Arguments + `}` + "\n</tool_call>"
	}
	return `{"tool": ` + schema.Quote(c.Name) + `, "arguments": ` + c.Arguments + `}`
}

// answers tells results as a user's turn.
func answers(p Protocol, results []turn) turn {
	texts := make([]string, len(results))
	for i, r := range results {
		intro := "Result of " + r.Name + ":\n"
		if r.Failed {
			intro = "Error from " + r.Name + ":\n"
		}
		if p == ReAct {
			intro = "Observation: "
			if r.Failed {
				intro = "Observation: error: "
			}
		}
		texts[i] = intro + indentSteps(r.Text)
	}
	return turn{Message: Message{Role: User, Text: strings.Join(texts, "\n\n")}, index: results[0].index}
}

// steps are what lines begin with in ReAct.
var steps = regexp.MustCompile(`(?m)^(Thought|Action|Action Input|Observation|Final Answer)[ \t]*:`)

// indentSteps keeps text from posing as a step of the protocol: such a line is indented by one
// space.
func indentSteps(s string) string { return steps.ReplaceAllString(s, " $0") }
