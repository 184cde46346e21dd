package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/templates"
	"tenon/templates/schema"
	"tenon/tools"
	"tenon/tools/conform"
)

// What becomes of a call whose arguments the mask enforces only partly, and which do not validate,
// also after the repairs that lose nothing (package tools/conform):
//
//  1. The engine takes back what is at fault and writes it anew under a grammar that steers away
//     from it: first the value, then the whole argument, then all arguments.
//  2. As long as nothing of the answer has left, the turn is tried again with the failed call and
//     its error in the conversation. Thinking counts: a client that has shown it cannot take it
//     back, and would get two thoughts for one answer. A whole answer keeps to the same rule, so
//     that it is the one that a stream would have told.
//  3. The call is none: its text is content, with a note.
//
// Nothing of such a call leaves before it is valid: the engine parks where it ends, and what ends
// there comes with the question.

// Limits of step 1. Each try costs the tokens that are taken back and, once, a grammar.
const (
	maxTries   = 3    // of one call
	maxRewinds = 8    // of a choice in all: a model that fails call after call is left to fail
	maxRewound = 2048 // tokens that a choice takes back in all
)

// Mending counts what was done about a choice's calls.
type Mending struct {
	Checks  int `json:"checks"`         // calls that were judged after they were made
	Rewinds int `json:"rewinds"`        // times that the engine took arguments back
	Rewound int `json:"rewound_tokens"` // tokens that it took back
	Retries int `json:"retries"`        // times that the turn was tried again
	Refused int `json:"refused"`        // calls that stayed invalid and became text
	// times that an answer was ended because it went round in circles
	Loops int `json:"loops"`
}

// check judges the call that ends with tokens and answers the engine, which waits for it.
func (c *choiceRun) check(ctx context.Context, tokens []engine.Token) error {
	c.mending.Checks++
	all := slices.Concat(c.reading.tokens, tokens)
	f := c.reading.plan.tools.CheckCall(outputOf(all))
	if f != nil {
		if err := c.catchUp(ctx, all, f); err != nil {
			return err
		}
		c.faults = append(c.faults, f)
		if c.rewind(ctx, all) {
			return nil
		}
		c.faults = nil
		if c.retry(ctx, f, len(all)) {
			return nil
		}
		c.mending.Refused++
	}
	c.faults = nil
	if err := c.tokens(ctx, all[len(c.reading.tokens):]); err != nil {
		return err
	}
	if err := c.session.Decide(ctx, engine.Verdict{}); err != nil {
		return fmt.Errorf("answer a check: %w", err)
	}
	return nil
}

// catchUp reads what stands before the arguments at fault. A fast engine tells it in one update
// with the question, a slow one before: what becomes of the call must not depend on that.
func (c *choiceRun) catchUp(ctx context.Context, all []engine.Token, f *tools.Fault) error {
	from, ok := f.From(maxTries)
	read := len(c.reading.tokens)
	if keep := within(all, from); ok && keep > read {
		return c.tokens(ctx, all[read:keep])
	}
	return nil
}

// rewind has the engine write anew what is at fault in an output. It is false if that has been
// tried often enough, or cannot be.
func (c *choiceRun) rewind(ctx context.Context, all []engine.Token) bool {
	f := c.faults[len(c.faults)-1]
	for try := len(c.faults) - 1; try < maxTries && c.mending.Rewinds < maxRewinds; try++ {
		from, ok := f.From(try)
		if !ok {
			return false
		}
		keep := within(all, from)
		before := readAgain(c.reading.plan, c.reading.limit, all[:keep])
		// some of it has left
		if c.mending.Rewound+len(all)-keep > maxRewound || before.events != c.reading.events {
			return false
		}
		text, ok := c.reading.plan.tools.RetryGrammar(c.faults, outputOf(all), from)
		if !ok {
			continue // further back there may be more to choose from
		}
		if c.session.Decide(ctx, engine.Verdict{Rewind: true, Offset: keep, Grammar: text}) != nil {
			return false // if it was more than this verdict, the next one fails too
		}
		c.reading = before
		c.mending.Rewinds++
		c.mending.Rewound += len(all) - keep
		c.note(fmt.Sprintf("%v: %d tokens are written anew", f.Err, len(all)-keep))
		return true
	}
	return false
}

// appeal has the turn tried again where an engine without masks has just written what is no call,
// or lets its text leave.
func (c *choiceRun) appeal(ctx context.Context) (again bool, err error) {
	r := c.reading
	if r.refused == nil {
		return false, nil
	}
	c.mending.Checks++
	f := r.plan.tools.Fault(*r.refused)
	if c.retry(ctx, f, len(r.tokens)) {
		return true, nil
	}
	c.mending.Refused++
	c.refusal = f
	return false, r.resume(c.send)
}

// retry begins the turn again, with the failed call and its error behind the conversation, in the
// model's own format. It is false where that may not be, or cannot: then the old session still
// waits for its verdict.
//
// A model that makes the same mistake again does not understand it: there is no third try. What
// the failed try generated counts in the turn's usage, and is taken off what the request allows:
// where less is left than it took, the next one would be cut off.
func (c *choiceRun) retry(ctx context.Context, f *tools.Fault, generated int) bool {
	messages := c.request.Conversation.Messages
	mistake := mistakeOf(f)
	if c.sent || continued(c.request.Conversation) || mistake == c.mistake || c.mending.Retries >= c.retries() {
		return false
	}
	r := c.request
	r.Conversation.Messages = append(slices.Clone(messages), c.failedCall(f, len(messages))...)
	if left := c.reading.plan.turn.Budget.Tokens; left > 0 {
		if r.MaxTokens = left - generated; r.MaxTokens < generated {
			return false
		}
	}
	p, err := c.service.plan(c.model, r)
	if err != nil {
		return false // the first answer is there, and can be given
	}
	p.turn.Sampling = c.plan.turn.Sampling
	session, err := openChoice(ctx, c.model, p, c.index)
	if err != nil {
		return false
	}
	_ = c.session.Close() // it has nothing more to say
	c.note(fmt.Sprintf("%v: the turn is tried again, and the model is told", f.Err))
	c.session, c.reading = session, newReading(p, p.turn.Budget.Tokens)
	c.repeats = repeats{most: p.mostEqual}
	c.mending.Retries++
	c.mistake, c.spent = mistake, c.spent+generated
	c.request.Conversation = r.Conversation
	return true
}

// mistakeOf is what was wrong, in one order: the validator names properties in any.
func mistakeOf(f *tools.Fault) string {
	words := strings.FieldsFunc(f.Err.Error(), func(r rune) bool { return r == ' ' || r == ',' })
	slices.Sort(words)
	return f.Tool + "\x00" + strings.Join(words, " ")
}

// retries is how often the turn may be tried again: as the model's adapter says, or else once.
func (c *choiceRun) retries() int {
	if own := c.model.Teaching.Retries; own != nil {
		return *own
	}
	return 1
}

// failedCall is what a model reads of a call that was none: the call as it made it, and what is
// wrong as its result, a line for each fault, with a call that is right.
func (c *choiceRun) failedCall(f *tools.Fault, place int) []templates.Message {
	id := fmt.Sprintf("call_%d", place)
	arguments := cmp.Or(string(f.Args), "{}") // what cannot be read cannot be shown either
	var b strings.Builder
	b.WriteString("Error: the call was not executed, because it is not valid:\n")
	for _, fault := range f.Places {
		b.WriteString("- " + fault.Message + "\n")
	}
	if len(f.Places) == 0 {
		b.WriteString("- " + f.Err.Error() + "\n")
	}
	if sample := c.sample(f.Tool); sample != nil {
		fmt.Fprintf(&b, "Call %s again, for example with the arguments %s.", f.Tool, sample)
	} else {
		b.WriteString("Call again.")
	}
	if f.Tool == "" || f.Args == nil && f.Source != "" { // the model sees what it wrote
		return []templates.Message{{Role: templates.Assistant, Text: f.Source}, {Role: templates.User, Text: b.String()}}
	}
	return []templates.Message{
		{Role: templates.Assistant, Calls: []templates.Call{{ID: id, Name: f.Tool, Arguments: arguments}}},
		{Role: templates.ToolRole, Name: f.Tool, CallID: id, Text: b.String(), Failed: true},
	}
}

// sample is a call's arguments that are certainly valid, nil where none can be made up.
func (c *choiceRun) sample(tool string) json.RawMessage {
	for _, t := range c.plan.tools.Tools() {
		if t.Name != tool || t.Parameters == nil {
			continue
		}
		made := schema.Example(t.Parameters)
		if len(conform.Compile(t.Parameters).Faults(made)) == 0 {
			return made
		}
	}
	return nil
}
