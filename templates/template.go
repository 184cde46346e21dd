package templates

import (
	"errors"
	"fmt"
	"strings"

	"tenon/templates/jinja"
	"tenon/templates/schema"
)

// Options are what a template needs to know of its model.
type Options struct {
	BOS, EOS string   // as the vocabulary spells them; "" if there is none
	Markers  []string // the vocabulary's control and added tokens
	// Simplify shows less of the tools' schemas than was declared. With Simplify.Flatten the
	// model writes flattened arguments: who parses them puts them back with schema.Flat.
	Simplify schema.Simplification
	// CallWriter finds how calls are written where the template declares tools and shows
	// results, but no calls: nil, or a nil result, leaves it at tenon's own protocol.
	CallWriter func(Probe) WriteCalls
	// Guidance tells the model how to call tools, with examples, behind the client's system
	// text.
	Guidance bool
	Fits     Fits // which examples may be shown; nil: all
	// Recall returns what is known of the template from an earlier time, or has it found out;
	// nil: it is found out.
	Recall  func(find func() (Findings, error)) (Findings, error)
	Wording Wording // of what is told about tools
}

// Template is a model's chat template, probed. It does not change: any number of goroutines may
// use it.
type Template struct {
	source  *jinja.Template
	options Options
	markers *markers
	probe   Probe
	form    form
	calls   WriteCalls // nil: as the template shows them
	tools   toolCache
}

var _ Renderer = (*Template)(nil)

// Parse reads a chat template, mends it if it is one of those that are known to be broken, and
// probes it. An error says why it cannot be used: it does not parse, or renders not even the
// plainest conversation within its limits. The model is then served with [Builtin].
func Parse(source string, o Options) (*Template, error) {
	source, edit := mend(source)
	parsed, err := jinja.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("parse the chat template: %w", err)
	}
	t := &Template{source: parsed, options: o, markers: newMarkers(o.Markers)}
	found, err := o.recall(func() (Findings, error) {
		p := prober{t: t, source: source}
		err := p.run()
		return Findings{p.found, p.form, p.found.silent}, err
	})
	if err != nil {
		return nil, fmt.Errorf("try the chat template: %w", err)
	}
	t.probe, t.form = found.Probe, found.Form
	t.probe.silent, t.probe.Edit = found.Silent, edit
	if o.CallWriter != nil && t.probe.silent {
		t.calls = o.CallWriter(t.probe)
		t.probe.Written = t.calls != nil
	}
	return t, nil
}

// Findings are what trial renderings showed of a template. They can be kept for the next time.
type Findings struct {
	Probe  Probe
	Form   form
	Silent bool
}

func (o Options) recall(find func() (Findings, error)) (Findings, error) {
	if o.Recall == nil {
		return find()
	}
	return o.Recall(find)
}

// Probe tells what the template does.
func (t *Template) Probe() Probe { return t.probe }

// Render implements Renderer. The conversation is healed by the rules that the template makes
// necessary. Where the template refuses it none the less, more is tried, from the mildest on;
// Builtin comes last. All of this is in the rendering's Heals.
func (t *Template) Render(c Conversation) (Rendering, error) {
	tools := t.tools.get(c.Tools, t.options.Simplify)
	var refused error
	tries := patience{stop: c.Stop}
	for _, r := range remedies {
		if err := tries.end(); errors.Is(err, errImpatient) {
			break
		} else if err != nil {
			return Rendering{}, err
		}
		h := newHealing(t.probe, c, tools)
		h.stop = tries.end
		h.write, h.wording = t.calls, t.options.Wording
		if refused != nil && !r.apply(h) {
			continue
		}
		if refused != nil {
			h.note(r.rule, -1, cause(refused))
		}
		t.guide(h)
		h.heal()
		rendering, err := t.write(h)
		if err == nil {
			return rendering, nil
		}
		if refused == nil {
			refused = err
		}
	}
	r, err := Builtin{Simplify: t.options.Simplify, Guidance: t.options.Guidance, Fits: t.options.Fits, Wording: t.options.Wording}.Render(c)
	r.Heals = append([]Heal{{Rule: ruleBuiltin, Message: -1, Detail: cause(refused)}}, r.Heals...)
	return r, err
}

// guide prepares the examples of calls, if they are wanted.
func (t *Template) guide(h *healing) {
	h.guided = t.options.Guidance && h.tools != nil
	if h.guided || h.tools != nil && h.probe.Described && h.protocol == Native {
		h.examples = h.tools.guidance(h.protocol, t.options.Fits, t.examples)
	}
}

// write renders what healing made of a conversation.
func (t *Template) write(h *healing) (Rendering, error) {
	w := *h
	w.hide()
	end := w.markEnd()
	vars, err := t.variables(t.form, &w)
	if err != nil {
		return Rendering{}, err
	}
	o := jinja.Options{Now: h.now, Stop: h.stop}
	if h.tools != nil {
		o.Memo = h.tools.memo
	}
	out, err := t.source.Render(vars, o)
	if err != nil {
		return Rendering{}, err
	}
	if end != "" {
		if out, err = cut(out, end); err != nil {
			return t.writeAfterPrompt(h)
		}
	}
	r := t.rendering(out, h)
	r.reveal(w.hidden)
	return r, nil
}

// writeAfterPrompt continues the last message behind the generation prompt, for templates that
// show it otherwise than it was, or not at all.
func (t *Template) writeAfterPrompt(h *healing) (Rendering, error) {
	w := *h
	last := w.turns[len(w.turns)-1]
	w.turns = w.turns[:len(w.turns)-1]
	w.prefill = false
	if len(w.turns) == 0 {
		addUser(&w)
	}
	r, err := t.write(&w)
	if err == nil {
		r.Segments = append(r.Segments, Segment{Text: last.Text, Kind: Content, Message: last.index})
		r.Thinking = r.Thinking && last.Text == ""
	}
	return r, err
}

// cut ends a rendering where the mark stands that was put at the end of the last message.
func cut(out jinja.Output, mark string) (jinja.Output, error) {
	at := strings.LastIndex(out.Text, mark)
	if at < 0 {
		return out, errors.New("the template does not show the last message as it was")
	}
	cut := jinja.Output{Text: out.Text[:at]}
	for _, s := range out.Spans {
		if s.End = min(s.End, int32(at)); s.Start < s.End {
			cut.Spans = append(cut.Spans, s)
		}
	}
	return cut, nil
}

// rendering is what a template wrote, with what is known of it.
func (t *Template) rendering(out jinja.Output, h *healing) Rendering {
	r := Rendering{Heals: h.heals, Protocol: h.protocol}
	r.writeAll(out, t.markers)
	r.beginOnce(t.options.BOS)
	r.Thinking = t.probe.opensThinking(tail(out))
	if h.prefill {
		last := h.turns[len(h.turns)-1]
		r.Thinking = last.Text == "" && last.Reasoning != ""
	}
	return r
}

// writeAll makes segments of a template's output.
func (r *Rendering) writeAll(out jinja.Output, m *markers) {
	r.Segments = make([]Segment, 0, 2*len(out.Spans))
	for _, s := range out.Spans {
		text := out.Text[s.Start:s.End]
		if s.Origin == jinja.Trusted {
			m.split(text, func(text string, k Kind) { r.write(Segment{Text: text, Kind: k}) })
			continue
		}
		message, field := source(s.Origin)
		r.write(Segment{Text: text, Kind: Content, Message: message, Field: field})
	}
}

// beginOnce takes away what a template that writes BOS twice writes too often.
func (r *Rendering) beginOnce(bos string) {
	for bos != "" && len(r.Segments) > 1 && r.Segments[0].is(bos) && r.Segments[1].is(bos) {
		r.Segments = r.Segments[1:]
	}
}

func (s Segment) is(marker string) bool { return s.Kind == Marker && s.Text == marker }

// tail is the text that the template wrote after the last content.
func tail(out jinja.Output) string {
	if n := len(out.Spans); n > 0 && out.Spans[n-1].Origin == jinja.Trusted {
		return out.Text[out.Spans[n-1].Start:]
	}
	return ""
}
