package chat

import (
	"fmt"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/grammar"
	"tenon/tools"
)

// Behind a stop string nothing counts, neither what came in one update with it nor what the same
// token goes on with.
func TestStop_endsTheAnswerHoweverTokensArrive(t *testing.T) {
	const args = `{"code": "aa", "day": "x"}`
	for family, raw := range map[string]string{
		"hermes":           "a STOP b\n<tool_call>{\"name\": \"book\", \"arguments\": " + args + "}</tool_call>",
		"functionary-v3.2": "all\na STOP>>>book\n" + args,
		"gpt-oss":          "<|channel|>commentary<|message|>a STOP<|end|><|start|>assistant to=functions.book<|channel|>commentary json<|message|>" + args,
	} {
		whole := enginetest.Say(raw)
		whole.Tokens = joined(whole.Tokens)
		for name, m := range map[string]Models{
			"token by token": scripted{enginetest.Script(enginetest.Say(raw))},
			"in one update":  scripted{batching{enginetest.Script(enginetest.Say(raw))}},
			"in one token":   scripted{enginetest.Script(whole)},
		} {
			t.Run(family+"/"+name, func(t *testing.T) {
				r := request()
				r.Model, r.Stops = family, []string{"STOP"}
				got := tell(t, m, r)
				if said := fmt.Sprintf("%s|%d|%s|%s", got.text, len(got.calls), got.finish.Reason, got.finish.StopText); said != "a |0|stop_sequence|STOP" {
					t.Errorf("%s: %+v", said, got)
				}
			})
		}
	}
}

// A call that proves to be none is text, and may hold a stop: the call before it is to be run all
// the same, so the turn ends in calls.
func TestStop_inACallThatIsNoneLeavesTheCallBeforeIt(t *testing.T) {
	first, second := bookHead+`{"code": "aa", "day": "x"}`, "}\n"+bookHead+`{"code": "ab", "day": "STOP"}`
	reply := enginetest.Say(first + second + "}")
	reply.Checks = []int{len(first), len(first + second)}
	r := request()
	r.OneCall, r.Stops = false, []string{"STOP"}
	got := tell(t, scripted{enginetest.Script(reply)}, r)
	if len(got.calls) != 1 || got.finish.Reason != ToolCalls || got.finish.StopText != "STOP" || got.finish.Mending.Refused != 1 || strings.Contains(got.text, "STOP") {
		t.Errorf("%+v", got)
	}
}

// The engine does not tell of an answer that a stop string ends. Its times are told all the same.
func TestStop_answerHasTimes(t *testing.T) {
	r := request()
	r.Tools, r.Stops = nil, []string{"STOP"}
	o := runScripted(t, &Service{}, r, enginetest.Say("one two STOP three"))
	if f := o.choice.Finish; f.StopText != "STOP" || f.Timing.Prompt <= 0 || f.Timing.Decode <= 0 {
		t.Errorf("%+v", f)
	}
}

// The longest stops that a request may have are looked for beside the markers of every family: a
// grammar that the engine refuses is no client's fault and was answered with a 500.
func TestStop_theLongestFitBesideEveryFamilysMarkers(t *testing.T) {
	stops := make([]string, 16)
	for i := range stops {
		stops[i] = fmt.Sprintf("%02d", i) + strings.Repeat("x", 126)
	}
	for _, d := range tools.Families() {
		r := request()
		r.Stops = stops
		turn := outputTurn(Model{}, r)
		plan, err := d.Plan(turn)
		if err != nil {
			t.Fatal(d.Name(), err)
		}
		if _, err := grammar.Parse(plan.Grammar(), grammar.Options{}); err != nil {
			t.Errorf("%s: %v", d.Name(), err)
		}
	}
}

// A call that was refused is text, in which a stop may be hit. What a fast engine had written
// behind it, such as half a call, is nobody's: the turn has ended well.
func TestStop_inARefusedCallEndsTheTurnThere(t *testing.T) {
	family, _ := tools.Lookup("mistral")
	d, _ := bind(family, false)
	text := `[TOOL_CALLS][{"name": "find", "arguments": {"q": "x!"}, "id": "a"}, {"name": "get_weather", "arguments": {"city": "b`
	r := cell{family: d.Name()}.request(1)
	r.Stops = []string{"!"}
	got := tell(t, noisy{enginetest.Script(enginetest.Reply{Tokens: []engine.Token{{Bytes: []byte(text)}}}), d, false}, r)
	if got.finish.Reason != StopSequence || got.finish.StopText != "!" || len(got.calls) != 0 || strings.Contains(got.text, "!") {
		t.Errorf("%+v", got)
	}
}
