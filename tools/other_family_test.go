package tools

import (
	"os"
	"slices"
	"strings"
	"testing"

	"tenon/tools/parse"
)

// eachPair visits every family's call, as its transcript has it, beside every family.
func eachPair(t *testing.T, visit func(other, family *Dialect, call string)) {
	t.Helper()
	eachCall(t, func(d *Dialect, call string) {
		for _, family := range Families() {
			visit(d, family, call)
		}
	})
}

// A call in the markers of any family is understood in every family, and its markers go with it.
func TestOtherFamily_callsInTheMarkersOfOtherFamilies(t *testing.T) {
	n, good, plans := 0, 0, onePlanEach(t, Thinking{})
	eachPair(t, func(other, family *Dialect, call string) {
		if other == family {
			return
		}
		n++
		p := plans[family.Key]
		got := play(p.TextParser(), call, 0, false)
		if len(got.Calls) == 1 && got.Calls[0].Name == "get_weather" {
			good++
		} else {
			t.Logf("%s in %s: %q gives %+v, %q", other.Key, family.Key, call, got.Calls, deref(got.Content))
		}
		if n%7 == 0 {
			checkProperties(t, p, []byte(call+"\n"), 1)
			checkProperties(t, p, []byte("So:\n"+call+call), 1)
		}
	})
	t.Logf("%d of %d are understood", good, n)
	if good*100 < 98*n {
		t.Errorf("only %d of %d calls are understood", good, n)
	}
}

// A whole call in the markers of another family stands as the family's own does, whatever is
// around it. By default some of the families are tried; TENON_ALL=1 tries them all.
func TestOtherFamily_callsOfOtherFamiliesStandAnywhere(t *testing.T) {
	contexts := []string{
		"I ask `CALL` now.", "I ask: CALL and then I wait.", "I ask:\n```\nCALL\n```\nand nothing else.",
		"I ask,\n> CALL\nand wait.", "| call | CALL | x |\n", "I ask \"CALL\" now.", "<pre>CALL</pre> is it.",
		"- CALL\n- other\n", "A call (CALL).", "I ask:\n\n    CALL\n\nThen I wait.", "So: CALL.", "CALL", "I ask:\n```xml\nCALL\n```", "CALLand text",
	}
	n, calls, k, plans := 0, 0, 0, onePlanEach(t, Thinking{})
	eachPair(t, func(other, family *Dialect, call string) {
		if k++; unmarkedFamilies[other.Key] || k%7 != 0 && os.Getenv("TENON_ALL") == "" {
			return
		}
		p := plans[family.Key]
		for _, c := range contexts {
			n++
			raw := strings.ReplaceAll(c, "CALL", call)
			if got := play(p.TextParser(), raw, 0, false); len(got.Calls) == 1 {
				calls++
			} else {
				t.Logf("%s in %s: %q gives %d calls, %q", other.Key, family.Key, raw, len(got.Calls), deref(got.Content))
			}
		}
	})
	t.Logf("%d of %d are calls", calls, n)
	if calls*1000 < 990*n {
		t.Errorf("only %d of %d calls of other families are made", calls, n)
	}
}

// What ends the other family's turn behind its call goes with the call.
func TestOtherFamily_endsOfOtherFamiliesGoWithTheirCalls(t *testing.T) {
	for call, family := range map[string]string{
		"<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\":\"Rome\"}<|call|>": "hermes",
		"<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}</tool_call><|im_end|>":      "mistral",
		"[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Rome\"}</s>":                                                  "qwen",
		"<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}</tool_call><|eot_id|>":      "llama3",
	} {
		d, _ := Lookup(family)
		p := planFor(t, d, Thinking{})
		got := play(p.TextParser(), "I look.\n"+call, 0, false)
		if len(got.Calls) != 1 || deref(got.Content) != "I look." {
			t.Errorf("%s: %q gives %d calls and %q", family, call, len(got.Calls), deref(got.Content))
		}
		checkProperties(t, p, []byte(call+" and text"), 5)
	}
}

// Markers of other families that open no call are text, and leave as it does.
func TestOtherFamily_markersOfOthersInProse(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{Off: true})
		for text := range p.reading.OtherMarkers.ByText {
			if slices.ContainsFunc(d.Markers(), func(m string) bool { return strings.Contains(text, m) }) {
				continue // a part of it is removed
			}
			raw := "Some words, " + text + " and " + text + "unknown" + text + "get_weather is what opens calls there, and so on for a while."
			got := play(p.TextParser(), raw, 0, false)
			if deref(got.Content) != raw || len(got.Calls) > 0 {
				t.Errorf("%s: %q became %+v", d.Key, raw, got)
			}
			if most, at := heldBack(p.TextParser(), raw); most > 2*max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold) {
				t.Errorf("%s: %d bytes are kept back at %q", d.Key, most, raw[:at+1])
			}
		}
	}
}

// Of two steps that a model of another family writes, the first is meant, and a note says so. Its
// label may be written in other ways.
func TestOtherFamily_stepsOfAnotherFamily(t *testing.T) {
	step := "Action: get_weather\nAction Input: {\"city\": \"Rome\"}\n"
	for raw, dropped := range map[string]int{
		step: 0,
		"Thought: x\n" + step + "Thought: y\nAction: get_time\nAction Input: {}": 1,
		// the model made that up
		step + "Observation: 20 C\nThought: y\nAction: get_time\nAction Input: {}": 1,
		step + "Action: get_time\nAction Input: {}":                                1,
		step + "Observation: 20 C\nFinal Answer: 20":                               0,
		strings.Replace(step, "Action:", "Action :", 1):                            0,
		strings.Replace(step, "Action:", "ACTION:", 1):                             0,
		"Thought: x\n" + strings.Replace(step, "Action:", "**Action:**", 1):        0,
	} {
		for _, family := range []string{"hermes", "llama3", "qwen3-coder"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			q := p.TextParser()
			got := play(q, raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" {
				t.Errorf("%s: %q became %+v", family, raw, got)
			}
			told := 0
			for _, n := range q.Notes() {
				if strings.Contains(n.Text, "a second call") {
					told++
				}
			}
			if told != dropped {
				t.Errorf("%s: %q: notes %+v", family, raw, q.Notes())
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
}

// The labels of a step go where the family that has them would have them go: what is thought is
// thinking, what the model makes up behind the step is dropped.
func TestOtherFamily_labelsOfAStepAreNoText(t *testing.T) {
	step := "Action: get_weather\nAction Input: {\"city\": \"Rome\"}"
	for _, c := range []struct{ raw, content, thought string }{
		{"Thought: I look\nit up.\n" + step, "", "I look\nit up."},
		{"Sure.\n\n**Thought:** x\n\n" + step + "\nObservation: 20 C\nFinal Answer: 20", "Sure.", "x"},
		{"THOUGHT: x\n```\n" + step + "\n```\n", "", "x"},
		{step + "\nThought: y", "", "y"},
		{step + "\nFinal Answer: 20", "20", ""},
		{"Thought: a\nThought: b\n" + step, "", "a\nThought: b"},
	} {
		for _, family := range []string{"hermes", "llama3", "qwen3-coder", "gpt-oss", "json"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) != 1 || deref(got.Content) != c.content || deref(got.Reasoning) != c.thought {
				t.Errorf("%s: %q became %s, thought %q", family, c.raw, sayMessage(got), deref(got.Reasoning))
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
}

// Where no step is, labels are words of a text. It leaves once it is long.
func TestOtherFamily_labelsInProse(t *testing.T) {
	long := strings.Repeat("and so on ", 300)
	for _, raw := range []string{
		"Thought: a model thinks.\nObservation: it acts.\nFinal Answer: none.",
		"Thought: x\n\nAction: launch\nAction Input: {\"now\": true}",
		"Thought: " + long,
		"So:\n```\nThought: x\n```\n",
	} {
		for _, d := range Families() {
			if len(d.Labels) > 0 {
				continue
			}
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) > 0 || strings.TrimSpace(deref(got.Content)) != strings.TrimSpace(raw) || got.Reasoning != nil {
				t.Errorf("%s: %q became %s", d.Key, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
	d, _ := Lookup("hermes")
	p := planFor(t, d, Thinking{})
	if most, _ := heldBack(p.TextParser(), "Thought: "+long); most > parse.MaxThought+parse.MinHold {
		t.Errorf("%d bytes were kept back", most)
	}
	call := "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>"
	if got := play(p.TextParser(), "Thought: x\n"+call+"\nObservation: so", 0, false); len(got.Calls) != 1 || !strings.HasPrefix(deref(got.Content), "Thought: x") || !strings.HasSuffix(deref(got.Content), "Observation: so") {
		t.Errorf("beside a call of the family: %s", sayMessage(got))
	}
}
