package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenon/engine/enginetest/tinymodel"
)

var update = flag.Bool("update", false, "rewrite COMMANDS.md from what the commands print")

// shown is a line of a transcript. What it prints is compared with the page; of what varies from
// run to run and from machine to machine only that it runs.
type shown struct {
	command, line string
	varies        bool
	fails         bool // the exit status is not 0
}

// transcript is run from top to bottom, in a folder with tiny.gguf, tools.json, schema.json,
// raw.txt and tenon.yaml.
var transcript = []shown{
	{"config", "tenon config --config tenon.yaml --port 1234 | grep -v default", false, false},
	{"start", "tenon start tiny.gguf --config tenon.yaml --debug-requests 10", false, false},
	{"start", "tenon start --print-unit /models/tiny.gguf", false, false},
	{"status", "tenon status", false, false},
	{"health", "tenon health", false, false},
	{"logs", "tenon logs -n 1", true, false},
	{"list", "tenon list", false, false},
	{"completion", "tenon __complete run '' 2> /dev/null", false, false},
	{"run", "tenon run tiny --max-tokens 5 'Say something.'", true, false},
	{"load", "tenon load tiny", true, false},
	{"ps", "tenon ps", true, false},
	{"lms", "tenon lms server status --json", false, false},
	{"lms", "tenon lms ls", false, false},
	{"lms", "tenon lms ps --json", true, false},
	{"lms", "tenon lms load tiny --estimate-only --context-length 2048", true, false},
	{"lms", "tenon lms load tiny --identifier second --context-length 2048 --gpu max --yes", false, false},
	{"lms", "tenon lms ps; tenon unload second > /dev/null", false, false},
	{"pin", "tenon pin tiny", false, false},
	{"pin", "tenon pin --off tiny", false, false},
	{"alias", "tenon alias tiny gpt-4o", false, false},
	{"alias", "tenon alias --rm gpt-4o", false, false},
	{"launch", "tenon launch claude --print", false, false},
	{"bench", "tenon bench tiny --depths 64,512 --tokens 16", true, false},
	{"explain", "tenon explain --model tiny | grep -v 'default$'", false, false},
	{"explain", "curl -s -H 'X-Request-Id: r1' -H 'Content-Type: application/json' -d '{\"model\":\"tiny\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":2}' $SERVER/v1/chat/completions > /dev/null; tenon explain r1 | head -8", false, false},
	{"agent", "tenon agent log --config agent.yaml", false, false},
	{"replay", "tenon explain --json r1 > r1.json; tenon replay r1.json", true, false},
	{"reload", "sed -i s/0.5/0.25/ tenon.yaml; tenon reload", false, false},
	{"unload", "tenon unload tiny", false, false},
	{"restart", "tenon restart", false, false},
	{"stop", "tenon stop", false, false},
	{"status", "tenon status", false, true},
	{"import", "tenon import tiny.gguf --as mine", false, false},
	{"import", "tenon import --json --copy --as other tiny.gguf", false, false},
	{"lms", "tenon lms server status --json", false, false},
	{"rm", "tenon alias oth gpt-4o 2> /dev/null; tenon rm --yes mine 2> /dev/null; tenon list 2> /dev/null", false, false},
	{"rm", "tenon rm --yes other --json 2> /dev/null", false, false},
	{"start", "tenon start tiny.gguf --json", true, false},
	{"stop", "tenon stop --json", true, false},
	{"pull", "tenon pull $SOURCE/brought.gguf", true, false},
	{"pull", "tenon pull --json $SOURCE/second.gguf", true, false},
	{"pull", "tenon pull http://127.0.0.1:1/m.gguf", false, true},
	{"logs", "tenon logs -n 1", true, false},
	{"show", "tenon show tiny.gguf | head -9", false, false},
	{"mcp", "tenon mcp test", true, false},
	{"mcp", "tenon mcp list clock", false, false},
	{"mcp", "tenon mcp call clock now '{\"zone\":\"Europe/Paris\"}'", false, false},
	{"mcp", "tenon mcp call clock now '{}'", false, true},
	{"mcp", "tenon mcp read clock clock://zones; tenon mcp read clock ask zone=Europe/Paris", false, false},
	{"mcp", "tenon mcp list cloc", false, true},
	{"check", "tenon check tools.json", false, false},
	{"grammar", "tenon grammar print schema.json", false, false},
	{"parse", "tenon parse --family hermes --tools tools.json < raw.txt", false, false},
	{"render", "tenon render --model tiny.gguf --request request.json", false, false},
	{"families", "tenon families | head -3", false, false},
	{"licenses", "tenon licenses | head -3", true, false},
	{"version", "tenon version", true, false},
	{"doctor", "tenon doctor", true, false},
	{"serve", "tenon serve tiny.gguf 2> serve.log & until tenon health 2> /dev/null; do :; done; kill $!; wait", false, false},
	{"serve", "tenon serve --prot 1", false, true},
	{"completion", "tenon completion bash | head -1", false, false},
}

const pingTools = `[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}]`

// The reference page is what the commands print.
func TestCommands_thePageIsATranscript(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts servers")
	}
	alone(t)
	dir, port := t.TempDir(), freePort(t)
	if err := tinymodel.WriteFile(filepath.Join(dir, "tiny.gguf"), tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{Context: 32768}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tools.json": pingTools, "schema.json": `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		"raw.txt": "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"n\": 7}}\n</tool_call>", "request.json": `{"messages":[{"role":"user","content":"hi"}]}`,
		"tenon.yaml": "models:\n  tiny:\n    temp: 0.5\n    aliases: [gpt-5]\nmcp:\n  clock:\n    command: [mcp-clock]\n",
		"agent.yaml": "agent-journal: journal.jsonl\n",
		"journal.jsonl": `{"time":"2026-11-22T19:00:00Z","event":"start","call":"call_1","request":"r9","key":"alice","model":"tiny","source":"notes","tool":"lookup","arguments":{"q":"Oslo"},"approved_by":"settings"}` + "\n" +
			`{"time":"2026-11-22T19:00:01Z","event":"end","call":"call_1","request":"r9","key":"alice","model":"tiny","source":"notes","tool":"lookup","arguments":{"q":"Oslo"},"approved_by":"settings","success":true,"result":"It rains.","error":null,"exit":0,"seconds":0.25}` + "\n" +
			`{"time":"2026-11-22T19:00:02Z","event":"start","call":"call_2","request":"r9","model":"tiny","source":"builtin","tool":"execute_command","arguments":{"command":"make"},"approved_by":"client"}` + "\n",
		"bin/tenon":     "#!/bin/sh\nTEST_RUNS_TENON=1 exec " + os.Args[0] + " \"$@\"\n",
		"bin/mcp-clock": "#!/bin/sh\n" + mcpEnv + "=1 exec " + os.Args[0] + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join(dir, "tiny.gguf")) }))
	defer source.Close()
	for name, value := range map[string]string{
		"SOURCE": source.URL, "PATH": filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "TENON_PORT": port, "TENON_CONFIG": filepath.Join(dir, "tenon.yaml"),
		"SERVER": "http://127.0.0.1:" + port, "HOME": dir, runEnv: "1", "TENON_CTX_SIZE": "16384",
	} {
		t.Setenv(name, value)
	}
	// where a line has failed
	t.Cleanup(func() { _ = exec.Command(filepath.Join(dir, "bin/tenon"), "stop").Run() })
	said := make([]string, len(transcript))
	for i, s := range transcript {
		said[i] = runLine(t, dir, port, s)
	}
	page, err := os.ReadFile("COMMANDS.md")
	if want := commandsPage(said); *update {
		if err := os.WriteFile("COMMANDS.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if err != nil {
		t.Error(err)
	}
	for i, s := range transcript {
		if block := "$ " + s.line + "\n" + said[i]; !*update && !s.varies && !strings.Contains(string(page), block) {
			t.Errorf("COMMANDS.md does not hold what is printed now (go test ./cmd/tenon -run Commands -update):\n%s", block)
		}
	}
}

// runLine runs a line as a shell does and makes what it prints the same everywhere.
func runLine(t *testing.T, dir, port string, s shown) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a hang guard
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", s.line)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if strings.Contains(s.line, "| head") {
		err = nil // head has seen enough
	}
	if (err != nil) != s.fails {
		t.Errorf("%s: %v\n%s", s.line, err, out)
	}
	text := strings.NewReplacer(os.Getenv("TENON_STATE"), "~/.local/state/tenon", os.Getenv("TENON_MODELS"), "~/.local/share/tenon/models", os.Args[0], "/usr/local/bin/tenon", port, "1234", dir+"/", "").Replace(string(out))
	for _, r := range []struct{ pattern, by string }{{`process \d+`, "process 4711"}, {`(after|for) \d+(m\d+)?s`, "$1 12s"}, {`in \d+s`, "in 1s"}, {`\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)`, "2026-11-22T19:00:00Z"}} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.by)
	}
	return strings.TrimRight(text, "\n") + "\n"
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// commandsPage is the reference of every command: what it is for, how it is called, and what it
// has printed.
func commandsPage(said []string) string {
	var b strings.Builder
	b.WriteString("# The commands of tenon\n\nEach was run as it stands here, with a tiny model of random weights; `go test ./cmd/tenon -run Commands -update` writes the page\n" +
		"anew. Paths, process numbers and times are made the same everywhere. Where output goes to a terminal it has colour and tables; here it went\n" +
		"to a pipe. `tenon COMMAND --help` lists a command's flags, [../config/REFERENCE.md](../config/REFERENCE.md) those of serve.\n")
	for _, g := range newRootCommand().Groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.Title[:len(g.Title)-1])
		for _, c := range newRootCommand().Commands() {
			if c.GroupID != g.ID {
				continue
			}
			fmt.Fprintf(&b, "\n### tenon %s\n\n%s.\n\n```\n", c.Use, c.Short)
			for i, s := range transcript {
				if s.command == c.Name() {
					fmt.Fprintf(&b, "$ %s\n%s", s.line, said[i])
				}
			}
			b.WriteString("```\n")
		}
	}
	return b.String()
}

func TestCommands_everyOneIsShown(t *testing.T) {
	page, err := os.ReadFile("COMMANDS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range newRootCommand().Commands() {
		if c.Name() == "help" { // what it prints is the rest of the page
			continue
		}
		if !c.Hidden && !strings.Contains(string(page), "\n### tenon "+c.Use+"\n\n"+c.Short) {
			t.Errorf("COMMANDS.md does not explain %s", c.Name())
		}
		if !c.Hidden && !strings.Contains(string(page), "tenon "+c.Name()) {
			t.Errorf("COMMANDS.md does not run %s", c.Name())
		}
	}
}
