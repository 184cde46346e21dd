package templates

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/templates/schema"
)

// liberal takes every conversation as it is.
var liberal = Probe{System: SystemAnywhere, SystemMany: true, Developer: true, Tools: ToolsInSystem, Calls: CallsMany,
	CallsWithText: true, Results: ResultsByID, IDs: IDAny, ThinkingWithText: true}

// with is liberal, changed.
func with(change func(*Probe)) Probe {
	p := liberal
	change(&p)
	return p
}

func strictRoles(p *Probe) { p.Alternation, p.UserFirst, p.UserNeeded = true, true, true }

// transcript writes turns one a line.
func transcript(h *healing) string {
	var b strings.Builder
	for _, t := range h.turns {
		b.WriteString(string(t.Role))
		if t.CallID != "" {
			b.WriteString("[" + t.CallID + "]")
		}
		if t.Reasoning != "" {
			b.WriteString(" (" + strings.ReplaceAll(t.Reasoning, "\n", "|") + ")")
		}
		b.WriteString(": " + strings.ReplaceAll(t.Text, "\n", "|"))
		for _, c := range t.Calls {
			fmt.Fprintf(&b, " %s=%s%s", c.ID, c.Name, c.Arguments)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// call and answer make a call of tool f and its result.
func call(id, arguments string) Call { return Call{ID: id, Name: "f", Arguments: arguments} }

func asks(text string, calls ...Call) Message {
	return Message{Role: Assistant, Text: text, Calls: calls}
}

func answer(id, text string) Message { return Message{Role: ToolRole, CallID: id, Text: text} }

var hi = Message{Role: User, Text: "hi"}

var healCases = []struct {
	name     string
	probe    Probe
	messages []Message
	want     string
	rules    string // rule@message, in order
}{
	{
		"what fits stays", liberal,
		[]Message{{Role: Developer, Text: "D"}, {Role: System, Text: "S"}, hi, asks("t", call("a", `{"x":1}`), call("b", `{}`)), answer("a", "1"), answer("b", "2"), hi},
		"developer: D\nsystem: S\nuser: hi\nassistant: t a=f{\"x\":1} b=f{}\ntool[a]: 1\ntool[b]: 2\nuser: hi\n", "",
	},
	{
		"a client's billing line", liberal,
		[]Message{{Role: System, Text: "x-anthropic-billing-header: cc_version=2.1; cch=a1b2c;\nBe brief."}, hi},
		"system: Be brief.\nuser: hi\n", "drop-volatile-header@0",
	},
	{
		"empty turns", liberal, []Message{{Role: System}, hi, {Role: Assistant, Text: " \n"}, {Role: User}},
		"user: hi\nuser: \n", "drop-empty-turn@0 drop-empty-turn@2",
	},
	{
		"developer unknown", with(func(p *Probe) { p.Developer = false }), []Message{{Role: Developer, Text: "D"}, hi},
		"system: D\nuser: hi\n", "developer-as-system@0",
	},
	{
		"several system messages", with(func(p *Probe) { p.SystemMany = false }),
		[]Message{{Role: System, Text: "A"}, {Role: System, Text: "B"}, {Role: System, Text: "C"}, hi},
		"system: A||B||C\nuser: hi\n", "merge-system@1 merge-system@2",
	},
	{
		"system in the middle", with(func(p *Probe) { p.System = SystemFirst }),
		[]Message{hi, {Role: System, Text: "late"}, {Role: Assistant, Text: "ok"}, hi},
		"user: hi\nuser: System message:||late\nassistant: ok\nuser: hi\n", "late-system-as-user@1",
	},
	{
		"no system role", with(func(p *Probe) { p.System = SystemNone }),
		[]Message{{Role: System, Text: "A"}, {Role: System, Text: "B"}, hi}, "user: A||B||hi\n", "system-as-user@0 system-as-user@1",
	},
	{
		"no system role and an assistant next", with(func(p *Probe) { p.System = SystemNone; strictRoles(p) }),
		[]Message{{Role: System, Text: "A"}, asks("Hello!"), hi}, "user: A\nassistant: Hello!\nuser: hi\n", "system-as-user@0",
	},
	{
		"results out of order", liberal,
		[]Message{hi, asks("", call("a", "{}"), call("b", "{}")), answer("b", "2"), answer("a", "1")},
		"user: hi\nassistant:  a=f{} b=f{}\ntool[a]: 1\ntool[b]: 2\n", "move-result@3 move-result@2",
	},
	{
		"a result behind another turn", liberal,
		[]Message{hi, asks("", call("a", "{}")), {Role: User, Text: "wait"}, answer("a", "1")},
		"user: hi\nassistant:  a=f{}\ntool[a]: 1\nuser: wait\n", "move-result@3",
	},
	{
		"results without ids go by order", liberal,
		[]Message{hi, asks("", call("", "{}"), call("", "{}")), answer("", "1"), answer("zzz", "2")},
		"user: hi\nassistant:  call_1=f{} call_2=f{}\ntool[call_1]: 1\ntool[call_2]: 2\n", "missing-id@1 missing-id@1",
	},
	{
		"results without ids go by name", liberal,
		[]Message{hi, asks("", call("", "{}"), Call{Name: "g"}), {Role: ToolRole, Name: "g", Text: "of g"}, {Role: ToolRole, Name: "f", Text: "of f"}},
		"user: hi\nassistant:  call_1=f{} call_2=g{}\ntool[call_1]: of f\ntool[call_2]: of g\n", "move-result@3 move-result@2 missing-id@1 missing-id@1",
	},
	{
		"a user's calls", liberal, []Message{{Role: User, Text: "hi", Calls: []Call{{ID: "x", Name: "f", Arguments: "{}"}}}},
		"user: hi\n", "drop-misplaced-calls@0",
	},
	{
		"orphan result", liberal, []Message{hi, answer("x", "1"), {Role: ToolRole, Name: "f", Text: "2"}},
		"user: hi\nuser: Result of an earlier call:|1\nuser: Result of f:|2\n", "orphan-result-as-user@1 orphan-result-as-user@2",
	},
	{
		"two results of a call", liberal, []Message{hi, asks("", call("a", "{}")), answer("a", "1"), answer("a", "2")},
		"user: hi\nassistant:  a=f{}\ntool[a]: 1|2\n", "merge-results@3",
	},
	{
		"call without a result", liberal, []Message{hi, asks("", call("a", "{}")), hi},
		"user: hi\nassistant:  a=f{}\ntool[a]: [no result was returned]\nuser: hi\n", "missing-result@1",
	},
	{
		"calls without names", liberal,
		[]Message{hi, asks("", Call{ID: "a", Arguments: "{}"}, Call{ID: "b", Name: " "}), {Role: ToolRole, CallID: "a", Name: "f", Text: "1"}, answer("b", "no such tool")},
		"user: hi\nassistant:  a=f{} b=unnamed_tool{}\ntool[a]: 1\ntool[b]: no such tool\n", "missing-name@1 missing-name@1",
	},
	{
		"ids used twice", liberal, []Message{hi, asks("", call("a", "{}")), answer("a", "1"), asks("", call("a", "{}")), answer("a", "2")},
		"user: hi\nassistant:  a=f{}\ntool[a]: 1\nassistant:  a_2=f{}\ntool[a_2]: 2\n", "duplicate-id@3",
	},
	{
		"arguments", liberal,
		[]Message{hi, asks("", call("a", `"{\"x\":1}"`), call("b", `{"x":"Ro`), call("c", "oops"), call("d", "null"), call("e", "[1]")),
			answer("a", ""), answer("b", ""), answer("c", ""), answer("d", ""), answer("e", "")},
		"user: hi\nassistant:  a=f{\"x\":1} b=f{\"x\":\"Ro\"} c=f{\"arguments\":\"oops\"} d=f{} e=f{\"arguments\":[1]}\ntool[a]: \ntool[b]: \ntool[c]: \ntool[d]: \ntool[e]: \n",
		"unwrap-arguments@1 repair-arguments@1 raw-arguments@1 raw-arguments@1",
	},
	{
		"one call a turn", with(func(p *Probe) { p.Calls = CallsOne }),
		[]Message{hi, {Role: Assistant, Text: "t", Reasoning: "r", Calls: []Call{call("a", "{}"), call("b", "{}")}}, answer("a", "1"), answer("b", "2")},
		"user: hi\nassistant (r): t a=f{}\ntool[a]: 1\nassistant:  b=f{}\ntool[b]: 2\n", "split-calls@1",
	},
	{
		"no tools in the template", with(func(p *Probe) { p.Calls = CallsNone }),
		[]Message{hi, asks("t", call("a", `{"x":1}`)), answer("a", "1")},
		"user: hi\nassistant: t||{\"tool\": \"f\", \"arguments\": {\"x\":1}}\nuser: Result of f:|1\n", "fold-tools@1",
	},
	{
		"ids of nine letters", with(func(p *Probe) { p.IDs = IDAlnum9 }),
		[]Message{hi, asks("", call("abcDEF123", "{}"), call("call_1", "{}")), answer("abcDEF123", "1"), answer("call_1", "2")},
		"user: hi\nassistant:  abcDEF123=f{} sPnjkEYJU=f{}\ntool[abcDEF123]: 1\ntool[sPnjkEYJU]: 2\n", "map-id@1",
	},
	{
		"ids that name the tool", with(func(p *Probe) { p.IDs = IDNamed }),
		[]Message{hi, asks("", call("x", "{}"), call("y", "{}")), answer("x", "1"), answer("y", "2"), asks("", call("z", "{}")), answer("z", "3")},
		"user: hi\nassistant:  functions.f:0=f{} functions.f:1=f{}\ntool[functions.f:0]: 1\ntool[functions.f:1]: 2\nassistant:  functions.f:2=f{}\ntool[functions.f:2]: 3\n",
		"map-id@1 map-id@1 map-id@4",
	},
	{
		"ids that name the tool, counted by turn", with(func(p *Probe) { p.IDs = IDNamedTurn }),
		[]Message{hi, asks("", call("x", "{}"), call("y", "{}")), answer("x", "1"), answer("y", "2"), asks("", call("z", "{}")), answer("z", "3")},
		"user: hi\nassistant:  functions.f:0=f{} functions.f:1=f{}\ntool[functions.f:0]: 1\ntool[functions.f:1]: 2\nassistant:  functions.f:0=f{}\ntool[functions.f:0]: 3\n",
		"map-id@1 map-id@1 map-id@4",
	},
	{
		"thinking or text before a call", with(func(p *Probe) { p.ThinkingWithText = false }),
		[]Message{hi, {Role: Assistant, Text: "t", Reasoning: "r", Calls: []Call{call("a", "{}")}}, answer("a", "1")},
		"user: hi\nassistant (r||t):  a=f{}\ntool[a]: 1\n", "join-thinking-and-text@1",
	},
	{
		"text or calls", with(func(p *Probe) { p.CallsWithText = false }), []Message{hi, asks("t", call("a", "{}")), answer("a", "1")},
		"user: hi\nassistant: t\nassistant:  a=f{}\ntool[a]: 1\n", "split-text-from-calls@1",
	},
	{
		"roles must alternate", with(strictRoles),
		[]Message{hi, hi, asks("a"), asks("b", call("a", "{}")), answer("a", "1"), hi},
		"user: hi||hi\nassistant: a||b a=f{}\ntool[a]: 1\nassistant: Noted.\nuser: hi\n", "merge-turns@1 merge-turns@3 bridge-turns@5",
	},
	{
		"the assistant begins", with(strictRoles), []Message{{Role: System, Text: "S"}, asks("Hello!"), hi},
		"system: S\nuser: Hello.\nassistant: Hello!\nuser: hi\n", "user-first@1",
	},
	{
		"nobody asks", with(strictRoles), []Message{{Role: System, Text: "S"}}, "system: S\nuser: Hello.\n", "add-user@-1",
	},
	{
		"nothing is left", liberal, []Message{{Role: System}}, "user: Hello.\n", "drop-empty-turn@0 add-user@-1",
	},
	{
		"prefill", liberal, []Message{hi, asks("One, ")}, "user: hi\nassistant: One, \n", "continue-last@1",
	},
}

func TestHeal(t *testing.T) {
	for _, c := range healCases {
		t.Run(c.name, func(t *testing.T) {
			before := fmt.Sprintf("%+v", c.messages)
			h := newHealing(c.probe, Conversation{Messages: c.messages}, nil)
			h.heal()
			if diff := cmp.Diff(c.want, transcript(h)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.rules, notes(h.heals)); diff != "" {
				t.Error(diff)
			}
			if after := fmt.Sprintf("%+v", c.messages); before != after {
				t.Errorf("the client's messages changed:\n%s\n%s", before, after)
			}
		})
	}
}

func notes(heals []Heal) string {
	list := make([]string, len(heals))
	for i, h := range heals {
		list[i] = fmt.Sprintf("%s@%d", h.Rule, h.Message)
	}
	return strings.Join(list, " ")
}

// Every rule has a case here, but for those that need a template or tools, and what the server
// does.
func TestRules_areAllTested(t *testing.T) {
	elsewhere := map[string]bool{ruleSortTools: true, ruleTidySchema: true, ruleSimplify: true, ruleFlatten: true, ruleDescribe: true, ruleGuidance: true, ruleSwitchOff: true, ruleWriteCalls: true,
		ruleCompleteSchema: true, ruleHideText: true, ruleTemplateRaised: true, ruleBuiltin: true, RuleLeakedCalls: true}
	tested := map[string]bool{}
	for _, c := range healCases {
		for _, r := range strings.Fields(c.rules) {
			name, _, _ := strings.Cut(r, "@")
			tested[name] = true
		}
	}
	for _, r := range Rules() {
		if !tested[r.Name] && !elsewhere[r.Name] {
			t.Errorf("no case for rule %s", r.Name)
		}
		if r.About == "" {
			t.Errorf("rule %s does not say what it does", r.Name)
		}
	}
}

func TestHeal_isLinear(t *testing.T) {
	var messages []Message
	for i := range 20_000 {
		switch i % 4 {
		case 0:
			messages = append(messages, hi, hi)
		case 1:
			messages = append(messages, asks("t", call("same", "{}"), call("", "{}")))
		case 2:
			messages = append(messages, answer("same", "1"), answer("unknown", "2"), answer("", "3"))
		case 3:
			messages = append(messages, Message{Role: System, Text: "late"})
		}
	}
	h := newHealing(with(func(p *Probe) { strictRoles(p); p.System = SystemNone }), Conversation{Messages: messages}, nil)
	h.heal()
	if len(h.turns) == 0 || len(h.turns) > 2*len(messages) {
		t.Errorf("%d turns of %d messages", len(h.turns), len(messages))
	}
}

// References that lead on from one another are resolved, unless no template could read how deep
// that nests: then they stay.
func TestToolSet_longChainsOfReferences(t *testing.T) {
	for n, resolved := range map[int]bool{100: true, 1000: false} {
		declared := `{"type":"object","properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{`
		for i := range n {
			declared += fmt.Sprintf(`"%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/%d"}}},`, i, i+1)
		}
		declared += fmt.Sprintf(`"%d":{"type":"string"}}}`, n)
		c := Conversation{Messages: []Message{{Role: User, Text: "hi"}}, Tools: []Tool{{Name: "deep", Parameters: []byte(declared)}}}
		for _, r := range []Renderer{parse(t, "{% for m in messages %}{{ m.content }}{% endfor %}{{ tools | tojson }}"), Builtin{}, Forward{}} {
			out, err := r.Render(c)
			if _, inWords := r.(Builtin); err != nil || !inWords && strings.Contains(out.String(), "$ref") == resolved {
				t.Errorf("%T, %d references: %v", r, n, err)
			}
		}
	}
}

func TestToolSet_sortsAndTidies(t *testing.T) {
	tools := []Tool{{Name: "b", Parameters: []byte(`{"$schema":"x","type":"object"}`)}, {Name: "a", Parameters: []byte(`not JSON`)}, {Name: "c", Parameters: []byte("null")}}
	s := newToolSet(toolsKey(tools, schema.Simplification{}), tools, schema.Simplification{})
	if diff := cmp.Diff([]Tool{{Name: "a"}, {Name: "b", Parameters: []byte(`{"type":"object"}`)}, {Name: "c"}}, s.tools); diff != "" {
		t.Error(diff)
	}
	if got := notes(s.heals); got != "sort-tools@-1 tidy-schema@-1 tidy-schema@-1" {
		t.Error(got)
	}
	if tools[0].Name != "b" {
		t.Error("the client's order changed")
	}
}

func TestToolCache_keepsWhatIsUsed(t *testing.T) {
	var c toolCache
	first := []Tool{{Name: "first"}}
	s := c.get(first, schema.Simplification{})
	for i := range 3 * cachedSets {
		_ = c.get([]Tool{{Name: fmt.Sprint(i)}}, schema.Simplification{})
		if again := c.get(first, schema.Simplification{}); again != s {
			t.Fatal("a set in use was made anew")
		}
	}
	if len(c.sets) != cachedSets {
		t.Errorf("%d sets", len(c.sets))
	}
}

// S1-11: what was mended in arguments is told with the tool, the call's id, an excerpt and the
// place where the text stops being JSON.
func TestHeal_argumentsAreToldWithTheirPlace(t *testing.T) {
	h := newHealing(liberal, Conversation{Messages: []Message{hi, asks("", call("call_7", `{"x": 1, "y" 2}`)), answer("call_7", "1")}}, nil)
	h.heal()
	if len(h.heals) != 1 || h.heals[0].Detail != `f (call_7): {"x": 1, "y" 2} (byte 14 of 15: invalid character '2' after object key)` {
		t.Errorf("%+v", h.heals)
	}
}
