package chat

import (
	"strings"

	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
)

// A small model goes round: it answers one call with several equal ones, and asks a tool again
// whose answer it has. Where repeats are dropped, the second of two equal calls of a turn ends the
// turn and never leaves, and a tool that gave the same answer to the same call three times cannot
// be called until the user has spoken.

// maxEqual is how many equal calls a turn may have where nothing is said of repeats and the model
// writes its own format.
const maxEqual = 4

// mostEqual is how many equal calls a turn may have, 0 for any number: as the model's adapter
// says, else one where the model writes in tenon's own format.
func mostEqual(m Model, d *tools.Dialect) int {
	switch set := m.Teaching.Repeats; {
	case set == prepared.AllowRepeats:
		return 0
	case set == prepared.DropRepeats, d.Ours:
		return 1
	}
	return maxEqual
}

// repeats holds a call back while it may become one that came too often. The zero value lets
// everything pass.
type repeats struct {
	most  int            // equal calls; 0: any number
	made  map[string]int // the calls that left: name and arguments
	call  string         // the one that is written
	held  []Event        // of it
	again bool           // a call came too often: nothing else of the turn leaves
}

// pass takes an event and returns what may leave now.
func (r *repeats) pass(e Event) []Event {
	switch {
	case r.most == 0, r.again && e.Kind == Finished:
		return []Event{e}
	case r.again:
		return nil
	}
	switch e.Kind {
	case CallStart:
		r.call = e.Call.Namespace + "\x00" + e.Call.Name + "\x00"
	case CallArguments:
		r.call += e.Text
	case CallEnd:
		if r.again = r.made[r.call] >= r.most; r.again {
			return nil
		}
		if r.made == nil {
			r.made = map[string]int{}
		}
		r.made[r.call]++
		return r.release(e)
	case Finished:
		return r.release(e)
	default:
		return []Event{e}
	}
	for made, n := range r.made {
		if n >= r.most && strings.HasPrefix(made, r.call) {
			r.held = append(r.held, e)
			return nil
		}
	}
	return r.release(e)
}

// release returns what was held, and an event behind it.
func (r *repeats) release(e Event) []Event {
	all := append(r.held, e)
	r.held = nil
	return all
}

// sameAnswers is how often a tool may give the same answer to the same call before it cannot be
// called.
const sameAnswers = 3

// worn are the tools that gave the same answer to the same call too often since the user last
// spoke.
func worn(c templates.Conversation) map[string]bool {
	asked, answered := map[string]templates.Call{}, map[[3]string]int{}
	all := map[string]bool{}
	for _, m := range c.Messages {
		switch m.Role {
		case templates.User:
			clear(answered)
			clear(all)
		case templates.Assistant:
			for _, call := range m.Calls {
				asked[call.ID] = call
			}
		case templates.ToolRole:
			call := asked[m.CallID]
			key := [3]string{call.Name, call.Arguments, m.Content()}
			if answered[key]++; call.Name != "" && answered[key] == sameAnswers {
				all[call.Name] = true
			}
		}
	}
	return all
}

// without leaves tools out of those that may be called. Where a call must come, the last of them
// stays.
func without(c tools.Choice, declared []tools.Tool, out map[string]bool) tools.Choice {
	if c.Mode == tools.None || len(out) == 0 {
		return c
	}
	var left []string
	chosen := map[string]bool{}
	for _, n := range c.Names {
		chosen[n] = true
	}
	for _, t := range declared {
		name := tools.PromptName(t.Namespace, t.Name)
		if (len(chosen) == 0 || chosen[name] || chosen[t.Name]) && !out[name] {
			left = append(left, name)
		}
	}
	switch {
	case len(left) > 0:
		c.Names = left
	case c.Mode == tools.Auto:
		c.Mode = tools.None
	}
	return c
}
