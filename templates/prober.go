package templates

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tenon/templates/canonical"
	"tenon/templates/jinja"
)

// prober renders canonical conversations with a template that is not trusted yet and notes what it
// does.
type prober struct {
	t      *Template
	form   form
	source string
	found  Probe
	marks  map[string]bool // what looks like a marker in what the template wrote
	spent  int             // trials that ran into a limit
}

// Limits of one trial. A template that needs more for a handful of words is of no use.
var trialLimits = jinja.Limits{Steps: 500_000, Output: 1 << 20}

// trial is a conversation to try, after healing.
type trial struct {
	turns []turn
	tools *toolSet
	args  []arg
	open  bool // with the generation prompt
	now   time.Time
}

// sample is a trial's outcome.
type sample struct {
	jinja.Output
	err error
}

func (p *prober) try(t trial) sample {
	if p.spent > 1 {
		return sample{err: jinja.ErrLimit}
	}
	for i := range t.turns {
		t.turns[i].index = i
	}
	if t.now.IsZero() {
		t.now = time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)
	}
	vars, err := p.t.variables(p.form, &healing{turns: t.turns, tools: t.tools, args: t.args, closed: !t.open, now: t.now})
	if err != nil {
		return sample{err: err}
	}
	out, err := p.t.source.Render(vars, jinja.Options{Now: t.now, Limits: trialLimits})
	if errors.Is(err, jinja.ErrLimit) {
		p.spent++
	}
	p.collectMarkers(out)
	return sample{out, err}
}

// shows says whether a message's field is in the prompt.
func (s sample) shows(message int, f Field) bool { return s.at(message, f) >= 0 }

// at is where a message's field stands in the prompt, -1 if nowhere.
func (s sample) at(message int, f Field) int {
	for _, span := range s.Spans {
		if span.Origin == origin(message, f) {
			return int(span.Start)
		}
	}
	return -1
}

// all says whether every message's text is in the prompt, in order.
func (s sample) all(messages ...int) bool {
	last := -1
	for _, m := range messages {
		at := s.at(m, FieldText)
		if at <= last {
			return false
		}
		last = at
	}
	return s.err == nil
}

// has says whether the prompt holds all the texts.
func (s sample) has(texts ...string) bool {
	for _, t := range texts {
		if !strings.Contains(s.Text, t) {
			return false
		}
	}
	return s.err == nil
}

func say(r Role, text string) turn { return turn{Message: Message{Role: r, Text: text}} }

func user(n int) turn      { return say(User, fmt.Sprintf("zquser%d", n)) }
func assistant(n int) turn { return say(Assistant, fmt.Sprintf("zqassistant%d", n)) }
func system(n int) turn    { return say(System, fmt.Sprintf("zqsystem%d", n)) }

func calling(text string, calls ...Call) turn {
	return turn{Message: Message{Role: Assistant, Text: text, Calls: calls}}
}

func result(of Call, text string) turn {
	return turn{Message: Message{Role: ToolRole, Text: text, CallID: of.ID, Name: of.Name}}
}

// run tries everything. An error means that the template is of no use.
func (p *prober) run() error {
	if err := p.plain(); err != nil {
		return err
	}
	p.systems()
	p.calls()
	p.tools()
	p.roles()
	p.thinking()
	p.prompts()
	p.switches()
	p.evidence()
	p.found.Described = p.described()
	p.found.silent = p.silent()
	p.found.UnknownMarkers = p.unknown()
	return nil
}

// plain tries a single user's message: without tools in the two ways there are, and with the
// variables that some templates take them by.
func (p *prober) plain() error {
	var first error
	for _, p.form = range []form{{}, {EmptyTools: true}, {Functions: true}} {
		s := p.try(trial{turns: []turn{user(1)}, open: true})
		if s.err == nil && !s.shows(0, FieldText) {
			s.err = errors.New("it does not show what a user says")
		}
		if s.err == nil {
			return nil
		}
		if first == nil {
			first = s.err
		}
	}
	return first
}

func (p *prober) systems() {
	f := &p.found
	f.System = SystemNone
	if !p.try(trial{turns: []turn{system(0), user(1)}, open: true}).shows(0, FieldText) {
		return
	}
	f.System = SystemFirst
	f.SystemMany = p.try(trial{turns: []turn{system(0), system(1), user(2)}, open: true}).all(0, 1, 2)
	late := p.try(trial{turns: []turn{system(0), user(1), assistant(2), system(3), user(4)}, open: true})
	if late.all(0, 1, 2, 3, 4) {
		f.System = SystemAnywhere
	}
	developer := []turn{say(Developer, "zqdeveloper"), user(1)}
	unknown := []turn{say("zqrole", "zqdeveloper"), user(1)}
	d, u := p.try(trial{turns: developer, open: true}), p.try(trial{turns: unknown, open: true})
	f.Developer = d.shows(0, FieldText) && (u.err != nil || strings.ReplaceAll(u.Text, "zqrole", "developer") != d.Text)
}

// roles tries orders of turns that some templates refuse.
func (p *prober) roles() {
	f := &p.found
	refuses := func(turns ...turn) bool { return p.try(trial{turns: turns, open: true}).err != nil }
	f.Alternation = refuses(user(0), user(1)) || refuses(user(0), assistant(1), assistant(2), user(3))
	if f.Calls != CallsNone {
		c := p.call(1, `{}`)
		f.Alternation = f.Alternation || refuses(user(0), calling("", c), result(c, canonical.Result), user(3))
	}
	first := p.try(trial{turns: []turn{assistant(0), user(1)}, open: true})
	f.UserFirst = !first.all(0, 1) || f.Tools == ToolsFirstUser
	f.UserNeeded = refuses(assistant(0)) || f.System != SystemNone && (refuses(system(0)) || refuses(system(0), assistant(1))) ||
		f.Tools == ToolsFirstUser || f.Tools == ToolsLastUser
}

// prompts notes how the assistant's turn opens and closes.
func (p *prober) prompts() {
	f := &p.found
	f.GenerationPrompt = p.opening(user(0))
	if f.Calls != CallsNone {
		c := p.call(1, `{}`)
		f.AfterResult = p.opening(user(0), calling("", c), result(c, canonical.Result))
	}
	f.PrefilledThought = f.opensThinking(f.GenerationPrompt)
	answer := p.try(trial{turns: []turn{user(0), assistant(1)}})
	if at := answer.at(1, FieldText); at >= 0 {
		f.TurnEnd = answer.Text[at+len(assistant(1).Text):]
	}
	f.Dates = p.differs(trial{now: time.Date(2031, 11, 28, 1, 2, 3, 0, time.UTC)}, trial{})
	if trimmed := p.try(trial{turns: []turn{say(User, " zq ")}}); !trimmed.has(" zq ") {
		f.Drops = append(f.Drops, "white space around messages")
	}
}

// opening is what the generation prompt adds to a conversation.
func (p *prober) opening(turns ...turn) string {
	open, closed := p.try(trial{turns: turns, open: true}), p.try(trial{turns: turns})
	if open.err != nil {
		return ""
	}
	if open.Text == closed.Text { // written always
		return tail(open.Output)
	}
	return open.Text[wholeMarker(open.Text, commonPrefix(open.Text, closed.Text)):]
}

// differs says whether two trials of the plainest conversation give different prompts.
func (p *prober) differs(a, b trial) bool {
	a.turns, b.turns = []turn{user(0)}, []turn{user(0)}
	a.open, b.open = true, true
	return p.try(a).Text != p.try(b).Text
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
