package templates

import (
	"errors"
	"strings"

	"tenon/templates/jinja"
	"tenon/templates/schema"
)

// What is tried when a template refuses a conversation that the rules let through: see
// Template.Render.

// describeSchemas helps templates that break where a property has no description, or is no object
// but true or false.
func describeSchemas(h *healing) bool {
	h.complete = schema.Describe
	return h.tools != nil && h.protocol == Native
}

// completeSchemas helps templates that break where a property has no type either.
func completeSchemas(h *healing) bool {
	h.complete = schema.Complete
	return h.tools != nil && h.protocol == Native
}

// hideTexts helps against templates that raise at what a user's or an assistant's text says: they
// get a placeholder, and the text takes its place afterwards.
func hideTexts(h *healing) bool {
	for _, t := range h.turns {
		if t.hideable() && (t.Text != "" || t.Reasoning != "") {
			h.hidden = []string{}
			return true
		}
	}
	return false
}

// hideable says whether a turn's text is shown as it is: results may be shown as JSON.
func (t turn) hideable() bool { return t.Role == Assistant || t.Role == User }

// hide replaces texts by placeholders, if that is to be done.
func (h *healing) hide() {
	if h.hidden == nil {
		return
	}
	h.turns = append([]turn(nil), h.turns...)
	for i := range h.turns {
		if t := &h.turns[i]; t.hideable() {
			t.Text, t.Reasoning = h.placeholder(t.Text), h.placeholder(t.Reasoning)
		}
	}
}

func (h *healing) placeholder(text string) string {
	if text == "" {
		return ""
	}
	p := unwritten("text")
	h.hidden = append(h.hidden, p, text)
	return p
}

// reveal puts the hidden texts in place of their placeholders, which they follow in the list.
func (r *Rendering) reveal(hidden []string) {
	if len(hidden) == 0 {
		return
	}
	texts := strings.NewReplacer(hidden...)
	for i := range r.Segments {
		if s := &r.Segments[i]; s.Kind == Content && (s.Field == FieldText || s.Field == FieldReasoning) {
			s.Text = texts.Replace(s.Text)
		}
	}
}

// foldEverything leaves only roles and text that any template should know.
func foldEverything(h *healing) bool {
	if h.protocol == Native {
		h.protocol = JSON
	}
	h.probe.strict()
	return true
}

// foldSystem leaves only users and assistants.
func foldSystem(h *healing) bool {
	h.probe.System = SystemNone
	return foldEverything(h)
}

// patience ends what is tried with one conversation: when the caller wants it, and when the
// remedies together have taken half as much again as one rendering may.
type patience struct {
	stop  func() error // nil: the caller waits
	asked int
}

const mostAsked = 1500 // times, of which jinja's limits allow a rendering a thousand

var errImpatient = errors.New("the chat template has been tried for too long")

func (p *patience) end() error {
	if p.asked++; p.asked > mostAsked {
		return errImpatient
	}
	if p.stop == nil {
		return nil
	}
	return p.stop()
}

// remedies are what is tried in turn when a template refuses a conversation; apply says whether it
// changes anything.
var remedies = []struct {
	rule  string
	apply func(*healing) bool
}{
	{"", nil}, // as the rules alone leave it
	{ruleCompleteSchema, describeSchemas},
	{ruleCompleteSchema, completeSchemas},
	{ruleHideText, hideTexts},
	{ruleTemplateRaised, foldEverything},
	{ruleTemplateRaised, foldSystem},
}

// cause is what the template itself said, if it raised, else the whole error.
func cause(err error) string {
	var raised *jinja.RaisedError
	if errors.As(err, &raised) {
		return raised.Msg
	}
	return err.Error()
}
