package socket_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/enginetest"
)

// S3-3, S3-13: every kind of packet in its order, one success, and the fragments are the answer.
func TestPredict_fragmentsAreTheAnswer(t *testing.T) {
	s := serve(t).load(t, "m")
	all := s.dial(t, "llm").open("predict", ask("[[a]]grüß dich 👋[[/]]"))
	if got := content(all); got != "grüß dich 👋" {
		t.Errorf("content %q", got)
	}
	if got := kinds(all); got[0] != "promptProcessingProgress" || got[1] != "promptProcessingProgress" || all[1].Message.Progress != 1 {
		t.Errorf("kinds %v", got)
	}
	if slices.Index(kinds(all), "success") != len(all)-2 {
		t.Errorf("kinds %v", kinds(all))
	}
	stats, tokens := success(t, all).Message.Stats, 0
	for _, f := range all {
		tokens += f.Message.Fragment.TokensCount
	}
	if stats.StopReason != "eosFound" || tokens != stats.PredictedTokensCount || stats.TotalTokensCount != stats.PromptTokensCount+tokens {
		t.Errorf("stats %+v, %d tokens in the fragments", stats, tokens)
	}
}

// S3-12: the speed is a number, also where nothing or one token was said.
func TestPredict_statisticsAreNumbers(t *testing.T) {
	s := serve(t).load(t, "m")
	for _, said := range []string{"", "x"} {
		stats := success(t, s.dial(t, "llm").open("predict", ask("[[a"+said+"]]"+said+"[[/]]"))).Message.Stats
		if stats.TokensPerSecond == nil || stats.TotalTimeSec == nil {
			t.Errorf("%q: %+v", said, stats)
		}
	}
}

// S3-14: thinking comes between tags that are marked as structure, with its own type.
func TestPredict_thinkingHasItsType(t *testing.T) {
	s := serve(t).load(t, "m")
	all := s.dial(t, "llm").open("predict", ask("[[a]]<think>why</think>so[[/]]"))
	var got []string
	for _, f := range all {
		if x := f.Message.Fragment; f.Message.Type == "fragment" {
			got = append(got, fmt.Sprintf("%s %s %v", x.ReasoningType, x.Content, x.IsStructural))
		}
	}
	want := []string{
		"reasoningStartTag <think> true", "reasoning w false", "reasoning h false", "reasoning y false", "reasoningEndTag </think> true", "none s false", "none o false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// S3-4: Start, name, argument pieces and end of each call come in this order; the arguments are
// an object that the pieces spell. S3-8: respond has the same packets as act, and toolCalls as
// its reason.
func TestPredict_callsComeInPieces(t *testing.T) {
	s := serve(t).load(t, "m")
	one, two := `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`, `{"tool": "get_weather", "arguments": {"city": "Rome"}}`
	all := s.dial(t, "llm").open("predict", ask("[[a]]"+one+"\n"+two+"[[/]]", setting("tools", weather)))
	var cities, ids []string
	pieces := ""
	order := slices.Compact(kinds(all))
	for _, f := range all {
		m := f.Message
		switch m.Type {
		case "toolCallGenerationStart":
			pieces = ""
			ids = append(ids, m.ToolCallID)
		case "toolCallGenerationArgumentFragmentGenerated":
			pieces += m.Content
		case "toolCallGenerationEnd":
			if pieces != string(m.ToolCallRequest.Arguments) && !equalJSON(pieces, string(m.ToolCallRequest.Arguments)) || m.ToolCallRequest.Type != "function" {
				t.Errorf("pieces %s, request %+v", pieces, m.ToolCallRequest)
			}
			cities = append(cities, string(m.ToolCallRequest.Arguments))
			if m.ToolCallRequest.ID != ids[len(ids)-1] {
				t.Error("another id at the end")
			}
		case "fragment":
			t.Errorf("the call's text came as a fragment: %q", m.Fragment.Content)
		}
	}
	call := []string{"toolCallGenerationStart", "toolCallGenerationNameReceived", "toolCallGenerationArgumentFragmentGenerated", "toolCallGenerationEnd"}
	want := slices.Concat([]string{"promptProcessingProgress"}, call, call, []string{"success", "channelClose"})
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if len(cities) != 2 || ids[0] == ids[1] || success(t, all).Message.Stats.StopReason != "toolCalls" {
		t.Errorf("%v %v", cities, ids)
	}
}

func equalJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

// S3-1: the rounds of act come to their end: a call, its result in the next round's history, which
// the model reads, and the final text. The rows lmstudio-js and lmstudio-py of make clients have
// the SDKs do so.
func TestPredict_theRoundsOfActComeToTheirEnd(t *testing.T) {
	s := serve(t).load(t, "m")
	c := s.dial(t, "llm")
	said, rounds, executed := `{"role":"user","content":[{"type":"text","text":"[[act]]{\"tool\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}[[|]]It is 3 degrees in Oslo.[[/]]"}]}`, 0, 0
	var text string
	for called := true; called; rounds++ {
		all := c.open("predict", conversation(said, setting("tools", weather)))
		called, text = false, content(all)
		for _, f := range all {
			if r := f.Message.ToolCallRequest; f.Message.Type == "toolCallGenerationEnd" {
				called = true
				executed++
				said += fmt.Sprintf(`,{"role":"assistant","content":[{"type":"text","text":%q},{"type":"toolCallRequest","toolCallRequest":{"id":%q,"type":"function","name":%q,"arguments":%s}}]},
					{"role":"tool","content":[{"type":"toolCallResult","content":"\"3 degrees\"","toolCallId":%q}]}`, text, r.ID, r.Name, r.Arguments, r.ID)
			}
		}
		success(t, all)
	}
	turns := s.engine.Turns()
	if prompt := turns[len(turns)-1].Prompt.String(); rounds != 2 || executed != 1 || text != "It is 3 degrees in Oslo." || !strings.Contains(prompt, "3 degrees") {
		t.Errorf("%d rounds, %d calls, %q", rounds, executed, text)
	}
}

// S3-4: a tool without parameters is called with an empty object.
func TestPredict_noArgumentsAreAnEmptyObject(t *testing.T) {
	s := serve(t).load(t, "m")
	tool := `{"type":"toolArray","tools":[{"type":"function","function":{"name":"ping"}}]}`
	all := s.dial(t, "llm").open("predict", ask(`[[a]]{"tool": "ping", "arguments": {}}[[/]]`, setting("tools", tool)))
	i := slices.Index(kinds(all), "toolCallGenerationEnd")
	if i < 0 || string(all[i].Message.ToolCallRequest.Arguments) != "{}" {
		t.Errorf("%+v", all)
	}
}

// S3-5: both spellings of the parameters are taken, and names come back as they were sent.
func TestTools_bothSpellings(t *testing.T) {
	s := serve(t).load(t, "m")
	for i, member := range []string{"parameters", "input_schema"} {
		tool := fmt.Sprintf(`{"type":"toolArray","tools":[{"type":"function","function":{"name":"my.tool-é","%s":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}]}`, member)
		all := s.dial(t, "llm").open("predict", ask(fmt.Sprintf(`[[a%d]]{"tool": "my.tool-é", "arguments": {"n": 3}}[[/]]`, i), setting("tools", tool)))
		end := all[slices.Index(kinds(all), "toolCallGenerationEnd")].Message.ToolCallRequest
		if end.Name != "my.tool-é" || !equalJSON(string(end.Arguments), `{"n":3}`) {
			t.Errorf("%s: %+v", member, end)
		}
	}
	all := s.dial(t, "llm").open("predict", ask(`[[none]]{"tool": "x"}[[/]]`, setting("tools", `{"type":"none"}`)))
	if got := content(all); got != `{"tool": "x"}` {
		t.Errorf("without tools: %q", got)
	}
}

// S3-6: of a key that several layers have, the last one's value holds; keys that say nothing here
// have no effect.
func TestSettings_laterLayersWin(t *testing.T) {
	s := serve(t).load(t, "m")
	stack := `{"layers":[
		{"layerName":"modelDefault","config":{"fields":[{"key":"llm.prediction.temperature","value":0.1},{"key":"llm.prediction.topKSampling","value":7.0}]}},
		{"layerName":"apiOverride","config":{"fields":[{"key":"llm.prediction.temperature","value":0.9},{"key":"ext.unknown","value":{}},
			{"key":"llm.prediction.topPSampling","value":{"checked":false,"value":0.5}},{"key":"llm.prediction.maxPredictedTokens","value":{"checked":true,"value":5}}]}}]}`
	parameter := strings.Replace(ask("hi"), `{"layers":[{"layerName":"apiOverride","config":{"fields":[]}}]}`, stack, 1)
	all := s.dial(t, "llm").open("predict", parameter)
	turn := s.engine.Turns()[0]
	if got := turn.Sampling; *got.Temperature != 0.9 || *got.TopK != 7 || *got.TopP != 1 || turn.Budget.Tokens != 5 {
		t.Errorf("%+v %+v", got, turn.Budget)
	}
	if reason := success(t, all).Message.Stats.StopReason; reason != "maxPredictedTokensReached" {
		t.Errorf("reason %q", reason)
	}
}

// S3-7: thinking that the SDK replays inside the text is taken out of it again, and several
// results are several messages.
func TestHistory_sdkForm(t *testing.T) {
	s := serve(t).load(t, "m")
	messages := `{"role":"system","content":[{"type":"text","text":"Be brief."}]},{"role":"user","content":[{"type":"text","text":"Weather?"}]},
		{"role":"assistant","content":[{"type":"text","text":"<think>two calls</think>I look."},
			{"type":"toolCallRequest","toolCallRequest":{"id":"1","type":"function","name":"get_weather","arguments":{"city":"Oslo"}}},
			{"type":"toolCallRequest","toolCallRequest":{"id":"2","type":"function","name":"get_weather","arguments":{"city":"Rome"}}}]},
		{"role":"tool","content":[{"type":"toolCallResult","content":"\"cold\"","toolCallId":"1"},{"type":"toolCallResult","content":"\"warm\"","toolCallId":"2"}]}`
	success(t, s.dial(t, "llm").open("predict", conversation(messages, setting("tools", weather))))
	prompt := s.engine.Turns()[0].Prompt.String()
	if strings.Contains(prompt, "<think>") || !strings.Contains(prompt, "I look.") || !strings.Contains(prompt, `"cold"`) || strings.Index(prompt, `"cold"`) > strings.Index(prompt, `"warm"`) {
		t.Error(prompt)
	}
}

// A history in which nobody says anything is refused as an empty one, whatever else is set.
func TestHistory_ofNothing(t *testing.T) {
	c := serve(t).load(t, "m").dial(t, "llm")
	for _, messages := range []string{``, `{"role":"tool","content":[]}`} {
		for _, settings := range [][]string{nil, {setting("systemPrompt", `"Be brief."`)}} {
			all := c.open("predict", conversation(messages, settings...))
			if last := all[len(all)-1]; last.Type != "channelError" || !strings.Contains(last.Error.Title, "history.messages") {
				t.Errorf("%s: %+v", messages, last)
			}
		}
	}
}

// S3-11: each reason for an end has its name.
func TestPredict_stopReasons(t *testing.T) {
	for want, c := range map[string]struct {
		reply    enginetest.Reply
		settings []string
	}{
		"eosFound":                  {enginetest.Say("done"), nil},
		"stopStringFound":           {enginetest.Say("one two three"), []string{setting("stopStrings", `["two"]`)}},
		"maxPredictedTokensReached": {enginetest.Say("one two three"), []string{setting("maxPredictedTokens", `{"checked":true,"value":4}`)}},
		"toolCalls":                 {enginetest.Say(`{"tool": "get_weather", "arguments": {"city": "Oslo"}}`), []string{setting("tools", weather)}},
		"modelUnloaded":             {enginetest.Reply{Tokens: enginetest.Say("cut").Tokens, Err: engine.ErrClosed}, nil},
	} {
		s := serveEngine(t, enginetest.Script(c.reply)).load(t, "m")
		stats := success(t, s.dial(t, "llm").open("predict", ask("hi", c.settings...))).Message.Stats
		if stats.StopReason != want || (want == "stopStringFound") != (stats.StopString == "two") {
			t.Errorf("%+v, want %s", stats, want)
		}
	}
}

// S3-2: a cancelled prediction is a success with userStopped, and its slot is free.
func TestPredict_cancelIsASuccess(t *testing.T) {
	s := serve(t).load(t, "m")
	c := s.dial(t, "llm")
	c.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` + ask("[[a]]x…[[/]]") + `}`)
	for !strings.Contains(c.next(), `"fragment"`) {
	}
	c.send(`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`)
	stats := success(t, c.until()).Message.Stats
	if stats.StopReason != "userStopped" || stats.PredictedTokensCount == 0 {
		t.Errorf("%+v", stats)
	}
	if s.engine.Running() != 0 || s.users() != 0 {
		t.Error("the slot was not freed")
	}
}

// A call that is open when the client stops has failed: nothing of it is to be run.
func TestPredict_cancelInsideACall(t *testing.T) {
	s := serve(t).load(t, "m")
	c := s.dial(t, "llm")
	c.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` +
		ask(`[[a]]{"tool": "get_weather", "arguments": {"city": "…[[/]]`, setting("tools", weather)) + `}`)
	for !strings.Contains(c.next(), "ArgumentFragment") {
	}
	c.send(`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`)
	all := c.until()
	if got := kinds(all); !slices.Contains(got, "toolCallGenerationFailed") || slices.Contains(got, "toolCallGenerationEnd") {
		t.Errorf("%v", slices.Compact(got))
	}
	success(t, all)
}

// Structured output: the schema becomes the output's grammar, and a model does not think into
// what is read as JSON.
func TestPredict_structured(t *testing.T) {
	s := serve(t).load(t, "m")
	schema := `{"type":"json","jsonSchema":{"$ref":"#/$defs/place","$defs":{"place":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}}`
	all := s.dial(t, "llm").open("predict", ask(`[[a]]{"city": "Oslo"}[[/]]`, setting("structured", schema)))
	if content(all) != `{"city": "Oslo"}` || !strings.Contains(s.engine.Turns()[0].Grammar, "%json") {
		t.Error(content(all), s.engine.Turns()[0].Grammar)
	}
	all = s.dial(t, "llm").open("predict", ask("hi", setting("structured", `{"type":"gbnf","gbnfGrammar":"root ::= \"a\" |"}`)))
	if e := all[len(all)-1].Error.Title; !strings.Contains(e, "gbnf") && e != "" {
		t.Errorf("%q", e)
	}
}

// A conversation that is too long is an error with its figures, unless the client would rather
// lose its beginning.
func TestPredict_contextOverflowPolicy(t *testing.T) {
	s := serveEngine(t, &enginetest.Scripted{Info: engine.Model{Context: 300}}).load(t, "m")
	long := strings.Repeat(`{"role":"user","content":[{"type":"text","text":"`+strings.Repeat("x", 50)+`"}]},{"role":"assistant","content":[{"type":"text","text":"ok"}]},`, 6)
	messages := long + `{"role":"user","content":[{"type":"text","text":"the last"}]}`
	all := s.dial(t, "llm").open("predict", conversation(messages))
	if e := all[len(all)-1]; e.Type != "channelError" || !strings.Contains(e.Error.Title, "300") {
		t.Errorf("%+v", e)
	}
	logs := s.dial(t, "diagnostics")
	logs.send(`{"type":"channelCreate","endpoint":"streamLogs","channelId":1}`)
	logs.call("nothing", "") // answered behind the channel's begin
	for _, policy := range []string{"truncateMiddle", "rollingWindow"} {
		success(t, s.dial(t, "llm").open("predict", conversation(messages, setting("contextOverflowPolicy", `"`+policy+`"`))))
		if said := logs.next(); !regexp.MustCompile(`"content":"the oldest [1-9]\d* messages of a conversation were left out`).MatchString(said) {
			t.Errorf("%s: the log says %s", policy, said)
		}
	}
	prompt := s.engine.Turns()[0].Prompt.String()
	if !strings.Contains(prompt, "the last") || strings.Count(prompt, "xxx") >= 6*16 {
		t.Error(prompt)
	}
}

// completeRawText and complete of older SDKs continue a text as it is.
func TestComplete_bothForms(t *testing.T) {
	s := serve(t).load(t, "m")
	raw := `{"modelSpecifier":{"type":"query","query":{}},"rawPrompt":"[[a]]on[[/]]","predictionConfigStack":{"layers":[]}}`
	if got := content(s.dial(t, "llm").open("completeRawText", raw)); got != "on" {
		t.Errorf("%q", got)
	}
	old := strings.Replace(ask("[[b]]on[[/]]"), `{"layers":[`, `{"layers":[{"layerName":"completeModeFormatting","config":{"fields":[{"key":"llm.prediction.promptTemplate","value":{"type":"manual","stopStrings":[]}}]}},`, 1)
	if got := content(s.dial(t, "llm").open("predict", old)); got != "on" {
		t.Errorf("%q", got)
	}
	for i, turn := range s.engine.Turns() {
		if got := turn.Prompt.String(); !strings.HasPrefix(got, "[[") {
			t.Errorf("prompt %d is %q", i, got)
		}
	}
}

func TestPredict_logprobs(t *testing.T) {
	r := enginetest.Reply{Tokens: []engine.Token{{ID: 104, Bytes: []byte("h"), Logprob: -0.5, Top: []engine.Logprob{{ID: 105, Bytes: []byte("i"), Logprob: -1}}}}}
	s := serveEngine(t, enginetest.Script(r)).load(t, "m")
	c := s.dial(t, "llm")
	c.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` + ask("hi", setting("logProbs", `{"checked":true,"value":1}`)) + `}`)
	for {
		f := c.next()
		if strings.Contains(f, `"fragment"`) {
			if !strings.Contains(f, `"tokens":[{"text":"h","id":104,"logProb":-0.5,"candidates":[{"text":"i","id":105,"logProb":-1}]}]`) {
				t.Error(f)
			}
			return
		}
	}
}
