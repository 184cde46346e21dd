package emit

import (
	"fmt"
	"strings"

	"tenon/grammar"
	"tenon/tools/turn"
)

// Outputs that are more than text and calls behind it: messages with headers, labelled steps, and
// what goes on from a prompt that ends inside a mark; and the thought that names a tool first.

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
