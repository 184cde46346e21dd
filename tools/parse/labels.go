package parse

import (
	"slices"

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
}

// labels are those that count at this place of the turn.
func (p *Text) labels() []format.Label {
	if p.steps != nil {
		return p.steps.Labels
	}
	return p.plan.Dialect.Labels
}

// takeLabel tells whether a label stands here, at the start of a line, and follows it. In what was
// no call only the label of arguments counts.
func (p *Text) takeLabel(text []byte, muted, final bool) peek.Answer {
	if !p.blank {
		return peek.No
	}
	n := 0
	l, a := peek.First(p.labels(), func(l format.Label) (a peek.Answer) {
		made := l.Kind == format.LabelStop && p.called == 0 // where nothing was called a model makes up no result: it is text
		input := l.Kind == format.LabelInput
		if !made && (!muted || input) && !(input && p.quoting.open()) {
			n, a = scan.LabelAt(text, l.Text, final)
		}
		return a
	})
	switch {
	case a == peek.Yes:
		p.label(l, n)
	case a == peek.No && p.steps == nil && p.thought == nil && !p.thinking && !muted && !p.quoting.open():
		return p.beginThought(text, final)
	}
	return a
}

// label removes a label of n bytes and does what it says.
func (p *Text) label(l format.Label, n int) {
	p.pos += n
	p.blank = false
	switch l.Kind {
	case format.LabelStop:
		p.over = true
	case format.LabelInput:
	default:
		p.think(l.Kind == format.LabelThinking)
	}
}

// beginThought tells whether another family's label of a thought stands at the start of text,
// which is at pos, and has what follows wait.
func (p *Text) beginThought(text []byte, final bool) peek.Answer {
	n := 0
	_, a := peek.First(p.plan.guestThoughts, func(l string) (a peek.Answer) {
		n, a = scan.LabelAt(text, l, final)
		return a
	})
	if a == peek.Yes {
		p.thought = &thought{label: n}
		p.pass(p.pos + n)
	}
	return a
}

// put writes text to a stream, or has it wait.
func (p *Text) put(s *stream, text []byte) {
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
func (p *Text) endThought(step bool) {
	t := p.thought
	if t == nil {
		return
	}
	p.thought = nil
	if !step {
		p.write(&p.content, t.text)
		return
	}
	p.layout()
	p.write(&p.reasoning, t.text[t.label:])
	p.layout()
}

// step tells whether the region is a step of a family that labels its parts.
func (p *Text) step() (*format.Dialect, bool) {
	s, ok := p.region.scan.(*guestScanner)
	if !ok || len(s.parser.plan.Dialect.Labels) == 0 {
		return nil, false
	}
	return s.parser.plan.Dialect, true
}

// secondStep tells whether the region is a step, of which there is one a turn, and another came
// before it.
func (p *Text) secondStep() bool {
	d, ok := p.step()
	if !ok {
		return false
	}
	second := p.steps != nil
	p.steps = d
	return second
}

// inviteLabels finds out which labels of other families may begin a line.
func (p *Reading) inviteLabels(beginning string) {
	d := p.others.byText[beginning]
	if len(d.Labels) == 0 || len(p.Dialect.Labels) > 0 {
		return
	}
	p.guestLabels = append(p.guestLabels, beginning)
	p.labelOn(beginning)
	for _, l := range d.Labels {
		p.labelOn(l.Text)
		if l.Kind == format.LabelThinking && !slices.Contains(p.guestThoughts, l.Text) {
			p.guestThoughts = append(p.guestThoughts, l.Text)
		}
	}
}
