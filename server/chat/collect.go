package chat

import (
	"strings"

	"tenon/engine"
	"tenon/tools"
)

// Result is a whole answer.
type Result struct {
	Model   string
	Choices []Choice
}

// Choice is one of a Result's answers.
type Choice struct {
	Text, Reasoning string
	Calls           []tools.Call
	// the same in the order it came, neighbours of a kind joined, and what the server executed
	Parts  []Event
	Tokens []engine.Token // of the text, where logprobs were asked for
	Finish Finish
}

// Collector gathers events into a Result.
type Collector struct {
	model   string
	choices []*collected
}

type collected struct {
	Choice
	run strings.Builder // the text of the last part
}

// Add takes the next event. It is a Sink.
func (c *Collector) Add(e Event) error {
	for len(c.choices) <= e.Choice {
		c.choices = append(c.choices, &collected{})
	}
	to := c.choices[e.Choice]
	switch e.Kind {
	case Started:
		c.model = e.Model
	case Text, Reasoning:
		to.add(e)
	case CallEnd:
		to.Calls = append(to.Calls, e.Call)
		to.add(e)
	case HostedList, HostedEnd, HostedAsk:
		to.add(e)
	case Finished:
		to.Finish = e.Finish
	}
	return nil
}

// Result returns what was gathered.
func (c *Collector) Result() Result {
	r := Result{Model: c.model}
	for _, from := range c.choices {
		from.flush()
		out := from.Choice
		for _, p := range out.Parts {
			switch p.Kind {
			case Text:
				out.Text += p.Text
			case Reasoning:
				out.Reasoning += p.Text
			}
		}
		r.Choices = append(r.Choices, out)
	}
	return r
}

// add appends a piece to the last part, if that is of its kind, or begins another.
func (c *collected) add(e Event) {
	if n := len(c.Parts); e.Kind >= CallEnd || n == 0 || c.Parts[n-1].Kind != e.Kind {
		c.flush()
		c.Parts = append(c.Parts, Event{Kind: e.Kind, Call: e.Call, Hosted: e.Hosted})
	}
	c.run.WriteString(e.Text)
	c.Tokens = append(c.Tokens, e.Tokens...)
}

// flush gives the last part its text.
func (c *collected) flush() {
	if n := len(c.Parts); n > 0 {
		c.Parts[n-1].Text += c.run.String()
	}
	c.run.Reset()
}
