package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/server/chat"
)

// Difference is a place where two records of one request differ.
type Difference struct {
	Turn    int    // from 0
	Part    string // of the trace: "prompt", "grammar", "events", …
	Place   int    // line or element of the part, from 0; -1: its number
	Was, Is string
}

func (d Difference) String() string {
	place := fmt.Sprintf("[%d]", d.Place)
	if d.Place < 0 {
		place = " (their number)"
	}
	return fmt.Sprintf("turn %d, %s%s:\n- %s\n+ %s", d.Turn, d.Part, place, d.Was, d.Is)
}

// Compare tells where a record departs from an earlier one of the same request, the first
// difference of each part. Times do not count, nor do the ids of calls, which are made up anew,
// nor in which order the events of different choices came.
func Compare(was, is *Record) []Difference {
	var out []Difference
	if len(was.Turns) != len(is.Turns) {
		return []Difference{{Part: "turns", Place: -1, Was: fmt.Sprint(len(was.Turns)), Is: fmt.Sprint(len(is.Turns))}}
	}
	for i := range was.Turns {
		before, after := was.Turns[i].parts(), is.Turns[i].parts()
		for j, p := range before {
			if d, ok := p.compare(after[j]); !ok {
				d.Turn = i
				out = append(out, d)
			}
		}
	}
	return out
}

// tracePart is a part of a trace, as lines that can be compared and shown.
type tracePart struct {
	name  string
	lines []string
}

// parts are those that a replay computes anew.
func (t *Trace) parts() []tracePart {
	return []tracePart{
		{"prompt", lines(t.Prompt.Segments)},
		{"heals", lines(t.Prompt.Heals)},
		{"prompt's end", lines([]any{t.Prompt.Protocol, t.Prompt.Thinking, t.Prompt.Stops})},
		{"grammar", strings.Split(t.Grammar, "\n")},
		{"issues", lines(t.Issues)},
		{"budget", lines([]any{t.Budget})},
		{"verdicts", lines(t.verdicts())},
		{"events", lines(t.comparableEvents())},
		{"failure", lines(t.comparableFailure())},
	}
}

func (t *Trace) verdicts() []engine.Verdict {
	var all []engine.Verdict
	for _, s := range t.Sessions {
		for _, step := range s.Steps {
			if step.Verdict != nil {
				all = append(all, *step.Verdict)
			}
		}
	}
	return all
}

// comparableEvents are the events by choice, without the ids of calls.
func (t *Trace) comparableEvents() []chat.Event {
	events := slices.Clone(t.Events)
	slices.SortStableFunc(events, func(a, b chat.Event) int { return cmp.Compare(a.Choice, b.Choice) })
	for i := range events {
		events[i].Call.ID = ""
	}
	return events
}

// comparableFailure leaves the message out, which holds counts that a replay cannot make.
func (t *Trace) comparableFailure() []string {
	if t.Failure == nil {
		return nil
	}
	return []string{t.Failure.Kind, t.Failure.Field}
}

func (p tracePart) compare(is tracePart) (Difference, bool) {
	for i := range min(len(p.lines), len(is.lines)) {
		if p.lines[i] != is.lines[i] {
			return Difference{Part: p.name, Place: i, Was: p.lines[i], Is: is.lines[i]}, false
		}
	}
	if len(p.lines) != len(is.lines) {
		return Difference{Part: p.name, Place: -1, Was: fmt.Sprint(len(p.lines)), Is: fmt.Sprint(len(is.lines))}, false
	}
	return Difference{}, true
}

func lines[T any](all []T) []string {
	out := make([]string, len(all))
	for i, v := range all {
		b, _ := json.Marshal(v) // traces hold nothing that cannot be marshalled
		out[i] = string(b)
	}
	return out
}
