package templates

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// common are the templates of families in wide use; on them the speed is watched.
var common = []string{
	"Qwen-Qwen3-0.6B", "Qwen3.5-4B", "Qwen3-Coder", "meta-llama-Llama-3.1-8B-Instruct", "Mistral-Small-3.2-24B-Instruct-2506",
	"openai-gpt-oss-120b", "google-gemma-4-31B-it", "GLM-4.6", "deepseek-ai-DeepSeek-V3.1", "moonshotai-Kimi-K2",
	"microsoft-Phi-3.5-mini-instruct", "ibm-granite-granite-4.0",
}

// agentRun is an agent's conversation: 200 messages, 60 tools.
func agentRun() Conversation {
	var c Conversation
	for i := range 60 {
		c.Tools = append(c.Tools, Tool{Name: fmt.Sprintf("tool_%02d", i), Description: "Does something useful with a file, a line and a text.",
			Parameters: []byte(`{"$schema":"x","type":"object","properties":{"path":{"type":"string","description":"A file"},"line":{"type":"integer","minimum":1},"text":{"type":"string"},"mode":{"type":"string","enum":["a","b"]}},"required":["path"],"additionalProperties":false}`)})
	}
	c.Messages = []Message{{Role: System, Text: "You are an agent."}, {Role: User, Text: "Go on."}}
	for i := range 99 {
		id := fmt.Sprintf("call%05d", i)
		c.Messages = append(c.Messages, Message{Role: Assistant, Text: "Let me see.", Calls: []Call{{ID: id, Name: "tool_07", Arguments: `{"path": "a/b.go", "line": 12}`}}},
			Message{Role: ToolRole, CallID: id, Text: "a line of a file, and another one that is longer than the first\n"})
	}
	return c
}

// BenchmarkRender renders an agent's conversation.
func BenchmarkRender(b *testing.B) {
	c := agentRun()
	eachTemplateOf(b, common, func(b *testing.B, tm *Template, _ string) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tm.Render(c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("builtin", func(b *testing.B) {
		for b.Loop() {
			if _, err := (Builtin{}).Render(c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParse parses and probes: what loading a model costs.
func BenchmarkParse(b *testing.B) {
	eachTemplateOf(b, []string{"Qwen-Qwen3-0.6B", "openai-gpt-oss-120b"}, func(b *testing.B, tm *Template, source string) {
		for b.Loop() {
			if _, err := Parse(source, tm.options); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The same conversation through every template by Python's Jinja2 and by Template.Render, healing
// and segments included, in CPU time, each side's best. make bench-templates runs it with a Python
// that has Jinja2.
func TestRender_besidePython(t *testing.T) {
	python := os.Getenv("TEMPLATES_PYTHON")
	if python == "" {
		t.Skip("TEMPLATES_PYTHON names no Python with Jinja2: make bench-templates sets it")
	}
	c := agentRun()
	variables := filepath.Join(t.TempDir(), "variables.json")
	if err := os.WriteFile(variables, openAI(t, c), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range common {
		file := filepath.Join(sharedTemplates, name+".jinja")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Skipf("%v", err)
		}
		tm, err := Parse(string(source), Options{BOS: "<s>", EOS: "</s>", Markers: shape.FindAllString(string(source), -1)})
		if err != nil {
			t.Fatal(err)
		}
		theirs, ours := pythonTime(t, python, variables, file), renderTime(t, tm, c)
		t.Logf("%-40s %6.2f ms, Python %6.2f ms: %4.1f times as fast", name, ours, theirs, theirs/ours)
	}
}

// openAI is a conversation as templates get it.
func openAI(t *testing.T, c Conversation) []byte {
	type object = map[string]any
	var messages, tools []object
	for _, m := range c.Messages {
		o := object{"role": m.Role, "content": m.Text}
		if m.Role == ToolRole {
			o["tool_call_id"] = m.CallID
		}
		for _, call := range m.Calls {
			f := object{"name": call.Name, "arguments": json.RawMessage(call.Arguments)}
			o["tool_calls"] = []object{{"id": call.ID, "type": "function", "function": f}}
		}
		messages = append(messages, o)
	}
	for _, tool := range c.Tools {
		f := object{"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters}
		tools = append(tools, object{"type": "function", "function": f})
	}
	data, err := json.Marshal(object{"messages": messages, "tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// pythonTime is the milliseconds that Python takes.
func pythonTime(t *testing.T, python, variables, file string) float64 {
	out, err := exec.CommandContext(t.Context(), python, "jinja/testdata/golden.py", "bench", variables, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	ms, err := strconv.ParseFloat(first, 64)
	if err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return ms
}

// renderTime is the milliseconds of CPU time that a rendering takes, the collection of its garbage
// included: the best of several rounds.
func renderTime(t *testing.T, tm *Template, c Conversation) float64 {
	const rounds, times = 10, 50
	best := time.Hour
	for range rounds {
		before := cpuTime(t)
		for range times {
			if _, err := tm.Render(c); err != nil {
				t.Fatal(err)
			}
		}
		best = min(best, (cpuTime(t)-before)/times)
	}
	return best.Seconds() * 1000
}

// cpuTime is what the process has used of all processors.
func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
