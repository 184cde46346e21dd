package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/tools/parse"
)

// reports are the kinds of failure that users of other servers reported (L llama.cpp, O Ollama, V
// vLLM, LM LM Studio), each with the tests that keep it from happening here.
var reports = []struct{ what, issues, tests string }{
	{"a real tool set's grammar does not compile", "L#25895 L#25746 L#26596 L#23902 L#21943",
		"tools.TestReport_hugeToolSetsCompile tools.TestReport_manyToolsCompileInEveryFamily grammar.TestRatchet_schemasOfMaskBench cmd/tenon.TestCheck_saysWhatBecomesOfEachTool"},
	{"output that drifts from the parser is a 500", "L#24644 L#22422 L#27025 L#25072 L#20761 L#20532 O#14834 O#18563 O#17276 O#12380",
		"tools.TestMalformed_callsAreRecovered tools.TestParser_everyTextGivesAValidTurn tools.FuzzParser tools/conform.TestConform_numbersBeyondADouble cmd/tenon.TestParse_anyInputIsAMessage"},
	{"a bad call in the history poisons the conversation", "L#22948 V#47761",
		"templates.TestHeal templates.TestRender_everyConversationFitsEveryTemplate server.TestExchange_goldens server/chat.TestBudget_noHalfCallUnderAnyLimit"},
	{"tool_choice is not honoured", "L#26535 L#28806 L#26849 L#27217 L#26737 L#15247 O#8421 O#17921 V#49712",
		"server/chat.TestMatrix_everyTurnKeepsItsPromises server/chat.TestBudget_requiredCallFitsOrIsNotBegun server.TestToolChoice_everyFormInEveryProtocol server.TestContradictions_areRefusedInEveryProtocol"},
	{"each turn destroys the prefix cache", "L#21912 L#21903 L#20225 L#20623 O#14918",
		"templates.TestRender_echoedConversationsKeepTheirBeginning server/chat.TestDates_staysWhileTheConversationGrows server.TestMessages_theBillingLineDoesNotBreakThePrefix engine/worker/runner.TestPrefix_conversationEvaluatesOnlyWhatIsNew"},
	{"a call inside thinking is swallowed, prose in it becomes a call", "L#20260 L#26849 V#19017 V#53246 LM#1592",
		"tools.TestParser_aTokenInThinkingEndsIt tools.TestMalformed_callsAreRecovered tools.TestReport_thinkingAboutCallsIsNoCall"},
	{"a template raises on valid input", "L#20733 O#18241 O#18107 L#11402",
		"templates.TestRender_everyConversationFitsEveryTemplate templates.TestRender_whatATemplateRefusesIsRemedied templates.TestHeal"},
	{"a token across a trigger crashes the grammar", "L#12597 L#15608 L#19430 L#19503 L#13341",
		"server/chat.TestMatrix_everyTurnKeepsItsPromises grammar.TestMask_ofARealVocabularyEqualsMatchingTokenByToken engine/worker/runner.TestCheck_insideAToken"},
	{"arguments have the wrong types", "L#22240 O#15645 V#25729 V#51284 L#19620 L#20198",
		"tools/conform.TestConform_changesSpellingOnly tools/conform.TestConform_inventsNothing tools/conform.TestConform_doesNotGuess tools.TestMalformed_callsAreRecovered"},
	{"many tools slow decoding down", "L#27675 L#27615 L#4218 L#3980 L#7554",
		"grammar.TestMatcher_costDoesNotGrowWithTools grammar.TestMatcher_steadyStateAllocatesNothing tools.TestCost_steadyStateAllocatesNothing"},
	{"Codex's tools are not understood", "L#20156 L#23041",
		"server/responses.TestDecode_everyFormOfInput server/responses.TestCreate_hostedToolsAreEchoedAsTheyWereSent tools.TestCaptures_freeformToolsInEveryDialect tools.TestParser_namespacesComeBack"},
	{"a grammar that fails is ignored", "L#19051",
		"server.TestChat_whatTheMaskDoesNotEnforceIsInAHeader tools.TestPlan_badDefinitionsNameTheirField tools.TestReport_strictIsAllOrNothing"},
	{"tools or context are dropped in silence", "L#27129 O#18107 O#18509",
		"templates.TestBuiltin_toolsInEveryProtocol server.TestChat_tooLongAPromptIsCountedByPart server.TestMessages_overflowIsReportedAsTheRealAPIDoes"},
	{"arguments must come in one order", "L#15216 L#24516 L#26472 L#24644",
		"tools.TestReport_argumentsInAnyOrder grammar.TestParts_manyInAnyOrder"},
	{"deltas are malformed", "V#35266 V#35716 V#45256 V#10398 V#30439",
		"server/chat.TestMatrix_everyTurnKeepsItsPromises server.TestExchange_streamEqualsWhole server/chat.TestStop_endsTheAnswerHoweverTokensArrive tools.TestGoldens"},
	{"markers leak into content", "V#36654 V#50768 LM#2224 LM#810 O#11704",
		"tools.TestParser_everyTextGivesAValidTurn tools.TestParser_textThatIsNoMarkerIsKept server/chat.TestMatrix_everyTurnKeepsItsPromises"},
	{"harmony headers go astray", "O#11704 O#11781 O#11991 LM#942",
		"tools.TestReport_harmonyOutOfOrder tools.TestMalformed_callsAreRecovered"},
	{"subagents thrash the cache, conversations mix", "L#22083 L#19977 L#27148",
		"engine/worker/runner.TestPrefix_sharedByEightAndTheNinth engine/worker/runner.TestPrefix_neverAcrossKeys engine/worker/runner.TestRunner_crowdedTurnsSayWhatTheyWouldAlone"},
	{"white space and repetition go on for ever", "V#21026",
		"server/chat.TestLoop_everyFamilyEndsItLegally server/chat.TestLoopGuard_whiteSpaceWithoutEnd server/chat.TestRepeats_aCallThatComesAgainEndsTheTurn server/chat.TestLoopGuard_leavesDataAlone tools.TestAnswer_numbersDoNotGoOnForever"},
	{"calls that are not well formed stay in content", "LM#821 LM#810 LM#942",
		"tools.TestMalformed_callsAreRecovered tools.TestOracle_renderedTurnsParseBack"},
}

func TestReports_eachKindHasItsTests(t *testing.T) {
	sources := map[string]string{}
	for _, r := range reports {
		if r.issues == "" || r.tests == "" {
			t.Errorf("%s: nothing is listed", r.what)
		}
		for test := range strings.FieldsSeq(r.tests) {
			dot := strings.LastIndexByte(test, '.')
			folder, name := test[:dot], test[dot+1:]
			if sources[folder] == "" {
				sources[folder] = testSources(t, filepath.Join("..", folder))
			}
			if !strings.Contains(sources[folder], "func "+name+"(") {
				t.Errorf("%s: there is no test %s", r.what, test)
			}
		}
	}
}

func testSources(t *testing.T, folder string) string {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	var all strings.Builder
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// Elsewhere 97 kB of schemas work and 100 kB do not (L#25895), maxLength from 2,000 on fails
// (L#26596), so do nested patterns and a bare \S.
func TestReport_hugeToolSetsCompile(t *testing.T) {
	var list []Tool
	for i := range 150 {
		list = append(list, Tool{Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("d", 500), Parameters: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"text":{"type":"string","maxLength":65536},"code":{"type":"string","pattern":"^\\S+$"},"list":{"type":"array","maxItems":2000,"items":{"type":"object","properties":{"p":{"type":"string","pattern":"\\S"}}}},
			"path_%d":{"type":"string","description":%q},"empty":{"type":"object"}},"required":["code"]}`, i, strings.Repeat("x", 700)))})
	}
	size := 0
	for _, tool := range list {
		size += len(tool.Parameters)
	}
	if size < 150_000 {
		t.Fatalf("only %d bytes", size)
	}
	for _, name := range []string{"hermes", "qwen3-coder", "gemma4", "lfm2", "kimi-k2", "minimax-m3", "gpt-oss"} {
		d, _ := Lookup(name)
		p, err := d.Plan(Turn{Tools: list, Choice: Choice{Mode: Required, Names: []string{"tool_149"}}, Thinking: Thinking{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		if len(uncallable(p)) > 0 {
			t.Errorf("%s: %v", name, p.Issues())
		}
		text := shortest(t, compiled(t, p))
		if got := play(p.Parser(), text, 0, false); len(got.Calls) != 1 || got.Calls[0].Name != "tool_149" {
			t.Errorf("%s: %q gives %+v", name, text, got)
		}
	}
}

// Every order of the arguments is in the grammar, and optional ones may come first (L#24644).
func TestReport_argumentsInAnyOrder(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"opt":{"enum":["o"]},"must":{"enum":["m"]},"n":{"const":1}},"required":["must"]}`)
	values := map[string]string{"opt": `"o"`, "must": `"m"`, "n": "1"}
	for _, d := range Families() {
		p := required(t, d, string(schema))
		m := compiled(t, p).Matcher(nil)
		if m.Distance() > 1<<20 {
			t.Fatalf("%s: no end", d.Key)
		}
		for _, order := range [][]string{{"opt", "must"}, {"must", "opt"}, {"n", "must", "opt"}, {"must", "n"}} {
			var parts []string
			for _, key := range order {
				parts = append(parts, `"`+key+`": `+values[key])
			}
			if pieces, ok := d.Write([]Call{{Name: "book", Arguments: json.RawMessage("{" + strings.Join(parts, ", ") + "}")}}); ok {
				text := ""
				for _, piece := range pieces {
					text += piece.Text
				}
				if got := play(p.Parser(), text, 0, false); len(got.Calls) != 1 || got.Notes > 0 {
					t.Errorf("%s: %q gives %+v", d.Key, text, got)
				}
			}
		}
	}
	for family, raw := range map[string]string{
		"hermes":      "<tool_call>\n{\"name\": \"book\", \"arguments\": {\"opt\": \"o\", \"must\": \"m\"}}\n</tool_call>",
		"qwen3-coder": "<tool_call>\n<function=book>\n<parameter=n>\n1\n</parameter>\n<parameter=opt>\no\n</parameter>\n<parameter=must>\nm\n</parameter>\n</function>\n</tool_call>",
		"gemma4":      `<|tool_call>call:book{opt:<|"|>o<|"|>,n:1,must:<|"|>m<|"|>}<tool_call|>`,
		"glm-4.5":     "<tool_call>book\n<arg_key>opt</arg_key>\n<arg_value>o</arg_value>\n<arg_key>must</arg_key>\n<arg_value>m</arg_value>\n</tool_call>",
		"lfm2":        `<|tool_call_start|>[book(opt="o", must="m", n=1)]<|tool_call_end|>`,
	} {
		d, _ := Lookup(family)
		q := required(t, d, string(schema)).Parser()
		if got := play(q, raw, 0, false); len(got.Calls) != 1 || q.(*parse.Constrained).Rest != nil {
			t.Errorf("%s: %+v", family, got)
		}
	}
}

// strict: true is kept whole or refused with the tool, the keyword and the place; without it the
// rest is enforced (L#19051).
func TestReport_strictIsAllOrNothing(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"^(x|y)\\1$"}}}`)
	d, _ := Lookup("hermes")
	_, err := d.Plan(Turn{Tools: []Tool{{Name: "f", Parameters: schema, Strict: true}}})
	if err == nil || !strings.Contains(err.Error(), "pattern") || !strings.Contains(err.Error(), "/properties/a") || !strings.Contains(err.Error(), `"f"`) {
		t.Errorf("%v", err)
	}
	p, err := d.Plan(Turn{Tools: []Tool{{Name: "f", Parameters: schema}}})
	if err != nil || len(p.Issues()) != 1 {
		t.Errorf("%v, %v", err, p.Issues())
	}
}

// A model that thinks about its tools in their own markup has called none (V#53246,
// jundot/omlx#3153).
func TestReport_thinkingAboutCallsIsNoCall(t *testing.T) {
	d, _ := Lookup("hermes")
	for _, thought := range []string{
		"I could write <tool_call>{\"name\": \"get_time\", \"arguments\": {}}</tool_call>, but need not.",
		"The call would be {\"name\": \"get_time\", \"arguments\": {}} then.",
		"Tools: get_time(), get_weather(city=\"x\").",
	} {
		got := play(planFor(t, d, Thinking{}).TextParser(), "<think>\n"+thought+"\n</think>\n\nHello.", 0, false)
		if len(got.Calls) > 0 || deref(got.Content) != "Hello." || deref(got.Reasoning) == "" {
			t.Errorf("%q: %+v", thought, got)
		}
	}
}

// Channels in any order, recipients in either header, and names that never were declared (O#11704,
// O#11991).
func TestReport_harmonyOutOfOrder(t *testing.T) {
	d, _ := Lookup("gpt-oss")
	for raw, want := range map[string]struct {
		text, thought string
		calls         int
	}{
		"<|channel|>final<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>late<|end|><|start|>assistant<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>{}<|call|>": {"Hi", "late", 1},
		"<|start|>assistant to=functions.get_time<|channel|>commentary json<|message|>{}<|call|>":                                                                                                             {"", "", 1},
		"<|channel|>analysis to=functions.get_weather code<|message|>{\"city\": \"x\"}<|call|>":                                                                                                               {"", "", 1},
		"<|channel|>commentary to=assistant<|channel|>analysis<|message|>{}<|call|>":                                                                                                                          {"{}", "", 0},
		"<|channel|>commentary to=functions.browser.open<|message|>{}<|call|>":                                                                                                                                {"{}", "", 0},
		"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>c<|return|>":                                              {"c", "ab", 0},
	} {
		for _, n := range []int{0, 1} {
			got := play(planFor(t, d, Thinking{}).TextParser(), raw, n, false)
			thought := strings.ReplaceAll(deref(got.Reasoning), "\n", "")
			if len(got.Calls) != want.calls || deref(got.Content) != want.text && want.calls == 0 || want.thought != "" && thought != want.thought {
				t.Errorf("%q: content %q, reasoning %q, %d calls", raw, deref(got.Content), deref(got.Reasoning), len(got.Calls))
			}
		}
	}
}

// In the steady state a token costs no allocation: what is counted comes once in so many.
func TestCost_steadyStateAllocatesNothing(t *testing.T) {
	for name, c := range map[string]struct{ family, head, unit string }{
		"text":            {"hermes", "", "plain words, <b>tags</b> and code. "},
		"json argument":   {"hermes", "<tool_call>\n" + `{"name": "write_file", "arguments": {"path": "a", "content": "`, `x = f(y) + 1\n`},
		"tagged argument": {"qwen3-coder", "<tool_call>\n<function=write_file>\n<parameter=content>\n", "if a < b && c > d {\n"},
		"names":           {"kimi-k2", "", "get_weather of functions.get_time: "},
		"joined strings":  {"lfm2", "<|tool_call_start|>[write_file(path=\"a\", content=\"x = ", `y + "a" b' + `},
		"dictionary":      {"gemma4", `<|tool_call>call:write_file{content:<|"|>`, "if a < b && c > d {\n"},
	} {
		d, _ := Lookup(c.family)
		for parser, p := range map[string]Parser{"tolerant": planFor(t, d, Thinking{}).TextParser(), "captures": planFor(t, d, Thinking{}).Parser()} {
			p.Token([]byte(c.head), false)
			text := []byte(strings.Repeat(c.unit, 4000))
			at := 0
			per := testing.AllocsPerRun(5000, func() {
				p.Token(text[at:at+4], false)
				at += 4
			})
			if per >= 1 {
				t.Errorf("%s, %s: %v allocations a token", name, parser, per)
			}
		}
	}
}

// Visible text must not hold what begins a call, of however many tools.
func TestReport_manyToolsCompileInEveryFamily(t *testing.T) {
	var list []Tool
	for i := range 150 {
		list = append(list, Tool{Name: fmt.Sprintf("mcp__server_%d__tool_%d", i%20, i)})
	}
	for _, d := range Families() {
		p, err := d.Plan(Turn{Tools: list, Parallel: true})
		if err != nil {
			t.Fatal(err)
		}
		compiled(t, p)
	}
}
