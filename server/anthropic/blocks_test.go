package anthropic

import (
	"encoding/json"
	"strings"
	"testing"
)

// Issue 7: blocks of every kind that can reach a text model, and what the model reads of each.
func TestDecode_blocksOfEveryKind(t *testing.T) {
	own := newSigner()
	signed, err := json.Marshal(own.sign("let me see"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ role, block, says, note string }{
		"text":                    {"user", `{"type":"text","text":"hello","cache_control":{"type":"ephemeral"},"citations":null}`, "hello", ""},
		"document, text":          {"user", `{"type":"document","title":"T","context":"C","source":{"type":"text","media_type":"text/plain","data":"body"}}`, "T\n\nC\n\nbody", ""},
		"document, blocks":        {"user", `{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}`, "a\nb", ""},
		"document, a string":      {"user", `{"type":"document","source":{"type":"content","content":"whole"}}`, "whole", ""},
		"search result":           {"user", `{"type":"search_result","source":"s","title":"T","content":[{"type":"text","text":"found"}]}`, "T\ns\nfound", ""},
		"result, a string":        {"user", `{"type":"tool_result","tool_use_id":"t","content":"42"}`, "42", ""},
		"result, blocks":          {"user", `{"type":"tool_result","tool_use_id":"t","is_error":false,"content":[{"type":"text","text":"4"},{"type":"text","text":"2"}]}`, "4\n2", ""},
		"result, nothing":         {"user", `{"type":"tool_result","tool_use_id":"t"}`, "", ""},
		"result, an image":        {"user", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{}}]}`, "[image omitted: this model reads text only]", ""},
		"result, a document":      {"user", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":{"type":"text","data":"body"}}]}`, "body", ""},
		"result, a reference":     {"user", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"grep"}]}`, "[tool grep]", ""},
		"server's result":         {"assistant", `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"found"}]}`, `[{"type":"web_search_result","title":"found"}]`, ""},
		"server's result, sealed": {"assistant", `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"found","encrypted_content":"EqQBCg"}]}`, `[{"title":"found","type":"web_search_result"}]`, ""},
		"server's error":          {"assistant", `{"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"error","encrypted_index":"x"}}`, `{"type":"error"}`, ""},
		"search result, no text":  {"user", `{"type":"search_result","source":"s","title":"T","content":[]}`, "T\ns\n", ""},
		"server's call":           {"assistant", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`, "{}", ""},
		"thinking, our own":       {"assistant", `{"type":"thinking","thinking":"let me see","signature":` + string(signed) + `}`, "let me see", ""},
		"thinking, another's":     {"assistant", `{"type":"thinking","thinking":"let me see","signature":"EqQBCg"}`, "", "messages[0].content[0] (thinking signed elsewhere)"},
		"thinking, redacted":      {"assistant", `{"type":"redacted_thinking","data":"EmwKAh"}`, "", "messages[0].content[0] (redacted_thinking)"},
		"call":                    {"assistant", `{"type":"tool_use","id":"t","name":"f","input":{"a":1}}`, `{"a":1}`, ""},
		"call without an input":   {"assistant", `{"type":"tool_use","id":"t","name":"f"}`, `{}`, ""},
	} {
		d := decoder{signer: own}
		r, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"`+c.role+`","content":[`+c.block+`]}]}`), false)
		if err != nil || len(r.Conversation.Messages) != 1 {
			t.Errorf("%s: %v, %+v", name, err, r.Conversation)
			continue
		}
		m := r.Conversation.Messages[0]
		got := m.Content() + m.Reasoning
		for _, call := range m.Calls {
			got += call.Arguments
		}
		if got != c.says || strings.Join(r.Ignored, ", ") != c.note {
			t.Errorf("%s: %q, noted %q; want %q, noted %q", name, got, r.Ignored, c.says, c.note)
		}
	}
}

func TestDecode_thinkingThatWasChangedIsRefused(t *testing.T) {
	own := newSigner()
	signed, err := json.Marshal(own.sign("let me see"))
	if err != nil {
		t.Fatal(err)
	}
	d := decoder{signer: own}
	_, _, err = d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"let me lie","signature":`+string(signed)+`}]}]}`), false)
	if err == nil || !strings.HasPrefix(err.Error(), "messages[0].content[0].signature") {
		t.Errorf("%v", err)
	}
}

// A block's member of the wrong type is named where it stands, however deep, and what is not known
// of one is listed.
func TestDecode_placesInsideOfBlocks(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"text","text":5}`: "messages[0].content[0].text: is of type number; expected a string",
		`"x"`:                      "messages[0].content[0]: is of type string; expected an object",
		`{"type":"tool_result","tool_use_id":"t","content":[{"type":"text"},{"type":"text","text":[]}]}`: "messages[0].content[0].content[1].text: is of type array; expected a string",
		`{"type":"tool_result","tool_use_id":"t","is_error":"no"}`:                                       "messages[0].content[0].is_error: is of type string; expected true or false",
		`{"type":"document","source":{"type":"text","data":7}}`:                                          "messages[0].content[0].source.data: is of type number; expected a string",
		`{"type":"search_result","title":"T"}`:                                                           "messages[0].content[0].content: expected a string or an array of content blocks",
	} {
		d := decoder{}
		_, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[`+block+`]}]}`), false)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", block, err, want)
		}
	}
	d := decoder{}
	r, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"a","mark":1},{"type":"text","text":"b","mark":2}]}],"output_config":{"task_budget":{}}}`), false)
	if got := strings.Join(r.Ignored, ", "); err != nil || got != "output_config.task_budget, messages[].content[].mark" {
		t.Errorf("%v, %s", err, got)
	}
}

// Examples of inputs help a model more than a description does.
func TestDecode_examplesOfInputsAreShown(t *testing.T) {
	d := decoder{}
	r, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","description":"Does.","input_schema":{},"input_examples":[{"a":1},{"b": 2}]}]}`), false)
	if err != nil || len(r.Ignored) > 0 || r.Tools[0].Description != "Does.\n\nExamples of its input:\n{\"a\":1}\n{\"b\": 2}" {
		t.Errorf("%v, %+v", err, r)
	}
}

// With interleaved thinking the budget is for all answers of a turn together, so it may be more
// than one may have.
func TestDecode_theBudgetOfInterleavedThinking(t *testing.T) {
	for _, interleaved := range []bool{false, true} {
		d := decoder{interleaved: interleaved}
		r, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":1500,"messages":[{"role":"user","content":"a"}],"thinking":{"type":"enabled","budget_tokens":2000}}`), false)
		if (err == nil) != interleaved || interleaved && r.Thinking.Budget != 2000 {
			t.Errorf("%t: %v, %+v", interleaved, err, r.Thinking)
		}
	}
}
