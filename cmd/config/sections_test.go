package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenon/server/agent"
)

// S2-17: an entry that is wrong, or of a name that another has, is refused where it stands.
func TestSections_wrongValuesAreErrorsThatNameLineAndKey(t *testing.T) {
	for text, want := range map[string]string{
		"tools:\n  read_file:\n    rots: [a]\n":                          `line 3: tools: read_file: there is no key "rots" (did you mean roots?)`,
		"tools:\n  read_file:\n    roots: [/does/not/exist]\n":           "line 2: tools: read_file: roots: open /does/not/exist",
		"tools:\n  read_file:\n    roots: [.]\n    approval: maybe\n":    `line 4: tools: read_file: approval: is "maybe"; expected ask, allow or deny`,
		"tools:\n  fetch:\n    timeout: soon\n":                          `line 3: tools: fetch: timeout: line 3: cannot unmarshal !!str ` + "`soon` into time.Duration",
		"tools:\n  fetch:\n    max-bytes: 0\n":                           `line 3: tools: fetch: max-bytes: is 0; expected 1 or more`,
		"tools:\n  fetch:\n    private: yes please\n":                    `private: is "yes please"; expected true or false`,
		"tools:\n  fetch:\n    private:\n":                               "has no value",
		"tools:\n  fetch:\n  fetch:\n":                                   "line 3: fetch stands in line 2 already",
		"tools:\n  mine: {command: [x], schema: '{'}\n":                  "line 2: tools: mine: schema: is no JSON",
		"tools:\n  mine:\n    description: x\n":                          "line 2: tools: mine: names neither a command nor a url, or both",
		"tools:\n  mine: {command: [x], environment: [TENON_API_KEY]}\n": "environment: TENON_API_KEY cannot be handed on",
		"tools: [a]\n":                       "line 1: expected keys with values",
		"mcp:\n  x: {}\n":                    "line 2: mcp: x: names neither a command nor a url, or both",
		"mcp:\n  x: {url: 'ftp://y'}\n":      "line 2: mcp: x: url: expected http://",
		"mcp:\n  x: {url: 'http://a:b@y'}\n": "use headers",
		"mcp:\n  builtin: {command: [x]}\n":  "the name stands for tools of another kind",
		"mcp:\n  x:\n    command: [y]\n    env: {A: '${NOT_THERE}'}\n": "line 4: mcp: x: env: the environment has no variable NOT_THERE",
		"mcp:\n  x:\n    command: [y]\n    tools: {a: perhaps}\n":      `line 4: mcp: x: tools: is "perhaps"`,
		"mpc:\n  x: {}\n":       "did you mean mcp?",
		"mcp-approval: never\n": "expected ask or allow",
	} {
		if _, err := load(t, nil, nil, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestSections_valuesAndKeys(t *testing.T) {
	t.Setenv("A_KEY", "sesame")
	l, err := load(t, nil, nil, `tools:
  mine:
    command: [./run, "1"]
    schema: '{"type": "object", "properties": {"z": {"maximum": 12345678901234567890}, "a": {}}}'
    approval: allow
    timeout: 5s
mcp:
  files: {command: [x], env: {KEY: "k ${A_KEY} ${A_KEY}$"}, tools: {a: deny}, roots: [docs]}
`)
	if err != nil {
		t.Fatal(err)
	}
	tool, server := l.Executed.Tools[0], l.Executed.Servers[0]
	want := `{"type": "object", "properties": {"z": {"maximum": 12345678901234567890}, "a": {}}}`
	if string(tool.Parameters) != want || tool.Approval != agent.Allow || tool.Timeout != 5*time.Second || tool.Source != "command" {
		t.Errorf("%+v %s", tool, tool.Parameters)
	}
	if server.Env["KEY"] != "k sesame sesame$" || server.Tools["a"] != agent.Deny || server.Approval != agent.Ask || server.Roots[0] != filepath.Join(filepath.Dir(l.File()), "docs") {
		t.Errorf("%+v", server)
	}
	if l.Settings.Connector() != nil {
		t.Error("requests may name servers")
	}
}

// S2-17, S2-20: the examples of the page that tells how to add a tool are settings that load.
func TestSections_thePagesExamplesLoad(t *testing.T) {
	t.Setenv("ORDERS_KEY", "a")
	t.Setenv("TRACKER_KEY", "b")
	page, err := os.ReadFile("../../server/agent/TOOLS.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	for _, e := range examples {
		path := filepath.Join(t.TempDir(), "tenon.yaml")
		if err := os.WriteFile(path, []byte(e[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(filepath.Dir(path), "docs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if l, err := load(t, []string{"--config", path}, nil, ""); err != nil || len(l.Executed.Tools)+len(l.Executed.Servers) == 0 {
			t.Errorf("%v\n%s", err, e[1])
		}
	}
	if len(examples) != 3 {
		t.Errorf("%d examples", len(examples))
	}
}

func FuzzSections(f *testing.F) {
	f.Add("tools: {mine: {command: [x], schema: '{}', timeout: 1s}}")
	f.Add("mcp: {x: {url: 'http://y', headers: {a: '${B}'}, tools: &a {t: deny}}}")
	path := filepath.Join(f.TempDir(), "tenon.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = readFile(path)
	})
}
