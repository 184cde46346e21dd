package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
)

// anyTool takes any text.
var anyTool = tools.Tool{Name: "look", Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}`)}

// looks is a reply that calls the tool with some arguments, one call a line.
func looks(at ...string) enginetest.Reply {
	var lines []string
	for _, a := range at {
		lines = append(lines, `{"tool": "look", "arguments": {"at": "`+a+`"}}`)
	}
	return enginetest.Say(strings.Join(lines, "\n"))
}

// The second of two equal calls of a turn ends it, in the models that write tenon's own format;
// what only begins alike is another call.
func TestRepeats_aCallThatComesAgainEndsTheTurn(t *testing.T) {
	for _, c := range []struct {
		said, want []string
	}{
		{[]string{"a", "a", "b"}, []string{"a"}},
		{[]string{"a", "b", "a", "c"}, []string{"a", "b"}},
		{[]string{"abc", "ab", "abcd", "x"}, []string{"abc", "ab", "abcd", "x"}},
	} {
		r := request()
		r.OneCall, r.Tools = false, []tools.Tool{anyTool}
		o := runScripted(t, &Service{}, r, looks(c.said...))
		var got []string
		for _, call := range o.choice.Calls {
			var args struct{ At string }
			if err := json.Unmarshal(call.Arguments, &args); err != nil {
				t.Fatal(err)
			}
			got = append(got, args.At)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || o.choice.Finish.Reason != ToolCalls {
			t.Errorf("%q: finish %s, calls (-want +got):\n%s", c.said, o.choice.Finish.Reason, diff)
		}
		noted := slices.ContainsFunc(o.choice.Finish.Notes, func(n tools.Note) bool { return strings.Contains(n.Text, "came again") })
		if dropped := len(c.want) < len(c.said); noted != dropped {
			t.Errorf("%q: noted %v, dropped %v: %+v", c.said, noted, dropped, o.choice.Finish.Notes)
		}
	}
}

// An adapter says otherwise; a family of its own format may repeat itself a few times.
func TestRepeats_settingOverTheDialect(t *testing.T) {
	native, _ := tools.Lookup("hermes")
	for set, want := range map[prepared.Repeats][2]int{"": {1, maxEqual}, prepared.AllowRepeats: {0, 0}, prepared.DropRepeats: {1, 1}} {
		m := Model{Teaching: Teaching{Repeats: set}}
		if got := [2]int{mostEqual(m, tools.Fallback()), mostEqual(m, native)}; got != want {
			t.Errorf("%q: %v, want %v", set, got, want)
		}
	}
}

// A model without a chat template makes one call a turn, unless the client asks for several.
func TestOneCall_modelAndRequest(t *testing.T) {
	for _, c := range []struct {
		model                      Model
		one, several, wantParallel bool
	}{
		{Model{}, false, false, true},
		{Model{}, true, false, false},
		{Model{OneCall: true}, false, false, false},
		{Model{OneCall: true}, false, true, true},
		{Model{OneCall: true}, true, false, false},
	} {
		if got := outputTurn(c.model, Request{OneCall: c.one, Several: c.several}).Parallel; got != c.wantParallel {
			t.Errorf("model %v, asked for one %v, for several %v: several allowed %v", c.model.OneCall, c.one, c.several, got)
		}
	}
}

// A tool that gave the same answer to the same call three times is not called until the user has
// spoken.
func TestRepeats_aToolWithOneAnswerIsNotAskedAgain(t *testing.T) {
	ask := func(id, name, answer string) []templates.Message {
		return []templates.Message{{Role: templates.Assistant, Calls: []templates.Call{{ID: id, Name: name, Arguments: "{}"}}}, {Role: templates.ToolRole, CallID: id, Text: answer}}
	}
	user := []templates.Message{{Role: templates.User, Text: "x"}}
	three := slices.Concat(user, ask("1", "look", "no"), ask("2", "look", "no"), ask("3", "look", "no"))
	for name, c := range map[string]struct {
		messages []templates.Message
		choice   tools.Choice
		want     tools.Choice
	}{
		"three times":        {three, tools.Choice{}, tools.Choice{Names: []string{"other"}}},
		"twice":              {three[:5], tools.Choice{}, tools.Choice{}},
		"another answer":     {slices.Concat(three[:5], ask("3", "look", "yes")), tools.Choice{}, tools.Choice{}},
		"the user has asked": {slices.Concat(three, user), tools.Choice{}, tools.Choice{}},
		"none is left":       {three, tools.Choice{Names: []string{"look"}}, tools.Choice{Mode: tools.None, Names: []string{"look"}}},
		"it is demanded":     {three, tools.Choice{Mode: tools.Required, Names: []string{"look"}}, tools.Choice{Mode: tools.Required, Names: []string{"look"}}},
	} {
		got := without(c.choice, []tools.Tool{anyTool, {Name: "other"}}, worn(templates.Conversation{Messages: c.messages}))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
