package tools

import (
	"fmt"
	"strings"

	"tenon/grammar/gbnf"
)

// messages is the output of a family whose messages have headers: thinking, then one message that is text or a call.
func (w *output) messages() string {
	h := w.dialect.headers
	next := w.lit(h.between)
	var last []string
	if calls := w.headerCalls(); calls != "" {
		last = append(last, calls, w.preamble(seq(next, calls)))
	}
	if w.turn.Choice.Mode != Required || len(last) == 0 {
		last = append(last, seq(w.lit(h.text), w.content(w.openers())))
	}
	thought := seq(capture(captureThinking, w.text(h.between)), next)
	switch {
	case w.routed():
		return seq(w.lit(h.thought), w.route(), next, alt(last))
	case w.turn.Thinking.Open:
		return seq(thought, alt(last))
	case w.turn.Thinking.Off:
		return alt(last)
	}
	return seq("( "+seq(w.lit(h.thought), thought)+" )?", alt(last))
}

// preamble is a message of text before calls. Where a call must come, no stop string may keep it from coming.
func (w *output) preamble(calls string) string {
	h := w.dialect.headers
	after := []string{calls}
	if w.turn.Choice.Mode != Required {
		after = append(after, w.stopped()...)
	}
	text := w.text(append([]string{h.between}, w.turn.Stops...)...)
	return seq(w.lit(h.preamble), capture(captureContent, text), alt(after))
}

// headerCalls is a message to one of the tools.
func (w *output) headerCalls() string {
	if w.dialect.headers.anyone {
		calls := w.calls()
		if calls == "" {
			return ""
		}
		return seq(w.lit(" to="), `[a-zA-Z0-9_.-]{1,120}`, w.lit(w.dialect.headers.close), calls)
	}
	h := w.dialect.headers
	var all []string
	for _, i := range w.called {
		t := &w.tools[i]
		all = append(all, w.rule(fmt.Sprintf("tool-%d", i), func() string {
			before, after, _ := strings.Cut(h.call, "%s")
			body := w.args(t, i)
			if t.Freeform != nil {
				body = w.input(t, h.between)
			}
			return seq(w.lit(before), capture(captureCall, seq(name(t), w.lit(after), body)))
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
	action := w.dialect.cues[0].text
	calls := w.calls()
	var last []string
	if calls != "" {
		last = append(last, calls)
	}
	if w.turn.Choice.Mode != Required || calls == "" {
		last = append(last, seq(w.lit(final), `" "?`, w.content([]string{"\n" + action, "\nObservation"})))
	}
	if w.routed() {
		return seq(w.lit(thought), `" "`, w.route(), `"\n"`, alt(last))
	}
	think := seq(w.lit(thought), capture(captureThinking, w.text("\n"+action, "\n"+final, "\nObservation")), `"\n"`)
	return seq("( "+think+" )?", alt(last))
}

// led is the output after a prompt that ends with the mark of a section: its name follows, text being one of them.
func (w *output) led() string {
	d := w.dialect
	mark := d.lead
	name, _ := strings.CutPrefix(d.text[0], mark)
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
		if w.turn.Parallel && !d.oneCall {
			calls = seq(one, "( "+seq(w.lit(mark), one)+" )*")
		}
	}
	switch {
	case calls == "":
		return seq(w.lit(name), w.content([]string{mark}))
	case w.turn.Choice.Mode == Required:
		return calls
	case w.turn.Answer != nil:
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
