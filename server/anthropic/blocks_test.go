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
		"text":                  {"user", `{"type":"text","text":"hello","cache_control":{"type":"ephemeral"},"citations":null}`, "hello", ""},
		"document, text":        {"user", `{"type":"document","title":"T","context":"C","source":{"type":"text","media_type":"text/plain","data":"body"}}`, "T\n\nC\n\nbody", ""},
		"document, blocks":      {"user", `{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}`, "a\nb", ""},
		"document, a string":    {"user", `{"type":"document","source":{"type":"content","content":"whole"}}`, "whole", ""},
		"search result":         {"user", `{"type":"search_result","source":"s","title":"T","content":[{"type":"text","text":"found"}]}`, "T\nfound", ""},
		"result, a string":      {"user", `{"type":"tool_result","tool_use_id":"t","content":"42"}`, "42", ""},
		"result, blocks":        {"user", `{"type":"tool_result","tool_use_id":"t","is_error":false,"content":[{"type":"text","text":"4"},{"type":"text","text":"2"}]}`, "4\n2", ""},
		"result, nothing":       {"user", `{"type":"tool_result","tool_use_id":"t"}`, "", ""},
		"result, an image":      {"user", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{}}]}`, "[image omitted: this model reads text only]", ""},
		"result, a document":    {"user", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":{"type":"text","data":"body"}}]}`, "body", ""},
		"result, a reference":   {"user", `{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"grep"}]}`, "[tool grep]", ""},
		"server's result":       {"assistant", `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"found"}]}`, `[{"type":"web_search_result","title":"found"}]`, ""},
		"server's call":         {"assistant", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`, "", "messages[0].content[0] (server_tool_use)"},
		"thinking, our own":     {"assistant", `{"type":"thinking","thinking":"let me see","signature":` + string(signed) + `}`, "let me see", ""},
		"thinking, another's":   {"assistant", `{"type":"thinking","thinking":"let me see","signature":"EqQBCg"}`, "", "messages[0].content[0] (thinking signed elsewhere)"},
		"thinking, redacted":    {"assistant", `{"type":"redacted_thinking","data":"EmwKAh"}`, "", "messages[0].content[0] (redacted_thinking)"},
		"call":                  {"assistant", `{"type":"tool_use","id":"t","name":"f","input":{"a":1}}`, `{"a":1}`, ""},
		"call without an input": {"assistant", `{"type":"tool_use","id":"t","name":"f"}`, `{}`, ""},
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
