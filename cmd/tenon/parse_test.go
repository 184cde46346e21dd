package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runParse runs tenon parse and returns what it printed.
func runParse(t *testing.T, stdin string, args ...string) (out string, err error) {
	t.Helper()
	cmd := newParseCommand()
	var stdout, stderr bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	err = cmd.Execute()
	return stdout.String(), err
}

func toolsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.json")
	const tools = `[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}},
		{"type": "custom", "custom": {"name": "patch"}}]`
	if err := os.WriteFile(path, []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestParse_printsOneMessageForAnyCut(t *testing.T) {
	declared := toolsFile(t)
	const raw = "<think>\nhm\n</think>\n\nI look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call><|im_end|>"
	const want = `{"role":"assistant","content":"I look.","reasoning_content":"hm","tool_calls":[{"id":"call_0","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Rome\"}"}}]}` + "\n"
	for _, split := range []string{"bytes", "3", "1000"} {
		got, err := runParse(t, raw, "--family", "qwen", "--tools", declared, "--split", split)
		if err != nil || got != want {
			t.Errorf("--split %s: %v\n%s", split, err, got)
		}
	}
}

func TestParse_anyInputIsAMessage(t *testing.T) {
	declared := toolsFile(t)
	for _, raw := range []string{"", "\x00", "\xff\xfe{", "a\x00<tool_call>\x00", "<tool_call>", "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"R", "</think></think>", strings.Repeat("{[", 500)} {
		got, err := runParse(t, raw, "--family", "hermes", "--tools", declared, "--trace")
		var m struct {
			Content *string         `json:"content"`
			Calls   json.RawMessage `json:"tool_calls"`
			Events  []any           `json:"events"`
		}
		if err != nil || json.Unmarshal([]byte(got), &m) != nil || string(m.Calls) != "[]" {
			t.Errorf("%q: %v: %s", raw, err, got)
		}
	}
}

// Text that no template's calls begin with is content, or thinking where the template's prompt
// opens it.
func TestParse_everyTemplateReadsPlainText(t *testing.T) {
	const dir = "../../../shared/data/templates"
	all, _ := filepath.Glob(filepath.Join(dir, "*.jinja"))
	if len(all) == 0 {
		t.Skip("the templates of ../shared are absent")
	}
	declared := toolsFile(t)
	for i, path := range all {
		if i%7 > 0 && os.Getenv("TENON_ALL") == "" {
			continue
		}
		const raw = "Rain <b>& wind</b>: {x}\n"
		got, err := runParse(t, raw, "--template", path, "--tools", declared)
		var m struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning_content"`
		}
		if err != nil || json.Unmarshal([]byte(got), &m) != nil || strings.TrimSpace(m.Reasoning+m.Content) != strings.TrimSpace(raw) {
			t.Errorf("%s: %v: %s", path, err, got)
		}
	}
}

func TestParse_textWithoutOpeningThoughtIsThinkingUpToItsEnd(t *testing.T) {
	got, err := runParse(t, "hm\n</think>\n\nHi", "--family", "deepseek-r1")
	if want := `{"role":"assistant","content":"Hi","reasoning_content":"hm","tool_calls":[]}` + "\n"; err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// Whatever an OpenAI request may declare is read: namespaces are flattened and mapped back, hosted
// tools are none of the model's text.
func TestParse_toolsOfEveryKind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	const tools = `[{"type": "web_search"}, {"type": "namespace", "name": "files", "tools": [{"type": "function", "name": "read", "strict": true, "parameters":
		{"type": "object", "properties": {"p": {"type": "string", "pattern": "^(a|b)\\1$"}}}}, {"type": "custom", "name": "note"}]}, {"type": "function", "name": "read", "parameters": null}]`
	if err := os.WriteFile(path, []byte(tools), 0o600); err != nil {
		t.Fatal(err)
	}
	const raw = `<tool_call>{"name": "files__read", "arguments": {"p": "aa"}}</tool_call><tool_call>{"name": "read", "arguments": {}}</tool_call><tool_call>{"name": "files__note", "arguments": {"input": "x"}}</tool_call>`
	const want = `[{"id":"call_0","type":"function","function":{"name":"read","namespace":"files","arguments":"{\"p\": \"aa\"}"}},{"id":"call_1","type":"function","function":{"name":"read","arguments":"{}"}},` +
		`{"id":"call_2","type":"custom","custom":{"name":"note","namespace":"files","input":"x"}}]`
	got, err := runParse(t, raw, "--family", "hermes", "--tools", path)
	var m struct {
		Calls json.RawMessage `json:"tool_calls"`
	}
	if err != nil || json.Unmarshal([]byte(got), &m) != nil || string(m.Calls) != want {
		t.Errorf("%v: %s", err, got)
	}
}

func TestParse_wrongFlagsSayWhatIsAccepted(t *testing.T) {
	for _, args := range [][]string{{}, {"--family", "nobody"}, {"--family", "qwen", "--split", "x"}, {"--family", "qwen", "--tools", "/nowhere"}, {"--family", "qwen", "--tools", textFile(t, "null.json", "[null]")}, {"--family", "qwen", "--template", "x"}} {
		if _, err := runParse(t, "", args...); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestFamilies_listEachMarkerOnALine(t *testing.T) {
	cmd := newFamiliesCommand()
	var out bytes.Buffer
	cmd.SetArgs([]string{"--markers"})
	cmd.SetOut(&out)
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"hermes\t<tool_call>\n", "mistral\t[TOOL_CALLS]\n", "functionary-v3.2\t>>>all\\n\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is not listed", line)
		}
	}
}

// namedCall is a call as a transcript has it.
type namedCall struct {
	Name      string
	Arguments any
}

// callsWithoutTools are the calls that tenon parse finds in a transcript of package tools without
// its tools, and those that the transcript wants.
func callsWithoutTools(t *testing.T, path string) (got, want []namedCall) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "-- raw.txt --\n")
	raw, wanted, _ := strings.Cut(rest, "\n-- want.json --\n")
	var w struct {
		Calls []namedCall `json:"tool_calls"`
	}
	out, err := runParse(t, raw, "--family", filepath.Base(filepath.Dir(path)))
	var m struct {
		Calls []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err != nil || json.Unmarshal([]byte(wanted), &w) != nil || json.Unmarshal([]byte(out), &m) != nil {
		t.Fatalf("%s: %v: %s", path, err, out)
	}
	for i, c := range m.Calls {
		call := namedCall{Name: c.Function.Name}
		if err := json.Unmarshal([]byte(c.Function.Arguments), &call.Arguments); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		// only a schema says there that 2.5 is a number
		if strings.Contains(path, "minimax-m3") && i < len(w.Calls) {
			call.Arguments, w.Calls[i].Arguments = nil, nil
		}
		got = append(got, call)
	}
	return got, append(want, w.Calls...)
}

// Without declared tools a call of any name is one, as every family's transcripts have it; text
// stays text. By default each kind of turn is read in a third of the families; TENON_ALL=1 reads
// it in all.
func TestParse_withoutToolsAnyCallIsRead(t *testing.T) {
	for k, kind := range []string{"one-call", "two-calls", "three-calls", "text-then-call", "thinking-then-call", "no-arguments", "nested-arguments",
		"every-type", "code-in-arguments", "no-end-token", "text-only", "thinking-then-text"} {
		all, err := filepath.Glob("../../tools/testdata/*/" + kind + ".txtar")
		if err != nil || len(all) < 35 {
			t.Fatalf("%s: %d transcripts, %v", kind, len(all), err)
		}
		for i, path := range all {
			if (i+k)%3 > 0 && os.Getenv("TENON_ALL") == "" {
				continue
			}
			got, want := callsWithoutTools(t, path)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", path, diff)
			}
		}
	}
	for _, raw := range []string{"It rains in Rome (city).", `{"city": "Rome", "days": [1, 2]}`, `{"name": "Ada", "born": 1815}`, "Use <tool_call> to call."} {
		if got, err := runParse(t, raw, "--family", "hermes"); err != nil || !strings.Contains(got, `"tool_calls":[]`) {
			t.Errorf("%q: %v: %s", raw, err, got)
		}
	}
}

// A call is read wherever it stands, and a name may begin with a digit, as OpenAI's may.
func TestParse_withoutToolsACallIsReadBehindMuchText(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "word%d ", i)
	}
	for raw, name := range map[string]string{text.String(): "get_weather", "": "3d_print"} {
		raw += "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>"
		if got, err := runParse(t, raw, "--family", "hermes"); err != nil || !strings.Contains(got, `"name":"`+name+`"`) {
			t.Errorf("%s: %v: …%s", name, err, got[max(len(got)-200, 0):])
		}
	}
}
