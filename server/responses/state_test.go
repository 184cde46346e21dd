package responses

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server/chat"
)

// Vercel's provider sends what was kept as references to it, with their type or without.
func TestCreate_referencesBecomeTheItemsThatWereKept(t *testing.T) {
	for _, kind := range []string{`"type":"item_reference",`, `"type":null,`, ""} {
		service := turn()
		a := New(service, nil, 0)
		var first struct{ Output []struct{ ID string } }
		if err := json.Unmarshal([]byte(create(t, a, `{"model":"m","input":"hi"}`)), &first); err != nil {
			t.Fatal(err)
		}
		input := `{"role":"user","content":"hi"}`
		for _, it := range first.Output {
			input += `,{` + kind + `"id":"` + it.ID + `"}`
		}
		create(t, a, `{"model":"m","input":[`+input+`,{"type":"function_call_output","call_id":"call_1","output":"42"}]}`)
		m := service.asked[1].Conversation.Messages
		if len(m) != 3 || m[1].Reasoning != "let me" || m[1].Content() != "I look" || len(m[1].Calls) != 2 {
			t.Errorf("%s: %+v", kind, m)
		}
	}
}

func TestStore_itemsBelongToTheirOwnerAndEndWithTheirResponse(t *testing.T) {
	eachStore(t, func(t *testing.T, o StoreOptions) {
		s := openStore(t, o)
		for _, r := range []*stored{
			{ID: "resp_1", Owner: "alice", Conversation: []item{{ID: "a", Role: "user"}}},
			{ID: "resp_2", Owner: "alice", Conversation: []item{{ID: "a", Role: "user"}, {ID: "b", Role: "assistant"}}},
		} {
			if err := s.put(r); err != nil {
				t.Fatal(err)
			}
		}
		has := func(id, owner string) bool { _, err := s.item(context.Background(), id, owner); return err == nil }
		if !has("a", "alice") || !has("b", "alice") || has("a", "bob") || has("c", "alice") {
			t.Error("items are not found, or by another")
		}
		drop(s, "resp_2", "alice")
		if has("b", "alice") {
			t.Error("an item outlives its response")
		}
		if here, ok := s.keeper.(*local); ok && len(here.items) > 1 {
			t.Errorf("%v", here.items)
		}
	})
}

// Tools that an item added belong to the conversation, and so to what goes on from it.
func TestCreate_toolsThatWereAddedBeforeStayDeclared(t *testing.T) {
	service := turn()
	a := New(service, nil, 0)
	const added = `{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]},{"type":"function","name":"g"}]}`
	var first response
	if err := json.Unmarshal([]byte(create(t, a, `{"model":"m","input":[`+added+`,{"role":"user","content":"hi"}]}`)), &first); err != nil {
		t.Fatal(err)
	}
	create(t, a, `{"model":"m","previous_response_id":"`+first.ID+`","input":"go on","tools":[{"type":"function","name":"g","description":"new"}]}`)
	all := service.asked[1].Tools
	if len(all) != 2 || all[0].Description != "new" || all[1].Name != "f" || all[1].Namespace != "n" || len(service.asked[1].Ignored) > 0 {
		t.Errorf("%+v, %v", all, service.asked[1].Ignored)
	}
}

// unknown is a service that has no model of any name.
type unknown struct{ played }

func (unknown) Count(context.Context, chat.Request) (chat.Tokens, error) {
	return chat.Tokens{}, chat.UnknownModel("m", nil)
}

func TestCreate_aProbeAsksForAModelToo(t *testing.T) {
	for _, stream := range []string{"true", "false"} {
		rec := httptest.NewRecorder()
		New(&unknown{}, nil, 0).Create(rec, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"model":"m","input":[],"max_output_tokens":1,"stream":`+stream+`}`)))
		if rec.Code != http.StatusNotFound {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	}
}

// What the limit cut off is incomplete itself; what ended before is not.
func TestCreate_theItemThatWasCutOffSaysSo(t *testing.T) {
	service := turn()
	service.events = append(service.events[:5:5], chat.Event{Kind: chat.Finished, Finish: chat.Finish{Reason: chat.Length}})
	var r struct {
		Status string
		Output []struct{ Type, Status string }
	}
	if err := json.Unmarshal([]byte(create(t, New(service, nil, 0), `{"model":"m","input":"hi"}`)), &r); err != nil {
		t.Fatal(err)
	}
	if r.Status != "incomplete" || len(r.Output) != 2 || r.Output[0].Status != "completed" || r.Output[1].Status != "incomplete" {
		t.Errorf("%+v", r)
	}
}

func TestDecode_whatIsNotReadIsNoted(t *testing.T) {
	d := &decoder{}
	_, err := d.request(strings.NewReader(`{"model":"m","reasoning":{"generate_summary":"auto","context":"all_turns"},"input":[
		{"type":"reasoning","summary":[],"encrypted_content":"gAAAA"},
		{"role":"assistant","phase":"final","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]},
		{"role":"user","content":[{"type":"input_text","text":"b","mark":1}]}],
		"tools":[{"type":"function","name":"f","defer_loading":true},{"type":"web_search","filters":{}}]}`))
	const want = "reasoning.context, input[].phase, tools[].defer_loading, input[0] (reasoning encrypted elsewhere), input[].content[].mark"
	if got := strings.Join(d.turn.Ignored, ", "); err != nil || got != want {
		t.Errorf("%v: %s\nwant %s", err, got, want)
	}
}
