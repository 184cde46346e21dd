package emit

import (
	"fmt"
	"strings"

	"tenon/grammar/gbnf"
	"tenon/tools/turn"
)

// messages is the output of a family whose messages have headers: thinking, then one message that is text or a call.
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

// preamble is a message of text before calls. Where a call must come, no stop string may keep it from coming.
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
	action := w.Dialect.Cues[0].Text
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

// led is the output after a prompt that ends with the mark of a section: its name follows, text being one of them.
func (w *output) led() string {
	d := w.Dialect
	mark := d.Lead
	name, _ := strings.CutPrefix(d.Text[0], mark)
	calls := ""
	if len(w.called) > 0 {
		one := w.rule("call", func() string {
			var all []string
			for _, i := range w.called {
				all = append(all, w.tool(i))
			}
			return alt(all)
		})
		calls = one
		if w.Turn.Parallel && !d.OneCall {
			calls = seq(one, "( "+seq(w.lit(mark), one)+" )*")
		}
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
