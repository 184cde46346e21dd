package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/plan"
	"tenon/tools/turn"
)

// output writes the grammar of a turn's whole output in extended GBNF (package grammar): optional
// thinking, visible text, calls. captures.go lists its captures. Where a family's markers are
// tokens of the vocabulary they are special tokens in the grammar too, so that the same text in
// ordinary letters is something else.
type output struct {
	*plan.Plan
	rules  strings.Builder
	seen   map[string]bool
	called []int // callable tools
	// followed counts the lists and objects that the mask looks into where a family has a
	// notation of its own for those.
	followed int
}

// Grammar is the grammar of the plan's turn.
func Grammar(p *plan.Plan) string {
	w := &output{Plan: p, seen: map[string]bool{}}
	for i, t := range p.Tools {
		if t.Allowed {
			w.called = append(w.called, i)
		}
	}
	root := w.wholeTurn()
	return "root ::= " + root + "\n" + w.rules.String()
}

// rule adds a rule once and returns its name.
func (w *output) rule(name string, expr func() string) string {
	if !w.seen[name] {
		w.seen[name] = true
		fmt.Fprintf(&w.rules, "%s ::= %s\n", name, expr())
	}
	return name
}

func capture(name, expr string) string { return name + ":( " + expr + " )" }

func seq(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, " ")
}

func alt(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "( " + strings.Join(parts, " | ") + " )"
}

// lit writes text, its tokens of the vocabulary as such.
func (w *output) lit(text string) string {
	var parts []string
	from := 0
	for i := 0; i < len(text); {
		s := w.symbolAt(text[i:])
		if s == "" {
			i++
			continue
		}
		if from < i {
			parts = append(parts, grammar.Quote(text[from:i]))
		}
		parts = append(parts, "<["+s+"]>")
		i += len(s)
		from = i
	}
	if from < len(text) {
		parts = append(parts, grammar.Quote(text[from:]))
	}
	return seq(parts...)
}

// symbolAt is the longest token of the vocabulary that text starts with.
func (w *output) symbolAt(text string) string {
	best := ""
	for s := range w.Dialect.Symbols {
		if len(s) > len(best) && strings.HasPrefix(text, s) {
			best = s
		}
	}
	return best
}

// until is text before the first of some markers. A marker with a token in it cannot be spelled by
// text.
func (w *output) until(markers ...string) string {
	var spelt []string
	for _, m := range markers {
		if m == "" || strings.Contains(w.lit(m), "<[") {
			continue
		}
		spelt = append(spelt, grammar.Quote(m))
	}
	if len(spelt) == 0 {
		return "%text"
	}
	return "%until(" + strings.Join(slices.Compact(spelt), " | ") + ")"
}

// text is visible text or thinking up to one of some texts. None of the dialect's markers can be
// written in it.
func (w *output) text(ends ...string) string {
	all := append(slices.Clone(ends), w.Markers.All...)
	slices.Sort(all)
	return w.until(all...)
}

func (w *output) wholeTurn() string {
	if w.Dialect.Headers != nil {
		return w.messages()
	}
	if len(w.Dialect.Labels) > 0 {
		return w.steps()
	}
	if w.RoutedLine() {
		return seq(w.route(), `"\n"`, w.body())
	}
	return seq(w.think(), w.body())
}

// think is the part before visible text.
func (w *output) think() string {
	t, d := w.Turn.Thinking, w.Dialect
	if d.Think.Close == "" || !t.Open && (t.Off || d.Think.Open == "" || d.Thoughtless) {
		return ""
	}
	inside := seq(capture(CaptureThinking, w.text(d.Think.Close)), w.lit(d.Think.Close))
	if t.Open {
		return inside
	}
	return "( " + seq(`"\n"{0,2}`, w.lit(d.Think.Open), inside) + " )?"
}

// body is visible text and calls.
func (w *output) body() string {
	if w.Dialect.Lead != "" { // the prompt ends with the first mark of text or of a call
		return w.led()
	}
	calls := w.calls()
	switch {
	case calls == "":
		return w.content(w.openers())
	case w.Turn.Choice.Mode == turn.Required:
		return seq("[ \\n]{0,4}", calls)
	case w.Turn.Answer != nil:
		return alt([]string{w.content(nil), calls})
	}
	return w.textThen(seq(w.before(), calls), w.openers())
}

// content is visible text that ends the turn; it holds none of the markers before.
func (w *output) content(before []string) string {
	if w.Turn.Answer != nil {
		return capture(CaptureContent, w.answer())
	}
	return w.textThen("", before)
}

// textThen is visible text, behind which calls may come, or a stop string that ends the turn:
// nothing comes behind that.
func (w *output) textThen(calls string, before []string) string {
	text := w.visible(capture(CaptureContent, w.text(append(before, w.Turn.Stops...)...)))
	ends := w.stopped()
	if calls != "" {
		ends = append([]string{calls}, ends...)
	}
	if len(ends) == 0 {
		return text
	}
	return seq(text, alt(append([]string{`""`}, ends...)))
}

// visible puts the family's marks around visible text, all of them optional.
func (w *output) visible(text string) string {
	d := w.Dialect
	if len(d.Text) == 0 || d.Lead != "" {
		return text
	}
	var marks []string
	for _, m := range d.Text {
		marks = append(marks, w.lit(m))
	}
	mark := capture(CaptureMark, alt(marks))
	return seq(`( "\n"{0,2} `+mark+" )?", text, "( "+mark+` "\n"{0,2} )?`)
}

// before is what a family writes between text and the first call, where there is a marker in it.
func (w *output) before() string {
	text := strings.TrimSpace(w.Dialect.Layout.Before)
	if text == "" {
		return ""
	}
	return "( " + capture(CaptureMark, w.lit(text)) + ` "\n"{0,2} )?`
}

// pastStop is what a token that ends a stop string may go on with: the mask would else take the
// token from the model, and the answer would go another way than to its stop. The reader ends the
// turn there.
const pastStop = `[^\x00]{0,64}`

func (w *output) stopped() []string {
	var all []string
	for _, s := range w.Turn.Stops {
		if s != "" {
			all = append(all, seq(capture(CaptureStop, grammar.Quote(s)), pastStop))
		}
	}
	return all
}

// openers are the texts that begin calls, which visible text must not hold.
func (w *output) openers() []string {
	d := w.Dialect
	switch {
	case len(w.Tools) == 0:
		return nil
	case d.Fenced:
		word := ""
		if len(d.UnmarkedStarts) > 0 {
			word = d.UnmarkedStarts[0].Text
		}
		return []string{word + format.FenceOpen, word + "\n" + format.FenceOpen}
	case d.Section.Open != "" && !d.Unmarked:
		return []string{d.Section.Open}
	case d.Call.Open != "":
		return []string{d.Call.Open}
	case len(d.Syntaxes[0].Openers()) > 0:
		return d.Syntaxes[0].Openers()
	}
	all := []string{d.Section.Open}
	for _, t := range w.Tools { // those that may not be called now are no text either
		all = append(all, beginning(d.Syntaxes[0], t.Prompt))
	}
	return shortened(all)
}

// maxOpeners is how many bytes the texts that begin calls may have together: less than a terminal
// of package grammar takes.
const maxOpeners = 3 << 10

// shortened cuts texts that are too long together to beginnings that are not: visible text can
// then hold less, and never a call.
func shortened(all []string) []string {
	for n := turn.MaxName; len(strings.Join(all, "")) > maxOpeners; n = n * 3 / 4 {
		for i, s := range all {
			all[i] = strings.ToValidUTF8(s[:min(n, len(s))], "")
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

// calls is one call or several, "" where none is possible.
func (w *output) calls() string {
	if len(w.called) == 0 {
		return ""
	}
	d := w.Dialect
	open, between, end := writerOf(d).list()
	list := w.several(cmp.Or(between, w.lit(d.Layout.Between)))
	inside := w.lit(d.Layout.Section)
	start := ""
	if len(d.UnmarkedStarts) > 0 && d.Section.Open == "" && d.Call.Open == "" && !d.UnmarkedStarts[0].Bare {
		start = w.lit(d.UnmarkedStarts[0].Text)
	}
	list = seq(open, list, end)
	if d.Fenced {
		return seq(start, `"\n"?`, grammar.Quote(format.FenceOpen+"\n"), list, `"\n"?`, grammar.Quote(format.FenceMark))
	}
	marked := seq(w.lit(d.Section.Open), w.lit(d.Layout.Open), start, inside, list, inside, w.lit(d.Section.Close))
	if d.Unmarked {
		return alt([]string{marked, list})
	}
	return marked
}

// several is one call or, where the turn may have more, several with something between.
func (w *output) several(between string) string {
	d := w.Dialect
	one := w.rule("call", func() string {
		var all []string
		inside := w.lit(d.Layout.Call)
		end := seq(inside, w.lit(d.Call.Close))
		for _, i := range w.called {
			call := w.tool(i)
			if d.Late() {
				call = seq(call, end, check(&w.Tools[i]))
			}
			all = append(all, call)
		}
		if d.Late() {
			end = ""
		}
		return seq(w.lit(d.Call.Open), inside, alt(all), end)
	})
	if !w.Turn.Parallel || d.OneCall {
		return one
	}
	return seq(one, "( "+seq(between, one)+" )*")
}

// tool is a rule for the calls of one tool.
func (w *output) tool(i int) string {
	return w.rule(fmt.Sprintf("tool-%d", i), func() string {
		return capture(CaptureCall, writerOf(w.Dialect).write(w, &w.Tools[i], i))
	})
}

// name captures a tool's name.
func name(t *declared.Tool) string { return capture(CaptureName, grammar.Quote(t.Prompt)) }

// args captures a JSON object of arguments.
func (w *output) args(t *declared.Tool, i int) string {
	if t.Freeform != nil {
		return seq(grammar.Quote(`{"`+declared.InputKey+`": "`), w.quotedInput(t, i), grammar.Quote(`"}`))
	}
	return seq(capture(CaptureArgs, grammar.JSON(t.Wire, options(t))), check(t))
}

// places captures arguments that have places of their own.
func places(t *declared.Tool, body string) string {
	if t.Freeform != nil { // its text is captured, and all there is
		return body
	}
	if body == "" {
		body = `""`
	}
	return capture(CaptureMembers, body)
}

// check marks arguments that the mask enforces only partly.
func check(t *declared.Tool) string {
	if t.Held {
		return "%check"
	}
	return ""
}

func options(t *declared.Tool) grammar.SchemaOptions {
	o := declared.Compact
	o.Tool, o.Lenient = t.Name, true
	if t.Strict {
		o.Order = grammar.DeclaredOrder
	}
	return o
}

// answer is the client's own constraint on visible text. It is spelled as arguments are.
func (w *output) answer() string {
	a, o := w.Turn.Answer, declared.Compact
	switch a.Syntax {
	case "json_schema":
		o.Lenient = true
		return grammar.JSON([]byte(a.Definition), o)
	case "json_object":
		return grammar.JSON([]byte(`{"type":"object"}`), o)
	case "regex":
		return "%regex " + grammar.Quote(a.Definition)
	case "lark":
		return "%lark " + grammar.Quote(a.Definition)
	}
	return w.embedded(a.Definition)
}
