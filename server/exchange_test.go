package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/server/servertest/contract"
	"tenon/templates"
	"tenon/tools"
)

// An exchange is a golden file (testdata/exchanges/PROTOCOL/CASE.txtar): a request (a line "POST
// path", then the body), what the model says («…» is a marker token; several answers are divided
// by lines of ----), and what the server sends, whole and as a stream. go test ./server -run
// Exchange -update writes the last two.
type exchange struct {
	path, request, said string
	parts               map[string]string
}

func exchanges(t *testing.T) []exchange {
	t.Helper()
	paths, err := filepath.Glob("testdata/exchanges/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d exchanges, %v", len(paths), err)
	}
	all := make([]exchange, len(paths))
	for i, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parts := archive(string(b))
		all[i] = exchange{path: path, request: parts["request"], said: strings.TrimSuffix(parts["model"], "\n"), parts: parts}
	}
	return all
}

// archive reads the files of a txtar archive.
func archive(data string) map[string]string {
	files, name := map[string]string{}, ""
	for line := range strings.Lines(data) {
		if n, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			continue
		}
		files[name] += line
	}
	return files
}

func TestExchange_goldens(t *testing.T) {
	for _, e := range exchanges(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(e.path, "testdata/exchanges/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			whole, stream := e.run(t, false), e.run(t, true)
			if *update {
				text := "-- request --\n" + e.request + "-- model --\n" + e.said + "\n-- whole --\n" + whole + "-- stream --\n" + stream
				if err := os.WriteFile(e.path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			for part, got := range map[string]string{"whole": whole, "stream": stream} {
				if want := e.parts[part]; got != want {
					t.Errorf("%s:\n%s\nwant:\n%s", part, got, want)
				}
			}
		})
	}
}

// run sends the request and returns what came, without what differs from run to run.
func (e exchange) run(t *testing.T, stream bool) string {
	t.Helper()
	o := options(t)
	o.Service = &chat.Service{Models: families{enginetest.Script(replies(e.said)...)}}
	o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{notebook{}}})
	path, body, _ := strings.Cut(strings.TrimPrefix(e.request, "POST "), "\n")
	if stream {
		body = strings.Replace(body, "{", `{"stream":true,`, 1)
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("X-Request-Id", "req")
	rec := httptest.NewRecorder()
	conforms(t, server.New(o)).ServeHTTP(rec, r)
	var out strings.Builder
	fmt.Fprintf(&out, "%d\n", rec.Code)
	for _, header := range []string{"Content-Type", "X-Tenon-Ignored", "X-Tenon-Issues"} {
		if v := rec.Header().Get(header); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", header, v)
		}
	}
	text := rec.Body.String()
	if !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
		text = indented(t, text)
	}
	return stable(out.String()+"\n"+strings.TrimSpace(text)) + "\n"
}

// families serves one engine under two names: json has no chat template, hermes one of our own in
// that family's way.
type families struct{ *enginetest.Scripted }

const hermesTemplate = `{% for m in messages %}<|im_start|>{{ m.role }}
{% if loop.first and tools %}{% for t in tools %}{{ t | tojson }}
{% endfor %}{% endif %}{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>
{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}
<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

func (f families) Acquire(_ context.Context, name string) (chat.Model, func(), error) {
	m := chat.Model{ID: name, Engine: f.Scripted, Renderer: templates.Builtin{}, Dialect: tools.Fallback()}
	switch name {
	case "json":
	case "hermes":
		t, err := templates.Parse(hermesTemplate, templates.Options{Markers: []string{"<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>"}})
		if err != nil {
			return m, nil, err
		}
		m.Renderer, m.Thinks = t, true
		m.Dialect, _ = tools.Lookup(name) // it is one of package tools
	default:
		return m, nil, chat.UnknownModel(name, []string{"hermes", "json"})
	}
	return m, func() {}, nil
}

func indented(t *testing.T, body string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(body), "", "  "); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return b.String()
}

// volatile are the parts of answers that are made up anew each time.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(chatcmpl-|cmpl-|resp_|msg_|rs_|fc_|call_|mcp_|mcpl_|ws_)[A-Z0-9]{8,}`), "${1}ID"},
	{regexp.MustCompile(`"(created|created_at|completed_at)":( ?)\d+`), `"$1":${2}0`},
	{regexp.MustCompile(`"signature":( ?)"[^"]+"`), `"signature":$1"SIGNATURE"`},
}

func stable(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	return text
}

// replies are the model's answers, a token a word, «…» a token of its own.
func replies(said string) []enginetest.Reply {
	var all []enginetest.Reply
	for _, one := range strings.Split(said, "\n----\n") {
		var r enginetest.Reply
		for one != "" {
			text, rest, _ := strings.Cut(one, "«")
			for word := range strings.SplitAfterSeq(text, " ") {
				r.Tokens = append(r.Tokens, engine.Token{Bytes: []byte(word)})
			}
			var marker string
			if marker, one, _ = strings.Cut(rest, "»"); marker != "" {
				r.Tokens = append(r.Tokens, engine.Token{ID: 256, Kind: engine.Symbol, Bytes: []byte(marker)})
			}
		}
		all = append(all, r)
	}
	return all
}

// Issue 7: what is streamed adds up to what is sent whole.
func TestExchange_streamEqualsWhole(t *testing.T) {
	for _, e := range exchanges(t) {
		if body := e.run(t, true); strings.HasPrefix(body, "200") {
			whole := e.run(t, false)
			if got, want := gathered(t, body), gathered(t, whole); got != want {
				t.Errorf("%s: streamed %s\nwhole %s", e.path, got, want)
			}
		}
	}
}

// gathered is what an answer says, read as its protocol's clients read it.
func gathered(t *testing.T, answer string) string {
	t.Helper()
	_, body, _ := strings.Cut(answer, "\n\n")
	bodies := contract.Payloads(body)
	if strings.HasPrefix(body, "{") {
		bodies = []string{body}
	}
	g := &gatherer{parts: map[string]string{}}
	for _, b := range bodies {
		var v map[string]any
		if err := json.Unmarshal([]byte(b), &v); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		g.add(v)
	}
	return g.String()
}

// gatherer adds up the texts of an answer by their places.
type gatherer struct{ parts map[string]string }

func (g *gatherer) String() string {
	b, _ := json.MarshalIndent(g.parts, "", "  ") // strings always marshal
	return string(b)
}

func (g *gatherer) add(v map[string]any) {
	choices, _ := v["choices"].([]any)
	for _, c := range choices {
		c := c.(map[string]any)
		g.choice(fmt.Sprint(c["index"]), c)
	}
	// the last event has the whole
	if r, ok := v["response"].(map[string]any); ok && r["status"] != "in_progress" {
		v = r
	}
	for key, list := range map[string]any{"output": v["output"], "content": v["content"]} {
		items, _ := list.([]any)
		for i, item := range items {
			g.block(fmt.Sprint(i), key, item.(map[string]any))
		}
	}
	g.anthropicEvent(v)
}

// choice is one of Chat's or Completions', whole or a piece.
func (g *gatherer) choice(at string, c map[string]any) {
	for _, key := range []string{"message", "delta"} {
		m, _ := c[key].(map[string]any)
		g.text(at+" content", m["content"])
		g.text(at+" reasoning", m["reasoning_content"])
		g.served(at, m["server_tool_calls"])
		calls, _ := m["tool_calls"].([]any)
		for i, call := range calls {
			call := call.(map[string]any)
			if index, ok := call["index"].(float64); ok {
				i = int(index)
			}
			for _, kind := range []string{"function", "custom"} {
				f, _ := call[kind].(map[string]any)
				for _, field := range []string{"name", "arguments", "input"} {
					g.text(fmt.Sprintf("%s call %d %s", at, i, field), f[field])
				}
			}
		}
	}
	g.text(at+" text", c["text"])
	g.text(at+" reason", c["finish_reason"])
}

// served are the calls that the server executed, in a message or a piece of one.
func (g *gatherer) served(at string, calls any) {
	all, _ := calls.([]any)
	for i, call := range all {
		call := call.(map[string]any)
		if index, ok := call["index"].(float64); ok {
			i = int(index)
		}
		for _, field := range []string{"id", "type", "server_label", "name", "arguments", "output", "error"} {
			g.text(fmt.Sprintf("%s served %d %s", at, i, field), call[field])
		}
	}
}

// block is one of Messages' blocks or an item of Responses'.
func (g *gatherer) block(at, kind string, b map[string]any) {
	if kind == "output" {
		text, _ := json.Marshal(b) // it was unmarshalled
		g.parts[at] = string(text)
		return
	}
	g.text(at+" text", b["text"])
	g.text(at+" thinking", b["thinking"])
	g.text(at+" name", b["name"])
	g.text(at+" server", b["server_name"])
	if content, ok := b["content"]; ok {
		text, _ := json.Marshal(content) // it was unmarshalled
		g.parts[at+" content"] = string(text)
	}
	if input, ok := b["input"].(map[string]any); ok && len(input) > 0 {
		text, _ := json.Marshal(input) // it was unmarshalled
		g.parts[at+" input"] = string(text)
	}
}

func (g *gatherer) anthropicEvent(v map[string]any) {
	at := fmt.Sprint(v["index"])
	if b, ok := v["content_block"].(map[string]any); ok {
		g.block(at, "content", b)
	}
	d, _ := v["delta"].(map[string]any)
	g.text(at+" text", d["text"])
	g.text(at+" thinking", d["thinking"])
	g.text("stop", d["stop_reason"])
	g.text("stop", v["stop_reason"])
	g.text(at+" pieces", d["partial_json"])
	if v["type"] == "content_block_stop" && g.parts[at+" pieces"] != "" {
		var input map[string]any
		if json.Unmarshal([]byte(g.parts[at+" pieces"]), &input) == nil {
			text, _ := json.Marshal(input) // it was unmarshalled
			g.parts[at+" input"] = string(text)
		}
		delete(g.parts, at+" pieces")
	}
}

func (g *gatherer) text(at string, v any) {
	if s, ok := v.(string); ok && s != "" {
		g.parts[at] += s
	}
}
