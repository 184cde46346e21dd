package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	"tenon/templates/schema"
)

// templated serves a scripted engine whose file holds a chat template, through the manager and the
// loader that a server has.
func templated(t *testing.T, source string, o loader.Options, replies ...enginetest.Reply) (*httptest.Server, *enginetest.Scripted) {
	t.Helper()
	e := enginetest.Script(replies...)
	e.Info.Template = source
	return entered(t, catalog.Entry{}, o, e), e
}

// entered serves an engine as the model of an entry, whose name and file are made up here.
func entered(t *testing.T, entry catalog.Entry, o loader.Options, e engine.Engine) *httptest.Server {
	t.Helper()
	entry.ID, entry.Path = "scripted", filepath.Join(t.TempDir(), "scripted.gguf")
	if err := os.WriteFile(entry.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	known := &catalog.Catalog{Entries: []catalog.Entry{entry}}
	manager := fleet.New(fleet.Options{Catalog: known, Start: func(context.Context, catalog.Entry, fleet.Grant, func(float64)) (engine.Engine, error) { return e, nil }})
	models := loader.New(manager, o)
	s := httptest.NewServer(server.New(server.Options{
		Service: &chat.Service{Models: models}, Models: manager, Warnings: models.Warnings, Log: slog.New(slog.DiscardHandler),
	}))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A chat template is untrusted code. One that cannot be used costs the model its prompt format and
// nothing else, and whoever runs it is told why.
func TestTemplate_unusableOnesAreReplacedAndReported(t *testing.T) {
	for why, source := range map[string]string{
		"Expected an expression": "{% for %}",
		"nested deeper":          "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
		"steps":                  "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
		"a text of more than":    "{{ 'x' * 999999999 }}{{ messages }}",
		"No filter named":        "{{ messages|no_such_filter }}",
		"is undefined":           "{{ no_such_function(messages) }}",
		"say anything":           "{{ raise_exception('I do not say anything') }}",
		"what a user says":       "the same for everybody",
		"Range too big":          "{{ range(1000000000000)|list }}{{ messages }}",
		"unknown tag 'include'":  "{% include 'other' %}",
		"an integer of more":     "{{ 4611686018427387904 * 4 }}{{ messages }}",
		"too many names":         manyNames(),
		"nested deeper than 200": "{{ " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000) + " }}",
	} {
		t.Run(why, func(t *testing.T) {
			var log bytes.Buffer
			slogDefault(t, &log)
			s, e := templated(t, source, loader.Options{}, enginetest.Say("hello"))
			if status, body := post(t, s, hello+`}`); status != http.StatusOK || !strings.Contains(body, "hello") {
				t.Fatalf("status %d: %s", status, body)
			}
			if got := e.Turns()[0].Prompt.String(); got != "User: hi\n\nAssistant:" {
				t.Errorf("prompt %q", got)
			}
			for _, path := range []string{"/v1/models", "/v1/models/scripted"} {
				if got := get(t, s.URL+path); !strings.Contains(got, "warnings") || !strings.Contains(got, "chat template cannot be used") || !strings.Contains(got, why) {
					t.Errorf("%s does not say why (%s): %s", path, why, got)
				}
			}
			if got := log.String(); !strings.Contains(got, "chat template cannot be used") || !strings.Contains(got, why) {
				t.Errorf("the log does not say why: %s", got)
			}
		})
	}
}

// A template that is named in place of the model's own must be usable: nobody has asked for the
// built-in rendering.
func TestTemplate_namedOneThatIsUnusableFailsTheModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.jinja")
	if err := os.WriteFile(file, []byte("{{ messages|no_such_filter }}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := entered(t, catalog.Entry{Template: file}, loader.Options{}, enginetest.Script(enginetest.Say("hello")))
	status, body := post(t, s, hello+`}`)
	if status < 500 || !strings.Contains(body, "own.jinja") || !strings.Contains(body, "No filter named") {
		t.Errorf("status %d: %s", status, body)
	}
}

// manyNames is a template whose branches copy more names than any template needs.
func manyNames() string {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "{%% set n%d = 1 %%}{%% if x %%}{%% endif %%}", i)
	}
	return b.String()
}

func slogDefault(t *testing.T, w io.Writer) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(w, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
}

// plainTemplate knows no tools.
const plainTemplate = `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`

const goodTemplate = `{%- for t in tools or [] %}{{ t|tojson }}{% endfor %}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`

func TestTemplate_ofWhichNothingIsToBeToldHasNoWarnings(t *testing.T) {
	s, _ := templated(t, goodTemplate, loader.Options{}, enginetest.Say("hello"))
	if status, body := post(t, s, hello+`}`); status != http.StatusOK {
		t.Fatal(body)
	}
	if got := get(t, s.URL+"/v1/models"); strings.Contains(got, "warnings") {
		t.Error(got)
	}
}

const editing = hello + `,"tool_choice":"required","tools":[{"type":"function","function":{"name":"edit","description":"Changes a file. In a way that takes many words.","parameters":{
	"type":"object","properties":{"file":{"type":"string"},"at":{"type":"object","properties":{"line":{"type":"integer"}},"required":["line"]},"dry":{"type":"boolean"}},"required":["file","at"]}}}]`

// A model that is asked for flat arguments answers a client that knows nothing of it.
func TestTeaching_flatArgumentsAreNestedAgain(t *testing.T) {
	o := loader.Options{Teaching: func(string) chat.Teaching {
		return chat.Teaching{Simplify: schema.Simplification{Flatten: true, RequiredOnly: true, MaxDescription: 20}, Guidance: true}
	}}
	reply := enginetest.Say(`{"tool": "edit", "arguments": {"file": "x.go", "at.line": 3}}`)
	for name, stream := range map[string]string{"whole": "", "streamed": `,"stream":true`} {
		t.Run(name, func(t *testing.T) {
			s, e := templated(t, goodTemplate, o, reply)
			status, body := post(t, s, editing+stream+`}`)
			if status != http.StatusOK {
				t.Fatalf("status %d: %s", status, body)
			}
			if !strings.Contains(body, `{\"file\":\"x.go\",\"at\":{\"line\":3}}`) || strings.Contains(body, "at.line") {
				t.Errorf("the call is not nested: %s", body)
			}
			turn := e.Turns()[0]
			prompt := turn.Prompt.String()
			for _, want := range []string{"at.line: integer", "edit(", "Changes a file.", "Example of a call of edit"} {
				if !strings.Contains(prompt, want) {
					t.Errorf("the prompt lacks %q: %s", want, prompt)
				}
			}
			for _, hidden := range []string{"dry", "many words"} {
				if strings.Contains(prompt, hidden) {
					t.Errorf("the prompt shows %q: %s", hidden, prompt)
				}
			}
			if !strings.Contains(turn.Grammar, "at.line") {
				t.Errorf("the grammar asks for nested arguments: %s", turn.Grammar)
			}
		})
	}
}

func TestTeaching_isOffByDefault(t *testing.T) {
	s, e := templated(t, goodTemplate, loader.Options{}, enginetest.Say(`{"tool": "edit", "arguments": {"file": "x.go", "at": {"line": 3}}}`))
	status, body := post(t, s, editing+`}`)
	if status != http.StatusOK || !strings.Contains(body, "tool_calls") {
		t.Fatalf("status %d: %s", status, body)
	}
	prompt := e.Turns()[0].Prompt.String()
	if !strings.Contains(prompt, "dry") || !strings.Contains(prompt, "many words") || strings.Contains(prompt, "at.line") || strings.Contains(prompt, "Example of a call") {
		t.Errorf("the prompt was simplified: %s", prompt)
	}
}

// ReAct can be asked for by whoever runs the model and by who sends a request, and JSON again in
// its place. The model is stopped before it writes the result of its own call.
func TestToolFormat_perModelAndPerRequest(t *testing.T) {
	const acts = "Thought: a file\nAction: edit\nAction Input: {\"file\": \"x.go\", \"at\": {\"line\": 3}}\nObservation: I make it up\nThought: more"
	const json = `{"tool": "edit", "arguments": {"file": "x.go", "at": {"line": 3}}}`
	ofAll, ofOne := loader.Options{ToolFormat: map[string]string{"": "react"}}, loader.Options{ToolFormat: map[string]string{"": "hermes", "scripted": "react"}}
	for name, c := range map[string]struct {
		options        loader.Options
		field          string
		reply, explain string
	}{
		"neither":                     {reply: json, explain: `{"tool": NAME`},
		"the request":                 {field: `,"tool_format":"react"`, reply: acts, explain: "Action Input:"},
		"the server":                  {options: ofAll, reply: acts, explain: "Action Input:"},
		"the model":                   {options: ofOne, reply: acts, explain: "Action Input:"},
		"the request over the model":  {options: ofOne, field: `,"tool_format":"json"`, reply: json, explain: `{"tool": NAME`},
		"auto leaves it at the model": {options: ofOne, field: `,"tool_format":"auto"`, reply: acts, explain: "Action Input:"},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := templated(t, plainTemplate, c.options, enginetest.Say(c.reply))
			status, body := post(t, s, editing+c.field+`}`)
			if status != http.StatusOK || !strings.Contains(body, `"name":"edit"`) || strings.Contains(body, "make it up") {
				t.Fatalf("status %d: %s", status, body)
			}
			turn := e.Turns()[0]
			if prompt := turn.Prompt.String(); !strings.Contains(prompt, c.explain) {
				t.Errorf("the prompt lacks %q: %s", c.explain, prompt)
			}
			if c.reply == acts && !strings.Contains(turn.Grammar, "Observation") {
				t.Errorf("nothing stops it: %s", turn.Grammar)
			}
		})
	}
}

// A family's calls are explained by its template. Where the template shows no tools, the answer
// says what became of the format.
func TestToolFormat_familyOfATemplateWithoutTools(t *testing.T) {
	s, e := templated(t, plainTemplate, loader.Options{}, enginetest.Say(`{"tool": "edit", "arguments": {"file": "x.go", "at": {"line": 3}}}`))
	r, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(editing+`,"tool_format":"hermes"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got := r.Header.Get("X-Tenon-Ignored"); !strings.Contains(got, "tool_format (the chat template shows no tools") {
		t.Errorf("ignored: %q", got)
	}
	if prompt := e.Turns()[0].Prompt.String(); !strings.Contains(prompt, `{"tool": NAME`) {
		t.Errorf("nothing explains calls: %s", prompt)
	}
}

// What clients of the legacy format send goes on working, and whoever runs the server is told.
func TestToolFormat_xmlStillWorks(t *testing.T) {
	var log bytes.Buffer
	slogDefault(t, &log)
	s, e := templated(t, goodTemplate, loader.Options{}, enginetest.Say("Let me see.\n<tool_call>\n"+`{"name": "edit", "arguments": {"file": "x.go", "at": {"line": 3}}}`+"\n</tool_call>"))
	status, body := post(t, s, editing+`,"tool_format":"xml"}`)
	if status != http.StatusOK || !strings.Contains(body, `"tool_calls"`) || !strings.Contains(body, `{\"file\": \"x.go\", \"at\": {\"line\": 3}}`) {
		t.Fatalf("status %d: %s", status, body)
	}
	if prompt := e.Turns()[0].Prompt.String(); !strings.Contains(prompt, "<tool_call>\n{\"name\": NAME") {
		t.Errorf("the prompt does not explain the format: %s", prompt)
	}
	if !strings.Contains(log.String(), "xml is deprecated") {
		t.Errorf("the log does not warn: %s", log.String())
	}
}

// A template that declares tools and shows results, but no calls, is asked in the family's own
// format.
func TestTemplate_callsThatItDoesNotShowAreTheFamilysOwn(t *testing.T) {
	source := `{%- if tools %}List of tools: <|tool_list_start|>{{ tools|tojson }}<|tool_list_end|>{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`
	s, e := templated(t, source, loader.Options{}, enginetest.Say(`<|tool_call_start|>[edit(file="x.go", at={"line": 3})]<|tool_call_end|>`))
	status, body := post(t, s, strings.Replace(editing, `{"role":"user","content":"hi"}`, `{"role":"user","content":"hi"},
		{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"edit","arguments":"{\"file\":\"a\",\"dry\":true}"}}]},{"role":"tool","tool_call_id":"a","content":"ok"}`, 1)+`}`)
	if status != http.StatusOK || !strings.Contains(body, `"tool_calls"`) || !strings.Contains(body, "x.go") {
		t.Fatalf("status %d: %s", status, body)
	}
	prompt := e.Turns()[0].Prompt.String()
	for _, want := range []string{`<|tool_list_start|>[{"type": "function"`, `<|im_start|>assistant
<|tool_call_start|>[edit(file="a", dry=True)]<|tool_call_end|><|im_end|>`, "<|im_start|>tool\nok<|im_end|>"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q: %s", want, prompt)
		}
	}
}
