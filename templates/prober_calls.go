package templates

import (
	"fmt"
	"strings"

	"tenon/templates/canonical"
	"tenon/templates/schema"
)

// Ids in OpenAI's form; the first nine letters of probeID alone are what strict templates demand.
const probeID = "call_zqid0000000000000000"

// call is the n-th canonical call, in the id format found so far.
func (p *prober) call(n int, arguments string) Call {
	c := Call{ID: fmt.Sprintf("%s%d", probeID, n), Name: canonical.Tool, Arguments: arguments}
	if n > 1 {
		c.Name = canonical.Other
	}
	switch p.found.IDs {
	case IDAlnum9:
		c.ID = alnum9(c.ID)
	case IDNamed, IDNamedTurn:
		c.ID = fmt.Sprintf("functions.%s:%d", c.Name, n-1)
	}
	return c
}

func argument(key, value string) string { return fmt.Sprintf(`{"%s":"%s"}`, key, value) }

// calls finds the form in which the template shows calls, by trying all.
func (p *prober) calls() {
	f := &p.found
	f.IDs = IDUnused
	if !p.findForm() {
		p.form = form{Functions: p.form.Functions}
		return
	}
	f.Calls, f.Arguments = CallsOne, "object"
	if p.form.StringArguments {
		f.Arguments = "string"
	}
	c1, c2 := p.call(1, argument("k", "zqv1")), p.call(2, argument("k", "zqv2"))
	r1, r2 := result(c1, "zqr1"), result(c2, "zqr2")
	if p.try(trial{turns: []turn{user(0), calling("", c1, c2), r1, r2}, open: true}).has("zqv1", "zqv2", "zqr1", "zqr2") {
		f.Calls = CallsMany
	}
	both := p.try(trial{turns: []turn{user(0), calling(canonical.Text, c1), r1}, open: true})
	f.CallsWithText = both.has("zqv1")
	if f.CallsWithText && !both.has(canonical.Text) {
		f.Drops = append(f.Drops, "text beside calls")
	}
	p.results(c1, r1)
}

// findForm looks for ids, arguments and empty content that the template takes and shows the call
// with.
func (p *prober) findForm() bool {
	for _, id := range []IDFormat{IDAny, IDAlnum9, IDNamed} {
		for _, empty := range []emptyForm{emptyString, emptyNone, emptyAbsent} {
			for _, text := range []bool{false, true} {
				p.found.IDs = id
				p.form.Empty, p.form.StringArguments = empty, text
				if p.showsCall(id) {
					return true
				}
			}
		}
	}
	p.found.IDs = IDUnused
	return false
}

// showsCall says whether the form in question shows a call as a model would write it: with its
// value, not as Python prints an object, not encoded twice.
func (p *prober) showsCall(id IDFormat) bool {
	c := p.call(1, argument(canonical.Key, canonical.Value))
	s := p.try(trial{turns: []turn{user(0), calling("", c), result(c, canonical.Result)}, open: true})
	if !s.has(canonical.Key, canonical.Value) || s.has("None") || s.has("'"+canonical.Key+"'") || s.has(`\"`+canonical.Key) {
		return false
	}
	switch {
	case !s.has(c.ID):
		if id != IDAlnum9 { // demanded, though not shown
			p.found.IDs = IDUnused
		}
	case id == IDAny && strings.Contains(s.Text[:s.at(2, FieldText)], "functions."+canonical.Tool+":0"):
		p.found.IDs = IDNamedTurn
	case id == IDAny && !s.has(canonical.Tool):
		return false // the name must be in the id
	}
	return s.has(canonical.Tool)
}

// results notes how a result says which call it answers.
func (p *prober) results(c Call, r turn) {
	s := p.try(trial{turns: []turn{user(0), calling("", c), r}, open: true})
	at := s.at(2, FieldText)
	if at < 0 {
		return
	}
	before := s.at(1, FieldCall)
	for _, span := range s.Spans {
		if span.Origin == origin(1, FieldCall) && int(span.End) <= at {
			before = int(span.End)
		}
	}
	p.found.Results = ResultsByOrder
	turn := s.Text[strings.Index(s.Text, "zqv1"):]
	switch {
	case before >= 0 && strings.Contains(turn, c.ID):
		p.found.Results = ResultsByID
	case strings.Contains(turn, canonical.Tool):
		p.found.Results = ResultsByName
	}
}

// tools notes where declared tools are shown: what they add to a prompt, and before which message.
func (p *prober) tools() {
	set := p.toolSet()
	turns := []turn{user(0), assistant(1), user(2)}
	first := 0
	if p.found.System != SystemNone {
		turns, first = append([]turn{system(0)}, turns...), 1
	}
	with := p.try(trial{turns: turns, tools: set, open: true})
	if !with.has(canonical.Tool, "zqdescription", "zqparameter") {
		return
	}
	alone := trial{turns: turns[:1]} // what comes before any user
	if first == 0 {
		alone.turns = []turn{assistant(0)}
	}
	declared := alone
	declared.tools = set
	before, after := p.try(alone), p.try(declared)
	switch at := with.at(0, FieldTool); {
	case at > with.at(first+1, FieldText):
		p.found.Tools = ToolsLastUser
	case before.err == nil && !after.has(canonical.Tool):
		p.found.Tools = ToolsFirstUser
	default:
		p.found.Tools = ToolsInSystem
	}
}

func (p *prober) toolSet() *toolSet {
	parameters := []byte(`{"type":"object","properties":{"zqparameter":{"type":"string","description":"zqabout"}},"required":["zqparameter"]}`)
	set := newToolSet([32]byte{}, []Tool{
		{Name: canonical.Other, Description: "zqdescription2", Parameters: parameters},
		{Name: canonical.Tool, Description: "zqdescription", Parameters: parameters},
	}, schema.Simplification{})
	return set
}

// evidence renders the turns by which package tools tells the dialect.
func (p *prober) evidence() {
	e := &p.found.Shown
	e.Generation, e.TurnEnd = p.found.GenerationPrompt, p.found.TurnEnd
	e.Answer = p.added([]turn{user(0)}, say(Assistant, canonical.Text))
	if p.found.Calls == CallsNone {
		return
	}
	c := p.call(1, argument(canonical.Key, canonical.Value))
	other := p.call(2, argument(canonical.Key, canonical.Value))
	thinking := calling("", c)
	thinking.Reasoning = canonical.Thought
	e.Call = p.added([]turn{user(0)}, calling("", c))
	e.TwoCalls = p.added([]turn{user(0)}, calling("", c, other))
	e.TextCall = p.added([]turn{user(0)}, calling(canonical.Text, c))
	e.Thought = p.added([]turn{user(0)}, thinking)
	e.NoArgument = p.added([]turn{user(0)}, calling("", p.call(1, "{}")))
	e.Typed = p.added([]turn{user(0)}, calling("", p.call(1, `{"n":1.5,"b":true,"z":null,"l":["zqitem"],"o":{"p":2}}`)))
	e.Result = p.answered(c)
}

// added is what one turn adds to a prompt.
func (p *prober) added(before []turn, t turn) string {
	a, b := p.try(trial{turns: before}), p.try(trial{turns: append(append([]turn(nil), before...), t)})
	if b.err != nil {
		return ""
	}
	return b.Text[wholeMarker(b.Text, commonPrefix(a.Text, b.Text)):]
}

// answered is what a result adds behind its call. Some templates show the call itself otherwise
// once it is answered.
func (p *prober) answered(c Call) string {
	if text := p.added([]turn{user(0), calling("", c)}, result(c, canonical.Result)); !strings.Contains(text, canonical.Key) {
		return text
	}
	behind := func(turns ...turn) string {
		s := p.try(trial{turns: turns})
		end := 0
		for _, span := range s.Spans {
			if span.Origin == origin(1, FieldCall) {
				end = int(span.End)
			}
		}
		return s.Text[end:]
	}
	open, done := behind(user(0), calling("", c)), behind(user(0), calling("", c), result(c, canonical.Result))
	return done[wholeMarker(done, commonPrefix(open, done)):]
}

// wholeMarker moves a place in a text back to the beginning of the marker that it is inside of.
func wholeMarker(text string, at int) int {
	const longest = 40
	for i := at; i > 0 && at-i < longest; i-- {
		switch text[i-1] {
		case '<', '[':
			return i - 1
		case '>', ']', ' ', '\n':
			return at
		}
	}
	return at
}

// described says whether calls and results are shown well enough to be used without declarations:
// several in a turn, behind the turn's text, in a turn that ends as others do.
func (p *prober) described() bool {
	f := &p.found
	text := strings.Index(f.Shown.TextCall, canonical.Text)
	return f.Tools == ToolsNone && f.Calls == CallsMany && f.CallsWithText && f.Results != ResultsNone &&
		text >= 0 && text < strings.Index(f.Shown.TextCall, canonical.Key) && strings.HasSuffix(f.Shown.Call, f.TurnEnd)
}

// silent says whether declared tools and results are shown, but no calls.
func (p *prober) silent() bool {
	f := &p.found
	if f.Tools == ToolsNone || f.Calls != CallsNone {
		return false
	}
	c := p.call(1, "{}")
	return p.try(trial{turns: []turn{user(0), assistant(1), result(c, canonical.Result)}, tools: p.toolSet(), open: true}).all(0, 1, 2)
}
