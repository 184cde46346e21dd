package tools

import (
	"encoding/json"
	"testing"
)

func guessPlan(t *testing.T, mode Mode, names ...string) *Plan {
	t.Helper()
	all := map[string]Tool{
		"Bash":  {Name: "Bash", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string","minLength":2},"description":{"type":"string"},"timeout":{"type":"number"}},"required":["command","description"]}`)},
		"Read":  {Name: "Read", Parameters: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"},"limit":{"type":"integer"}},"required":["file_path"],"additionalProperties":false}`)},
		"Write": {Name: "Write", Parameters: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}`)},
	}
	turn := Turn{Choice: Choice{Mode: mode}, NewID: func(Call) string { return "x" }}
	for _, n := range names {
		turn.Tools = append(turn.Tools, all[n])
	}
	p, err := Fallback().Plan(turn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// guessed are the tools that the adapter names.
var guessed = []string{"Bash", "Read", "Write"}

// guessIn is the call that a text is taken for, "" if for none.
func guessIn(t *testing.T, text string) string {
	t.Helper()
	c, ok := guessPlan(t, Auto, guessed...).Guess(text, guessed)
	if !ok {
		return ""
	}
	if c.ID != "guessed_x" {
		t.Errorf("%q: id %q", text, c.ID)
	}
	return c.Name + " " + string(c.Arguments)
}

// S0-19 to 21: prose and fences are read as calls of tools that are declared and named by the
// adapter.
func TestGuess_callsInProse(t *testing.T) {
	bash := func(s string) string {
		b, _ := json.Marshal(s)
		return `Bash {"command":` + string(b) + `,"description":"Run Bash"}`
	}
	for text, want := range map[string]string{
		"I'll use Bash to run `ls -la`":                                          bash("ls -la"),
		"i will USE the bash tool to run ls -la":                                 bash("ls -la"),
		"Sure.\nLet me run `Bash` to execute: go test ./..":                      bash("go test ./.."),
		"Now execute Bash: git status":                                           bash("git status"),
		"Run the Bash tool: make test":                                           bash("make test"),
		"Sure. Let me list them:\n```bash\nls | wc -l\n```\n":                    bash("ls | wc -l"),
		"I will now run this.\n\n```bash\nls\n```\nThat lists them.":             bash("ls"),
		"I'll use Bash to run `echo not`":                                        bash("echo not"),
		"```sh\ncd a\nls\n```":                                                   bash("cd a\nls"),
		"```Shell\nls\n```\n":                                                    bash("ls"),
		"Let me read the file main.go.":                                          `Read {"file_path":"main.go"}`,
		"I'll check `src/a-b.ts` first.":                                         `Read {"file_path":"src/a-b.ts"}`,
		"First, look at ./a/README.md":                                           `Read {"file_path":"./a/README.md"}`,
		"EXAMINE the `go.mod`, please":                                           `Read {"file_path":"go.mod"}`,
		"Use Bash to run `cat a.go`. Let me read `b.go`":                         `Read {"file_path":"b.go"}`,
		"Use Bash to run `cat a.go`\nLet me read `b.go`":                         bash("cat a.go"),
		"Let me read `b.go`\n```bash\nls\n```":                                   bash("ls"),
		"If you agree, I'll use Bash to run `ls`.\nI'll use Bash to run `cat a`": bash("cat a"),
		"I'll see if it builds. Let me run Bash: make":                           bash("make"),
		"Let me read `b.go`. If you like, more.":                                 `Read {"file_path":"b.go"}`,
		"Let me read `b.go` to see if it is right.":                              `Read {"file_path":"b.go"}`,
	} {
		if got := guessIn(t, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is refused, advised, over, on a condition or no call at all is text.
func TestGuess_proseThatCallsNothing(t *testing.T) {
	for _, text := range []string{
		"If you agree, I will run Bash: ls -la",
		"If that is fine: use Bash to run `ls -la`",
		"Should you want it, let me use Bash to run `ls -la`",
		"Once main.go is there, let me read `b.go`",
		"I'll run Bash: ls -la if you agree",
		"Let me read `b.go`, if you like.",
		"Do not run this:\n```bash\nrm -rf /\n```",
		"Never do this:\n```bash\nrm -rf /\n```",
		"I'll never run this:\n```bash\nrm -rf /\n```",
		"You could run this:\n```bash\nls\n```\nbut I advise against it.",
		"Let me run this:\n```bash\nls\n```\nBut I can’t.",
		"Let me run this:\n```bash\nls\n```\nif you agree.",
		"If you agree, I'll run this:\n```bash\nls\n```",
		"I ran this already:\n```bash\nls\n```",
		"The output was:\n```bash\n$ ls\n```",
		"Put this in /etc/init.d/x:\n```bash\nls\n```",
		"Run this:\n```bash\nls\n```",
		"Here:\n```bash\nls\n```",
		"```bash\nls\n```\nThat lists them.",
		"See example.com. Check example.com",
		"I'll check Vue.js documentation",
		"Let me look at v1.2 of it",
		"Let me look at `v1.2` of it",
		"Let me read main.go", // it may be anything's name
		"I need to read the file a.txt but I do not have permission, so please do it",
		"I'll use Bash to run `ls`, but not now.",
		"You could use Bash to run `ls`",
		"You can use Bash to run commands.",
		"I used Bash to run `ls`",
		"Do not use Bash to run `rm -rf /`",
		"Bash runs commands",
		"I'll use Bash",
		"I'll use Bash for that: it is quick",
		"I'll use Zsh to run `ls`",
		"I'll use Basher to run `ls`",
		"I'll use Bash to run `x`", // too short for the schema
		"```python\nprint(1)\n```",
		"```\nls\n```",
		"```bash\nls\n```\nor\n```bash\nls -la\n```",
		"```bash\n\n```",
		"```bash\nls",
		"I have read main.go",
		"You should read main.go",
		"Did you check main.go?",
		"Let me check the weather.",
		"Let me read between the lines. It is e.g. so",
		"Let me look at it",
		"Let me use Write: a.txt", // it demands more than one
	} {
		if got := guessIn(t, text); got != "" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestGuess_onlyToolsThatMayBeCalled(t *testing.T) {
	for what, p := range map[string]struct {
		plan  *Plan
		names []string
	}{
		"not declared": {guessPlan(t, Auto, "Read"), guessed},
		"not named":    {guessPlan(t, Auto, guessed...), []string{"Read"}},
		"none":         {guessPlan(t, None, guessed...), guessed},
	} {
		if c, ok := p.plan.Guess("```bash\nls -la\n```", p.names); ok {
			t.Errorf("%s: %+v", what, c)
		}
	}
}
