package parse

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/scan"
	"tenon/tools/turn"
)

// validateCall resolves a call's name and repairs and validates its arguments. On success the
// call's name is the prompt's and args are JSON that validates.
func (p *Tolerant) validateCall(c *declared.RawCall) error {
	p.Looked, p.misnamed = Outcome{}, ""
	m, ok := p.plan.Resolve(c.Name)
	if !ok {
		p.misnamed = c.Name
		return fmt.Errorf("no callable tool is named %.80q", c.Name)
	}
	t := &p.plan.Tools[m.Tool]
	if m.Rule != "" && !(m.Rule == declared.NamePrefix && p.plan.Dialect.Prefixes()) {
		c.Repairs = append(c.Repairs, m.Rule)
	}
	if len(c.Beside) > 0 && slices.Contains(c.Repairs, lenient.UnescapedQuote) {
		return fmt.Errorf("call of %q: %w", t.Name, scan.ErrAmbiguous)
	}
	args, err := t.Arguments(c)
	if err == nil && slices.Contains(c.Repairs, lenient.MissingClose) && slices.ContainsFunc(ordered.Members(args), func(e ordered.Member) bool { return strays(t, e) }) {
		err = errStray
	}
	p.Looked = Outcome{true, m.Tool, args, err}
	if err != nil {
		return fmt.Errorf("call of %q: %w", t.Name, err)
	}
	args, changed, err := t.Schema.Conform(args)
	p.Looked.Err = err
	if err != nil {
		return fmt.Errorf("call of %q: %s", t.Name, oneLine(err))
	}
	if input, ok := ordered.Text(declared.FirstInput(args)); t.Freeform != nil && ok && !t.Matches(input) {
		return fmt.Errorf("call of %q: its input does not match the tool's %s grammar", t.Name, t.Freeform.Syntax)
	}
	c.Name, c.Args = t.Prompt, args
	if len(c.Beside) > 0 {
		p.leftOut(t, c.Beside)
	}
	for _, r := range c.Repairs {
		p.repairs = append(p.repairs, turn.Repair{Rule: r, Tool: t.Name})
	}
	for _, r := range changed {
		if c.Untyped && strings.HasSuffix(r.Rule, "-from-string") {
			continue // the format has only text for values
		}
		p.repairs = append(p.repairs, turn.Repair{Rule: r.Rule, Tool: t.Name, Pointer: r.Pointer, Detail: r.Detail})
	}
	return nil
}

var errStray = errors.New("a bracket is missing, and a key of the call stands among its arguments")

// strays tells whether an argument is a key of calls, and none of the tool's.
func strays(t *declared.Tool, e ordered.Member) bool {
	return slices.Contains(declared.CallKeys, e.Key) && !t.Schema.Declares(e.Key)
}

// KeyBesideArguments is the rule under which is counted what a call's object says beside its
// arguments, and no call can tell.
const KeyBesideArguments = "key-beside-arguments"

// leftOut notes and counts the keys beside a call's arguments.
func (p *Tolerant) leftOut(t *declared.Tool, keys []string) {
	list := fmt.Sprintf("%.200q", strings.Join(keys, ", "))
	p.repairs = append(p.repairs, turn.Repair{Rule: KeyBesideArguments, Tool: t.Name, Detail: list})
	p.note(p.region.start, fmt.Sprintf("%s: a call of %q has more than a name and arguments; left out: %s", KeyBesideArguments, t.Name, list))
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// refuse tells of the first thing in a step that proved to be no call. An object without markers
// is one that an answer shows, unless it names a tool.
func (p *Tolerant) refuse(end int, err error) {
	if p.refused != nil || p.region.Bare && !p.Looked.Known || errors.Is(err, errCutOff) {
		return
	}
	p.refused = &turn.Refusal{Tool: p.misnamed, Source: string(p.buf[p.region.start:end]), Err: err, Before: len(p.events)}
	if l := p.Looked; l.Known && l.Err != nil {
		p.refused.Tool, p.refused.Args = p.plan.Tools[l.Tool].Prompt, l.Args
	}
}

// emitCall sends a call that has been accepted.
func (p *Tolerant) emitCall(c declared.RawCall) {
	m, _ := p.plan.Resolve(c.Name) // validateCall found it
	t := &p.plan.Tools[m.Tool]
	// one step, one call
	if p.over || p.secondStep() || p.called > 0 && (!p.plan.Turn.Parallel || len(p.plan.Dialect.Labels) > 0) {
		p.note(p.pos, fmt.Sprintf("a second call, of %q, was dropped: one call is allowed", t.Name))
		return
	}
	if p.stops.hit {
		p.note(p.pos, fmt.Sprintf("a call of %q was dropped: it came after a stop string", t.Name))
		return
	}
	payload := string(c.Args)
	if t.Freeform != nil {
		payload, _ = ordered.Text(declared.FirstInput(c.Args))
	}
	p.sendCall(t, payload)
}

// sendCall sends a call at once.
func (e *emitter) sendCall(t *declared.Tool, payload string) {
	call := e.begin(t)
	e.emit(turn.Event{Kind: turn.CallArguments, Text: payload, Call: call})
	e.end(t, call, payload)
}

// begin sends the start of a call and returns it.
func (e *emitter) begin(t *declared.Tool) turn.Call {
	call := turn.Call{Index: e.called, Name: t.Name, Namespace: t.Namespace}
	call.ID = e.id(call)
	e.called++
	e.emit(turn.Event{Kind: turn.CallStart, Call: call})
	return call
}

// end sends the end of a call, whose arguments or input have been sent.
func (e *emitter) end(t *declared.Tool, call turn.Call, payload string) {
	if t.Freeform != nil {
		call.Input = payload
	} else {
		call.Arguments = json.RawMessage(payload)
	}
	e.emit(turn.Event{Kind: turn.CallEnd, Call: call})
}

func (e *emitter) id(c turn.Call) string {
	if e.newID != nil {
		return e.newID(c)
	}
	return fmt.Sprintf("call_%d", c.Index)
}
