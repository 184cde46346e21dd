package tools

import (
	"strings"
	"testing"
)

// ReAct as models write it (S4-12), and one call a reply (S4-4, S4-24).
func TestReAct_formsThatModelsWrite(t *testing.T) {
	d, _ := Lookup("react")
	for _, raw := range []string{
		"Thought: x\nAction: get_weather\nAction Input: {\"city\": \"Rome\"}",
		"Thought: x\nAction : get_weather\nAction Input : {\"city\": \"Rome\"}",
		"Thought: x\naction: get_weather\naction input: {\"city\": \"Rome\"}",
		"Thought: x\nACTION: get_weather\nACTION INPUT: {\"city\": \"Rome\"}",
		"Thought: x\nAction: get_weather Action Input: {\"city\": \"Rome\"}",
		"Thought: x\nAction: get_weather, Action Input: {\"city\": \"Rome\"}",
		"I look.\n\nAction: get_weather\nAction Input:\n{\n\"city\":\n\"Rome\"\n}",
		"Action: get_weather\nAction Input: {\"city\": \"Rome\"}\nAction: get_weather\nAction Input: {\"city\": \"Oslo\"}",
		"Action: get_weather\nAction Input: {\"city\": \"Rome\"}\nObservation: 20\nThought: done\nFinal Answer: 20",
	} {
		p := planFor(t, d, Thinking{})
		got := play(p.TextParser(), raw, 0, false)
		if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != "Rome" {
			t.Errorf("%q: %s", raw, sayMessage(got))
		}
	}
}

// A step without input is a call of a tool that demands none, in every family.
func TestReact_noInput(t *testing.T) {
	for _, raw := range []string{"Thought: x\nAction: get_time\nAction Input: None\nObservation: 9", "Action: get_time\nActionInput: N/A", "- Action: get_time\n- Action Input: None"} {
		for _, family := range []string{"react", "hermes", "command-r-plus"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || got.Calls[0].Name != "get_time" || got.Content != nil {
				t.Errorf("%s: %q: %s", family, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
}

// Labels are read with other white space and colons, as headings, and with byte order marks beside
// them, in every family.
func TestReact_labelsAsModelsSpellThem(t *testing.T) {
	for _, raw := range []string{
		"Thought\t: x\nAction\t: get_weather\nAction Input \t: {\"city\": \"Rome\"}",
		"Thought：x\nAction：get_weather\nAction Input： {\"city\": \"Rome\"}\nObservation：20",
		"### Thought:\nx\n\n### Action:\nget_weather\n\n### Action Input:\n{\"city\": \"Rome\"}",
		"## **Thought:** x\n## **Action:** get_weather\n## **Action Input:** {\"city\": \"Rome\"}",
		"**Thought**： x\n**Action:** get_weather **Action Input:** {\"city\": \"Rome\"}",
		"Thought 1: x\nAction 1: get_weather\nAction 1 Input: {\"city\": \"Rome\"}\nObservation 1: 20",
		"- **Thought:** x\n- **Action #1:** get_weather\n  Action Input #1: {\"city\": \"Rome\"}\n- Observation: 20",
		"Thought: x\nAction: get_weather\naction_input: {\"city\": \"Rome\"}",
		"Thought: x\nAction:\ufeff get_weather\ufeff\nAction Input\ufeff:\ufeff {\"city\": \"Rome\"}\ufeff",
	} {
		for _, family := range []string{"react", "hermes", "qwen3-coder", "command-r-plus"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || got.Content != nil || deref(got.Reasoning) != "x" {
				t.Errorf("%s: %q: %s", family, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
	for _, raw := range []string{"# Action\n\nThe plot: get_time", "#Action Input", "Action ：： x", "Action:* x and y", "### Actions: two", "Action － get_time", "Thought 1: be kind\n- Thought: be fair"} {
		for _, family := range []string{"react", "hermes"} {
			d, _ := Lookup(family)
			if got := play(planFor(t, d, Thinking{}).TextParser(), raw, 1, false); len(got.Calls) > 0 || deref(got.Content) != raw {
				t.Errorf("%s: %q became %s", family, raw, sayMessage(got))
			}
		}
	}
}

// A step on one line is a call whose line is taken whole, also where the label of its arguments is
// missing. A sentence is none.
func TestReAct_oneLineLeavesNothing(t *testing.T) {
	for _, family := range []string{"react", "hermes"} {
		d, _ := Lookup(family)
		p := planFor(t, d, Thinking{})
		for _, raw := range []string{
			"Action: get_weather {\"city\": \"Rome\"}",
			"Action: get_weather: {\n\"city\": \"Rome\"\n}",
			"Action: get_weather({\"city\": \"Rome\"})",
			"Action: get_weather({\"city\": \"Rome\"} )\n",
		} {
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != "Rome" || deref(got.Content) != "" {
				t.Errorf("%s: %q: %s", family, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
		for _, raw := range []string{"Action: get_weather takes {\"city\": \"Rome\"}.", "Action: {\"city\": \"Rome\"} for get_weather"} {
			if got := play(p.TextParser(), raw, 0, false); len(got.Calls) > 0 || deref(got.Content) != raw {
				t.Errorf("%s: %q became %s", family, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
}

// Behind a result that the model made up nothing leaves. A note tells of the step in it.
func TestReact_stepBehindAnInventedResultIsTold(t *testing.T) {
	const step, second = "Action: get_weather\nAction Input: {\"city\": \"Rome\"}\nObservation: 20 C\n", "Thought: y\nAction: get_time\nAction Input: {}"
	d, _ := Lookup("react")
	p := planFor(t, d, Thinking{})
	for rest, notes := range map[string]int{
		second: 1, "Final Answer: 20": 0, "Action: launch\nAction Input: {}": 0,
		second + "\nObservation: 9\n" + second: 2, "<tool_call>{\"name\": \"get_time\", \"arguments\": {}}</tool_call>": 1,
	} {
		q := p.TextParser()
		got := play(q, step+rest, 0, false)
		if len(got.Calls) != 1 || got.Content != nil || got.Reasoning != nil || len(q.Notes()) != notes || q.InCall() || q.Refused() != nil {
			t.Errorf("%q: %s, %+v", rest, sayMessage(got), q.Notes())
		}
		checkProperties(t, p, []byte(step+rest), 3)
	}
}

// The labels of a step that is no call are no text, what stands behind them is (S4-4). Words that
// look like one stay.
func TestReAct_labelsOfWhatIsNoCallDoNotLeak(t *testing.T) {
	d, _ := Lookup("react")
	declared := planFor(t, d, Thinking{})
	none := planned(t, d, Turn{Tools: defaultTools(t), Choice: Choice{Mode: None}})
	for _, p := range []*Plan{declared, none} {
		for raw, want := range map[string]string{
			"Action: launch\nAction Input: {\"now\": true}":                  "launch\n {\"now\": true}",
			"Thought: x\nAction : launch\nACTION INPUT: all\nNow I wait.":    "launch\n all\nNow I wait.",
			"I go.\n\n**Action:** launch\n**Action Input:** {\"now\": true}": "I go.\n\n launch\n {\"now\": true}",
			"Action: launch\nAction Input: {\"n\": \"\\nAction Input: x\"}":  "launch\n {\"n\": \"\\nAction Input: x\"}",
			"Action: none needed.": "Action: none needed.",
			"Action: none needed\nThe Action Input: field is empty.": "Action: none needed\nThe Action Input: field is empty.",
			"We say \"Action: launch\nand wait\".":                   "We say \"Action: launch\nand wait\".",
		} {
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) > 0 || deref(got.Content) != want {
				t.Errorf("%q became %q, want %q, %d calls", raw, deref(got.Content), want, len(got.Calls))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
	raw := "Action: get_weather\nAction Input: {\"days\": \"many\"}"
	if got := play(declared.TextParser(), raw, 0, false); len(got.Calls) > 0 || strings.Contains(deref(got.Content), "Action") {
		t.Errorf("%q became %s", raw, sayMessage(got))
	}
	raw = "Action: get_weather\nAction Input: {\"city\": \"Rome\"}"
	if got := play(none.TextParser(), raw, 0, false); len(got.Calls) > 0 || deref(got.Content) != "get_weather\n {\"city\": \"Rome\"}" || got.Notes > 0 {
		t.Errorf("under none %q became %s", raw, sayMessage(got))
	}
	plain := planned(t, d, Turn{})
	if got := play(plain.TextParser(), raw, 0, false); deref(got.Content) != raw {
		t.Errorf("without tools %q became %s", raw, sayMessage(got))
	}
}
