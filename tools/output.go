package tools

import (
	"fmt"
	"slices"
	"strings"

	"tenon/grammar"
)

// output writes the grammar of a turn's whole output in extended GBNF (package grammar): optional thinking, visible text,
// calls. captures.go lists its captures. Where a family's markers are tokens of the vocabulary they are special tokens in
// the grammar too, so that the same text in ordinary letters is something else.
type output struct {
	*Plan
	rules      strings.Builder
	seen       map[string]bool
	containers map[*container]string // the rules of those that are shared
	called     []int                 // callable tools
}

// grammarText is the grammar of the plan's turn.
func (p *Plan) grammarText() string {
	w := &output{Plan: p, seen: map[string]bool{}, containers: map[*container]string{}}
	for i, t := range p.tools {
		if t.allowed {
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
	for s := range w.dialect.symbols {
		if len(s) > len(best) && strings.HasPrefix(text, s) {
			best = s
		}
	}
	return best
}

// until is text before the first of some markers. A marker with a token in it cannot be spelled by text.
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

// text is visible text or thinking up to one of some texts. None of the dialect's markers can be written in it.
func (w *output) text(ends ...string) string {
	all := append(slices.Clone(ends), w.markers.texts()...)
	slices.Sort(all)
	return w.until(all...)
}

func (w *output) wholeTurn() string {
	if w.dialect.headers != nil {
		return w.messages()
	}
	if len(w.dialect.labels) > 0 {
		return w.steps()
	}
	if w.routedLine() {
		return seq(w.route(), `"\n"`, w.body())
	}
	return seq(w.think(), w.body())
}

// think is the part before visible text.
func (w *output) think() string {
	t, d := w.turn.Thinking, w.dialect
	if d.think.close == "" || !t.Open && (t.Off || d.think.open == "" || d.thoughtless) {
		return ""
	}
	inside := seq(capture(captureThinking, w.text(d.think.close)), w.lit(d.think.close))
	if t.Open {
		return inside
	}
	return "( " + seq(`"\n"{0,2}`, w.lit(d.think.open), inside) + " )?"
}

// body is visible text and calls.
func (w *output) body() string {
	if w.dialect.lead != "" { // the prompt ends with the first mark of text or of a call
		return w.led()
	}
	calls := w.calls()
	switch {
	case calls == "":
		return w.content(w.openers())
	case w.turn.Choice.Mode == Required:
		return seq("[ \\n]{0,4}", calls)
	case w.turn.Answer != nil:
		return alt([]string{w.content(nil), calls})
	}
	return w.textThen(seq(w.before(), calls), w.openers())
}

// content is visible text that ends the turn; it holds none of the markers before.
func (w *output) content(before []string) string {
	if w.turn.Answer != nil {
		return capture(captureContent, w.answer())
	}
	return w.textThen("", before)
}

// textThen is visible text, behind which calls may come, or a stop string that ends the turn: nothing comes behind that.
func (w *output) textThen(calls string, before []string) string {
	text := w.visible(capture(captureContent, w.text(append(before, w.turn.Stops...)...)))
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
	d := w.dialect
	if len(d.text) == 0 || d.lead != "" {
		return text
	}
	var marks []string
	for _, m := range d.text {
		marks = append(marks, w.lit(m))
	}
	mark := capture(captureMark, alt(marks))
	return seq(`( "\n"{0,2} `+mark+" )?", text, "( "+mark+` "\n"{0,2} )?`)
}

// before is what a family writes between text and the first call, where there is a marker in it.
func (w *output) before() string {
	text := strings.TrimSpace(w.dialect.layout.before)
	if text == "" {
		return ""
	}
	return "( " + capture(captureMark, w.lit(text)) + ` "\n"{0,2} )?`
}

// pastStop is what a token that ends a stop string may go on with: the mask would else take the token from the model, and the
// answer would go another way than to its stop. The reader ends the turn there.
const pastStop = `[^\x00]{0,64}`

func (w *output) stopped() []string {
	var all []string
	for _, s := range w.turn.Stops {
		if s != "" {
			all = append(all, seq(capture(captureStop, grammar.Quote(s)), pastStop))
		}
	}
	return all
}

// openers are the texts that begin calls, which visible text must not hold.
func (w *output) openers() []string {
	d := w.dialect
	switch {
	case len(w.tools) == 0:
		return nil
	case d.fenced:
		return []string{d.cues[0].text + fenceOpen, d.cues[0].text + "\n" + fenceOpen}
	case d.section.open != "" && !d.unmarked:
		return []string{d.section.open}
	case d.call.open != "":
		return []string{d.call.open}
	case len(d.codecs[0].openers()) > 0:
		return d.codecs[0].openers()
	}
	all := []string{d.section.open}
	for _, t := range w.tools { // those that may not be called now are no text either
		all = append(all, d.codecs[0].begins(t.prompt)...)
	}
	return shortened(all)
}

// maxOpeners is how many bytes the texts that begin calls may have together: less than a terminal of package grammar takes.
const maxOpeners = 3 << 10

// shortened cuts texts that are too long together to beginnings that are not: visible text can then hold less, and never a call.
func shortened(all []string) []string {
	for n := maxName; len(strings.Join(all, "")) > maxOpeners; n = n * 3 / 4 {
		for i, s := range all {
			all[i] = strings.ToValidUTF8(s[:min(n, len(s))], "")
		}
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

// What stands around the JSON of a family that writes it in a code fence.
const (
	fenceOpen = "```json"
	fenceMark = "```"
)

// calls is one call or several, "" where none is possible.
func (w *output) calls() string {
	if len(w.called) == 0 {
		return ""
	}
	d := w.dialect
	one := w.rule("call", func() string {
		var all []string
		inside := w.lit(d.layout.call)
		end := seq(inside, w.lit(d.call.close))
		for _, i := range w.called {
			call := w.tool(i)
			if d.late() {
				call = seq(call, end, w.tools[i].check())
			}
			all = append(all, call)
		}
		if d.late() {
			end = ""
		}
		return seq(w.lit(d.call.open), inside, alt(all), end)
	})
	list := one
	open, between, end := d.codecs[0].list()
	if w.turn.Parallel && !d.oneCall {
		if between == "" {
			between = w.lit(d.layout.between)
		}
		list = seq(one, "( "+seq(between, one)+" )*")
	}
	inside := w.lit(d.layout.section)
	cue := ""
	if len(d.cues) > 0 && d.section.open == "" && d.call.open == "" && !d.cues[0].bare {
		cue = w.lit(d.cues[0].text)
	}
	list = seq(open, list, end)
	if d.fenced {
		return seq(cue, `"\n"?`, grammar.Quote(fenceOpen+"\n"), list, `"\n"?`, grammar.Quote(fenceMark))
	}
	marked := seq(w.lit(d.section.open), w.lit(d.layout.open), cue, inside, list, inside, w.lit(d.section.close))
	if d.unmarked {
		return alt([]string{marked, list})
	}
	return marked
}

// tool is a rule for the calls of one tool.
func (w *output) tool(i int) string {
	return w.rule(fmt.Sprintf("tool-%d", i), func() string {
		return capture(captureCall, w.dialect.codecs[0].write(w, &w.tools[i], i))
	})
}

// name captures a tool's name.
func name(t *declared) string { return capture(captureName, grammar.Quote(t.prompt)) }

// args captures a JSON object of arguments.
func (w *output) args(t *declared, i int) string {
	if t.Freeform != nil {
		return seq(grammar.Quote(`{"`+inputKey+`": "`), w.quotedInput(t, i), grammar.Quote(`"}`))
	}
	return seq(capture(captureArgs, grammar.JSON(t.wire, t.options())), t.check())
}

// places captures arguments that have places of their own.
func (t *declared) places(body string) string {
	if t.Freeform != nil { // its text is captured, and all there is
		return body
	}
	if body == "" {
		body = `""`
	}
	return capture(captureMembers, body)
}

// check marks arguments that the mask enforces only partly.
func (t *declared) check() string {
	if t.held {
		return "%check"
	}
	return ""
}

// late tells that only the marker around a call ends it: before it another argument may follow, and a %check mark must stand
// where there is no choice.
func (d *Dialect) late() bool {
	c, ok := d.codecs[0].(taggedCodec)
	return ok && c.callEnd == ""
}

// compact is what makes models least likely to loop: little white space, no endless numbers, no letters spelled as \u0061. A key
// that a schema does not speak of is one that the model made up, and the tool's function has no parameter for it.
var compact = grammar.SchemaOptions{Space: grammar.BoundedSpace, Escapes: grammar.CommonEscapes, Numbers: grammar.CanonicalNumbers, Extra: grammar.NoExtra}

func (t *declared) options() grammar.SchemaOptions {
	o := compact
	o.Tool, o.Lenient = t.Name, true
	if t.Strict {
		o.Order = grammar.DeclaredOrder
	}
	return o
}

// answer is the client's own constraint on visible text. It is spelled as arguments are.
func (w *output) answer() string {
	a, o := w.turn.Answer, compact
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
