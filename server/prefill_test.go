package server_test

import (
	"net/http"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server/chat/loader"
)

// continued is a template that shows turns between marks of its own.
const continued = `{% for m in messages %}[{{ m.role }}]{{ m.content }}[end]{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}`

// prefills are a conversation that ends with the assistant's words, in each protocol, whole and
// streamed.
var prefills = map[string]string{
	"/v1/chat/completions": `{"model":"scripted","messages":[{"role":"user","content":"Count"},{"role":"assistant","content":"One, two,"}]`,
	"/v1/messages":         `{"model":"scripted","max_tokens":50,"messages":[{"role":"user","content":"Count"},{"role":"assistant","content":"One, two,"}]`,
	"/v1/responses":        `{"model":"scripted","input":[{"role":"user","content":"Count"},{"role":"assistant","content":[{"type":"output_text","text":"One, two,"}]}]`,
}

// An assistant's last turn is continued; what the client already has does not come again.
func TestPrefill_theAnswerHoldsOnlyTheNewText(t *testing.T) {
	for path, request := range prefills {
		for _, stream := range []string{"", `,"stream":true`} {
			t.Run(path+stream, func(t *testing.T) {
				s, e := templated(t, continued, loader.Options{}, enginetest.Say(" three."))
				status, body := postTo(t, s, path, request+stream+`}`)
				if status != http.StatusOK {
					t.Fatalf("%d %s", status, body)
				}
				if prompt := e.Turns()[0].Prompt.String(); prompt != "[user]Count[end][assistant]One, two," {
					t.Errorf("prompt %q", prompt)
				}
				if strings.Contains(body, "One") || strings.Contains(body, "two") {
					t.Errorf("the client's own text came back: %s", body)
				}
				if stream == "" && !strings.Contains(body, `" three."`) {
					t.Errorf("the new text is not there as it was written: %s", body)
				}
			})
		}
	}
}

// demanding raises where an id is not what it was trained on.
const demanding = `{% for m in messages %}[{{ m.role }}]{{ m.content }}` +
	`{% for c in m.tool_calls or [] %}{% if c.id|length != 9 %}{{ raise_exception('nine letters') }}{% endif %}<tool_call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments|tojson }}, "id": "{{ c.id }}"}</tool_call>{% endfor %}` +
	`{% if m.role == 'tool' %}{% if m.tool_call_id|length != 9 %}{{ raise_exception('nine letters') }}{% endif %}({{ m.tool_call_id }}){% endif %}[end]{% endfor %}` +
	`{% for t in tools or [] %}{{ t|tojson }}{% endfor %}`

// replays are a call and its result as clients replay them: the id is the client's, not the
// template's.
var replays = map[string]string{
	"/v1/chat/completions": `{"model":"scripted","messages":[{"role":"user","content":"Look"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"toolu_foreign_id","type":"function","function":{"name":"look","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"toolu_foreign_id","content":"seen"}]}`,
	"/v1/messages": `{"model":"scripted","max_tokens":50,"messages":[{"role":"user","content":"Look"},
		{"role":"assistant","content":[{"type":"tool_use","id":"toolu_foreign_id","name":"look","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_foreign_id","content":"seen"}]}]}`,
	"/v1/responses": `{"model":"scripted","input":[{"role":"user","content":"Look"},
		{"type":"function_call","call_id":"toolu_foreign_id","name":"look","arguments":"{}"},
		{"type":"function_call_output","call_id":"toolu_foreign_id","output":"seen"}]}`,
}

// Ids are mapped to what the template demands, a call's and its result's alike, and the client
// never meets the mapped one: every protocol that replays the call gets the same prompt.
func TestIDs_areMappedForTheTemplateAlone(t *testing.T) {
	prompts := map[string]bool{}
	for path, request := range replays {
		s, e := templated(t, demanding, loader.Options{}, enginetest.Say("Done."))
		status, body := postTo(t, s, path, request)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		prompt := e.Turns()[0].Prompt.String()
		_, rest, _ := strings.Cut(prompt, `"id": "`)
		id, _, _ := strings.Cut(rest, `"`)
		if len(id) != 9 || !strings.Contains(prompt, "("+id+")") || strings.Contains(prompt, "foreign") {
			t.Errorf("%s: prompt %q", path, prompt)
		}
		if strings.Contains(body, id) {
			t.Errorf("%s: the template's id reached the client: %s", path, body)
		}
		prompts[prompt] = true
	}
	if len(prompts) != 1 {
		t.Errorf("the protocols' prompts differ: %v", prompts)
	}
}

// POST /apply-template answers what tenon render prints: without a generation prompt where none is
// wanted.
func TestApplyTemplate_generationPrompt(t *testing.T) {
	s, _ := templated(t, continued, loader.Options{})
	for sent, want := range map[string]string{
		``: "[user]hi[end][assistant]", `,"add_generation_prompt":true`: "[user]hi[end][assistant]", `,"add_generation_prompt":false`: "[user]hi[end]",
	} {
		if _, body := postTo(t, s, "/apply-template", hello+sent+`}`); strings.TrimSpace(body) != `{"prompt":"`+want+`"}` {
			t.Errorf("%s: %s", sent, body)
		}
	}
	_, body := postTo(t, s, "/apply-template", prefills["/v1/chat/completions"]+`,"add_generation_prompt":false}`)
	if want := "[user]Count[end][assistant]One, two,[end]"; strings.TrimSpace(body) != `{"prompt":"`+want+`"}` {
		t.Errorf("a last turn that is not to be continued: %s", body)
	}
}
