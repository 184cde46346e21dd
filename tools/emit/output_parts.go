package emit

import (
	"fmt"
	"strings"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/tools/declared"
	"tenon/tools/turn"
)

// The captures of a turn's grammar: what output writes, parse.Captures reads.
const (
	CaptureThinking = "thinking"
	CaptureContent  = "content"
	CaptureMark     = "mark" // of visible text: white space beside it is layout
	CaptureStop     = "stop" // a stop string that ends visible text
	CaptureCall     = "call" // all of a call
	CaptureName     = "name" // of a tool; the call begins behind it
	CaptureArgs     = "args" // arguments that are one JSON object
	// arguments that have places of their own; text that is in none of the next is layout
	CaptureMembers = "members"
	// one argument; member-K is that of the tool's K-th property, without a number its key is
	// in it
	CaptureMember = "member"
	CaptureKey    = "key"  // a key as plain text
	CaptureText   = "text" // a string as plain text
	CaptureJSON   = "json" // a value, or a part of one, as JSON
	CaptureTrue   = "true" // a word for the value
	CaptureFalse  = "false"
	CaptureNull   = "null"
	CaptureField  = "field"  // a value as text that the schema has to read
	CaptureTree   = "tree"   // a value as elements
	CaptureInput  = "input"  // the text of a free-form tool
	CaptureQuoted = "quoted" // the same, as it stands inside a JSON string
)

// messages is the output of a family whose messages have headers: thinking, then one message that
// is text or a call.
func (w *output) messages() string {
	h := w.Dialect.Headers
	next := w.lit(h.Between)
	var last []string
	if calls := w.headerCalls(); calls != "" {
		last = append(last, calls, w.preamble(seq(next, calls)))
	}
	if w.Turn.Choice.Mode != turn.Required || len(last) == 0 {
		last = append(last, seq(w.lit(h.Text), w.content(w.openers())))
	}
	thought := seq(capture(CaptureThinking, w.text(h.Between)), next)
	switch {
	case w.Routed():
		return seq(w.lit(h.Thought), w.route(), next, alt(last))
	case w.Turn.Thinking.Open:
		return seq(thought, alt(last))
	case w.Turn.Thinking.Off:
		return alt(last)
	}
	return seq("( "+seq(w.lit(h.Thought), thought)+" )?", alt(last))
}

// preamble is a message of text before calls. Where a call must come, no stop string may keep it
// from coming.
func (w *output) preamble(calls string) string {
	h := w.Dialect.Headers
	after := []string{calls}
	if w.Turn.Choice.Mode != turn.Required {
		after = append(after, w.stopped()...)
	}
	text := w.text(append([]string{h.Between}, w.Turn.Stops...)...)
	return seq(w.lit(h.Preamble), capture(CaptureContent, text), alt(after))
}

// headerCalls is a message to one of the tools.
func (w *output) headerCalls() string {
	if w.Dialect.Headers.Anyone {
		calls := w.calls()
		if calls == "" {
			return ""
		}
		return seq(w.lit(" to="), `[a-zA-Z0-9_.-]{1,120}`, w.lit(w.Dialect.Headers.Close), calls)
	}
	h := w.Dialect.Headers
	var all []string
	for _, i := range w.called {
		t := &w.Tools[i]
		all = append(all, w.rule(fmt.Sprintf("tool-%d", i), func() string {
			before, after, _ := strings.Cut(h.Call, "%s")
			body := w.args(t, i)
			if t.Freeform != nil {
				body = w.input(t, h.Between)
			}
			return seq(w.lit(before), capture(CaptureCall, seq(name(t), w.lit(after), body)))
		}))
	}
	if len(all) == 0 {
		return ""
	}
	return alt(all)
}

// steps is the output of a family that labels what it writes.
func (w *output) steps() string {
	const thought, final = "Thought:", "Final Answer:"
	action := w.Dialect.UnmarkedStarts[0].Text
	calls := w.calls()
	var last []string
	if calls != "" {
		last = append(last, calls)
	}
	if w.Turn.Choice.Mode != turn.Required || calls == "" {
		last = append(last, seq(w.lit(final), `" "?`, w.content([]string{"\n" + action, "\nObservation"})))
	}
	if w.Routed() {
		return seq(w.lit(thought), `" "`, w.route(), `"\n"`, alt(last))
	}
	think := seq(w.lit(thought), capture(CaptureThinking, w.text("\n"+action, "\n"+final, "\nObservation")), `"\n"`)
	return seq("( "+think+" )?", alt(last))
}

// led is the output after a prompt that ends with the mark of a section: its name follows, text
// being one of them.
func (w *output) led() string {
	d := w.Dialect
	mark := d.Lead
	name, _ := strings.CutPrefix(d.Text[0], mark)
	calls := ""
	if len(w.called) > 0 {
		calls = w.several(w.lit(mark))
	}
	switch {
	case calls == "":
		return seq(w.lit(name), w.content([]string{mark}))
	case w.Turn.Choice.Mode == turn.Required:
		return calls
	case w.Turn.Answer != nil:
		return alt([]string{calls, seq(w.lit(name), w.content(nil))})
	}
	return alt([]string{calls, seq(w.lit(name), w.textThen(seq(w.lit(mark), calls), []string{mark}))})
}

// embedded takes a client's grammar over.
func (w *output) embedded(src string) string {
	g, err := gbnf.Read(src)
	if err != nil { // Plan has refused it
		return "%text"
	}
	return w.adopt(g, "answer-")
}

// A model that was not taught to think calls better if it first says in a few words which tool it
// means and with what (research: a small one 44 → 69 % right with 16 tokens of such a thought, 25
// % with 256: it has to be short). The thought is one line at the start of the turn,
//
//	Function: get_weather. Key arguments: city Rome, two days
//
// whose name is one of those that can be called, or none where a call is not demanded. Then comes
// the turn as ever. A family that thinks in messages or in steps says it in one of those.

// routingNone is what stands in place of a name where the turn will call nothing.
const routingNone = "none"

// route is the routing thought, captured. It holds nothing that begins a call or a marker.
func (w *output) route() string {
	var names []string
	for _, i := range w.called {
		names = append(names, grammar.Quote(w.Tools[i].Prompt))
	}
	if w.Turn.Choice.Mode != turn.Required {
		names = append(names, grammar.Quote(routingNone))
	}
	words := "[^\\n{}<>`|｜\\[\\]]{0,400}"
	return capture(CaptureThinking, seq(`"Function: "`, alt(names), `". Key arguments: "`, words))
}

// input captures the text of a free-form tool as it is, up to one of some markers.
func (w *output) input(t *declared.Tool, ends ...string) string {
	switch {
	case t.Text == nil:
		return capture(CaptureInput, w.until(ends...))
	case t.Freeform.Syntax == "lark":
		return capture(CaptureInput, "%lark "+grammar.Quote(t.Freeform.Definition))
	}
	return capture(CaptureInput, "%regex "+grammar.Quote(t.Freeform.Definition))
}

// quotedInput captures the text of a free-form tool inside a JSON string.
func (w *output) quotedInput(t *declared.Tool, i int) string {
	switch {
	case t.Text == nil:
		return capture(CaptureQuoted, `%quoted "[\\s\\S]*"`)
	case t.Freeform.Syntax == "lark":
		return capture(CaptureQuoted, w.adopt(t.Quoted, fmt.Sprintf("tool-%d-input-", i)))
	}
	return capture(CaptureQuoted, "%quoted "+grammar.Quote(t.Freeform.Definition))
}

// adopt takes the rules of a grammar over under names of their own and returns its root's.
func (w *output) adopt(g *gbnf.Grammar, prefix string) string {
	renamed := &gbnf.Grammar{Root: g.Root, Rules: make([]gbnf.Rule, len(g.Rules))}
	for i, r := range g.Rules {
		renamed.Rules[i] = gbnf.Rule{Name: prefix + fmt.Sprint(i), Node: r.Node}
	}
	w.rules.WriteString(gbnf.Write(renamed))
	return renamed.Rules[g.Root].Name
}

// plain is the text of a property up to one of some markers, its schema applied to the text.
func (w *output) plain(p declared.Property, ends ...string) string {
	if p.Free {
		return capture(CaptureText, w.until(ends...))
	}
	text := "%plain" + strings.TrimPrefix(grammar.JSON(p.Schema, grammar.SchemaOptions{Tool: p.Tool, Lenient: true}), "%json")
	if markers, ok := strings.CutPrefix(w.until(ends...), "%until"); ok {
		text += markers
	}
	return capture(CaptureText, text)
}

// members writes the arguments of a tool in any order, sep between them; "" if none is declared.
func (w *output) members(t *declared.Tool, i int, sep string, item func(declared.Property) string) string {
	if len(t.Members) == 0 {
		return ""
	}
	parts := []string{grammar.Quote(sep)}
	for k, p := range t.Members {
		part := w.rule(fmt.Sprintf("tool-%d-arg-%d", i, k), func() string { return item(p) })
		if !p.Required {
			part += "?"
		}
		parts = append(parts, part)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}

// argument captures the value of a property.
func argument(p declared.Property, value string) string {
	if p.Kind == declared.KindInput {
		return value
	}
	return capture(fmt.Sprintf("%s-%d", CaptureMember, p.Place), value)
}
