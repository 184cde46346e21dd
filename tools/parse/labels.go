package parse

import (
	"bytes"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// Labels say what follows on their line, and are no text. A family without labels takes those of
// the family whose step it has read in a turn. What stands before such a step is told from prose
// by the step alone: text behind the label of a thought waits for it.

// MaxThought bounds the text that waits for a step.
const MaxThought = 2 << 10

// thought is text, of which the first bytes are a label, that waits for a step.
type thought struct {
	text  []byte
	label int
	open  []byte // of the code around it
}

// labels are those that count at this place of the turn.
func (p *Tolerant) labels() []format.Label {
	if p.steps != nil {
		return p.steps.Labels
	}
	return p.plan.Dialect.Labels
}

// takeLabel tells whether a label stands here, at the start of a line, and follows it.
func (p *Tolerant) takeLabel(text []byte, final bool) peek.Answer {
	if !p.blank {
		return peek.No
	}
	n := 0
	l, a := peek.First(p.labels(), func(l format.Label) (a peek.Answer) {
		// where nothing was called a model makes up no result: it is text
		made := l.Kind == format.LabelStop && p.called == 0 && !p.stepped
		if !made && !(p.quoting.open() && (l.Kind == format.LabelInput || !p.thinking)) {
			n, a = scan.LabelAt(text, l.Text, l.Kind == format.LabelStop, final)
		}
		return a
	})
	switch {
	case a == peek.Yes:
		p.label(l, n)
	case a == peek.No && p.steps == nil && p.thought == nil && !p.thinking && !p.quoted():
		return p.beginThought(text, final)
	}
	return a
}

// label removes a label of n bytes and does what it says.
func (p *Tolerant) label(l format.Label, n int) {
	p.pos += n
	p.blank = false
	switch l.Kind {
	case format.LabelStop:
		p.over = p.called > 0
	case format.LabelInput:
	default:
		p.endThought(false)
		p.turnTo(l.Kind == format.LabelThinking)
	}
}

// beginThought tells whether another family's label of a thought, or a loose one, stands at the
// start of text, which is at pos, and has what follows wait.
func (p *Tolerant) beginThought(text []byte, final bool) peek.Answer {
	_, n, a := scan.FirstLabel(p.plan.thoughts, text, true, final)
	if a == peek.Yes {
		p.thought = &thought{label: n}
		p.pass(p.pos + n)
	}
	return a
}

// put writes text to a stream, or has it wait.
func (p *Tolerant) put(s *stream, text []byte) {
	t := p.thought
	if t == nil {
		p.write(s, text)
		return
	}
	if t.text = append(t.text, text...); len(t.text) > MaxThought {
		p.endThought(false)
	}
}

// endThought lets text go that has waited: as thinking, without its label, where the step came.
func (p *Tolerant) endThought(step bool) {
	t := p.thought
	if t == nil {
		return
	}
	p.thought = nil
	if !step {
		if c := p.code; c != nil && c.label { // else it opened behind the thought
			t.open, p.code = c.open, nil
		}
		p.write(&p.content, t.open)
		p.write(&p.content, t.text)
		return
	}
	p.quoting = quoting{}
	text := t.text[t.label:]
	if t.open != nil { // the code ended before the step
		text = bytes.TrimRight(text, "` \t\r\n")
	}
	p.layout()
	p.write(&p.reasoning, text)
	p.layout()
}

// step tells whether the region is a step of a family that labels its parts.
func (p *Tolerant) step() (*format.Dialect, bool) {
	d := p.plan.Dialect
	if s, ok := p.region.scan.(*otherFamilyScanner); ok {
		d = s.parser.plan.Dialect
	}
	return d, len(d.Labels) > 0
}

// secondStep tells whether the region is a step and another came before it: a turn has one step.
func (p *Tolerant) secondStep() bool {
	d, ok := p.step()
	if !ok {
		return false
	}
	second := p.steps != nil
	p.steps = d
	return second
}

// labelsOf are the labels of the region, which is no call, if it is a step.
func (p *Tolerant) labelsOf(r *region) (l scan.Labels, ok bool) {
	s, ok := r.scan.(interface{ Labels() (scan.Labels, bool) })
	if ok && p.thought == nil && (p.code == nil || r.first) { // else it is an example
		return s.Labels()
	}
	return l, false
}

// prose tells whether the region looked like a step, and is a line of a text.
func (r *region) prose() bool {
	s, ok := r.scan.(interface{ Prose() bool })
	return ok && s.Prose()
}

// leaveStep goes on behind the label of a step, at pos, that is no call. Its other labels are no
// text either.
func (p *Tolerant) leaveStep(l scan.Labels) {
	switch at := p.pos; {
	case l.Void > 0:
		p.pos = at + l.Void
		p.current().beside()
		if p.code != nil {
			p.code.calls = true
		}
	case l.To > 0:
		p.look(p.buf[at : at+l.From])
		p.plain(p.current(), p.buf[at:at+l.From])
		p.pos = at + l.To
	}
	p.blank, p.stepped = false, true
}

// findOtherLabels finds out which labels of other families may begin a line.
func (p *Reading) findOtherLabels(beginning string) {
	d := p.others.byText[beginning]
	if len(d.Labels) == 0 || len(p.Dialect.Labels) > 0 {
		return
	}
	p.otherLabels = append(p.otherLabels, format.Label{Text: beginning})
	for _, l := range append(d.Labels[:len(d.Labels):len(d.Labels)], format.Label{Text: beginning}) {
		p.addLabel(l)
	}
}
