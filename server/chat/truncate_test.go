package chat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenon/templates"
)

// conversation makes up what clients send: turns of several rounds, of parallel calls, whose
// results come late, in another order, without ids, twice, or never.
func conversation(r *rand.Rand) (out []templates.Message) {
	calls, open := 0, []templates.Message{}
	for range 1 + r.IntN(12) {
		text := fmt.Sprintf("message %d", len(out))
		switch n := r.IntN(10); {
		case n == 0:
			out = append(out, templates.Message{Role: templates.System, Text: text})
		case n < 4:
			out = append(out, templates.Message{Role: templates.User, Text: text})
		case n < 6:
			m := templates.Message{Role: templates.Assistant, Text: text}
			for range r.IntN(4) {
				calls++
				c := templates.Call{Name: "f", ID: fmt.Sprintf("call_%d", calls)}
				if r.IntN(4) == 0 {
					c.ID = ""
				}
				m.Calls = append(m.Calls, c)
				open = append(open, templates.Message{Role: templates.ToolRole, CallID: c.ID, Name: c.Name, Text: text})
			}
			out = append(out, m)
		case n < 9 && len(open) > 0:
			i := r.IntN(len(open))
			out = append(out, open[i])
			if r.IntN(8) > 0 {
				open = slices.Delete(open, i, i+1)
			}
		case n == 9:
			out = append(out, templates.Message{Role: templates.ToolRole, CallID: "unknown", Text: text})
		}
	}
	return out
}

// pairs are the places of each call's message and its result's, by the messages' place before any
// were left out.
func pairs(messages []templates.Message, places []int) map[[2]int]bool {
	all := map[[2]int]bool{}
	for result, call := range templates.Answered(messages) {
		if call >= 0 {
			all[[2]int{places[call], places[result]}] = true
		}
	}
	return all
}

// However many turns are left out: none is left in half, no call loses its result and no result
// its call, what is not to go stays, in its order, and the oldest goes first.
func TestDroppable_wholeTurns(t *testing.T) {
	for seed := range uint64(3000) {
		messages := conversation(rand.New(rand.NewPCG(seed, 21)))
		groups := droppable(messages)
		all := make([]int, len(messages))
		for i := range all {
			all[i] = i
		}
		before := pairs(messages, all)
		for n := range len(groups) + 1 {
			gone := slices.Concat(groups[:n]...)
			left := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return slices.Contains(gone, i) })
			kept := Request{Conversation: templates.Conversation{Messages: messages}}.without(groups[:n]).Conversation.Messages
			if why := halved(messages, kept, left, before); why != "" {
				t.Fatalf("seed %d, %d of %d groups %v: %s\n%s", seed, n, len(groups), groups[:n], why, shown(messages))
			}
		}
		for i := 1; i < len(groups); i++ {
			if slices.Max(groups[i-1]) > slices.Min(groups[i]) {
				t.Fatalf("seed %d: %v is not the order of age\n%s", seed, groups, shown(messages))
			}
		}
	}
}

// halved says what is wrong with the messages at some places, which were kept.
func halved(messages, kept []templates.Message, left []int, before map[[2]int]bool) string {
	is := func(i int, r templates.Role) bool { return messages[i].Role == r }
	if len(kept) != len(left) {
		return fmt.Sprintf("%d messages are left, not %d", len(kept), len(left))
	}
	for n, i := range left {
		if kept[n].Text != messages[i].Text || kept[n].Role != messages[i].Role || kept[n].CallID != messages[i].CallID {
			return fmt.Sprintf("%d is another message", i)
		}
	}
	after := pairs(kept, left)
	for p := range before {
		if call, result := slices.Contains(left, p[0]), slices.Contains(left, p[1]); call != result {
			return fmt.Sprintf("the call of %d is left: %t, its result %d: %t", p[0], call, p[1], result)
		} else if call && !after[p] {
			return fmt.Sprintf("%d answers another call than %d", p[1], p[0])
		}
	}
	asked := lastOf(messages, func(m templates.Message) bool { return m.Role == templates.User })
	for i := range messages {
		if slices.Contains(left, i) {
			continue
		}
		if i == asked || i == len(messages)-1 || isSystem(messages[i].Role) {
			return fmt.Sprintf("%d may not go", i)
		}
		if next := i + 1; i < asked && !is(next, templates.User) && !isSystem(messages[next].Role) && slices.Contains(left, next) {
			return fmt.Sprintf("of the turn of %d, %d is left", i, next)
		}
		if !is(i, templates.User) && i > 0 && i < asked && !isSystem(messages[i-1].Role) && slices.Contains(left, i-1) {
			return fmt.Sprintf("of the turn of %d, %d is left", i, i-1)
		}
	}
	return ""
}

func shown(messages []templates.Message) string {
	var b strings.Builder
	for i, m := range messages {
		fmt.Fprintf(&b, "%d %s %s %s", i, m.Role, m.Text, m.CallID)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " calls %q", c.ID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Of a turn of many rounds that goes on, the oldest rounds go where leaving out the turns before
// was not enough; what the user asked stays.
func TestDroppable_roundsOfTheTurnThatGoesOn(t *testing.T) {
	messages := []templates.Message{
		{Role: templates.System}, {Role: templates.User}, {Role: templates.Assistant},
		{Role: templates.User},
		{Role: templates.Assistant, Calls: []templates.Call{{ID: "a"}, {ID: "b"}}}, {Role: templates.ToolRole, CallID: "b"}, {Role: templates.ToolRole, CallID: "a"},
		{Role: templates.Assistant, Calls: []templates.Call{{ID: "c"}}}, {Role: templates.ToolRole, CallID: "c"},
	}
	if got, want := fmt.Sprint(droppable(messages)), "[[1 2] [4 5 6]]"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
