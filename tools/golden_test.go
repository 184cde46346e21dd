package tools

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite want.json of the golden transcripts")

// transcript is one golden file: a txtar archive of tools.json (an OpenAI tools array; optional,
// testdata/tools.json by default), turn.json (optional), raw.txt and want.json.
type transcript struct {
	path, family string
	tools        []Tool
	turn         turnFile
	raw          string
	want         json.RawMessage
}

// turnFile is what a transcript may say of its turn.
type turnFile struct {
	Thinking  bool   `json:"thinking"`  // the prompt left thinking open
	Truncated bool   `json:"truncated"` // the budget ended the turn
	OneCall   bool   `json:"one_call"`
	NoTools   bool   `json:"no_tools"`
	Choice    string `json:"choice"` // "none", "required" or a tool's name
}

// message is what a transcript is to give.
type message struct {
	Content   *string       `json:"content"`
	Reasoning *string       `json:"reasoning_content,omitempty"`
	Calls     []messageCall `json:"tool_calls"`
	Repairs   []string      `json:"repairs,omitempty"`
	Notes     int           `json:"notes,omitempty"`
}

type messageCall struct {
	Name      string `json:"name"`
	Arguments any    `json:"arguments,omitempty"`
	Input     string `json:"input,omitempty"`
}

func (tr transcript) plan(t *testing.T) *Plan {
	t.Helper()
	d, ok := Lookup(tr.family)
	if !ok {
		t.Fatalf("no family %q", tr.family)
	}
	p, err := d.Plan(tr.planTurn())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// planTurn is what the transcript says of its turn.
func (tr transcript) planTurn() Turn {
	turn := Turn{Tools: tr.tools, Parallel: !tr.turn.OneCall, Thinking: Thinking{Open: tr.turn.Thinking}}
	switch {
	case tr.turn.NoTools:
		turn.Tools = nil
	case tr.turn.Choice == "none":
		turn.Choice.Mode = None
	case tr.turn.Choice == "required":
		turn.Choice.Mode = Required
	case tr.turn.Choice != "":
		turn.Choice = Choice{Mode: Required, Names: []string{tr.turn.Choice}}
	}
	return turn
}

// play feeds raw in pieces of n bytes, as a whole if n is 0.
func play(p Parser, raw string, n int, truncated bool) message {
	return collect(append(feed(p, raw, n), p.Close(truncated)...), p)
}

// feed gives a text to a parser in pieces of n bytes; 0: as a whole.
func feed(p Parser, raw string, n int) []Event {
	var all []Event
	for len(raw) > 0 {
		k := len(raw)
		if n > 0 {
			k = min(n, k)
		}
		all = append(all, p.Token([]byte(raw[:k]), false)...)
		raw = raw[k:]
	}
	return all
}

func collect(all []Event, p Parser) message {
	m := message{Calls: []messageCall{}}
	args := ""
	var content, reasoning strings.Builder
	for _, e := range all {
		switch e.Kind {
		case Text:
			content.WriteString(e.Text)
		case Reasoning:
			reasoning.WriteString(e.Text)
		case CallStart:
			args = ""
		case CallArguments:
			args += e.Text
		case CallEnd:
			c := messageCall{Name: e.Call.Name, Input: e.Call.Input}
			if e.Call.Arguments != nil {
				if string(e.Call.Arguments) != args {
					panic(fmt.Sprintf("deltas %q, whole %q", args, e.Call.Arguments))
				}
				if err := json.Unmarshal(e.Call.Arguments, &c.Arguments); err != nil {
					panic(err)
				}
			}
			m.Calls = append(m.Calls, c)
		}
	}
	m.Content, m.Reasoning = orNil(content.String()), orNil(reasoning.String())
	for _, r := range p.Repairs() {
		m.Repairs = append(m.Repairs, r.Rule)
	}
	m.Notes = len(p.Notes())
	return m
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func TestGoldens(t *testing.T) {
	for _, tr := range transcripts(t) {
		t.Run(tr.path, func(t *testing.T) {
			p := tr.plan(t)
			whole := play(p.TextParser(), tr.raw, 0, tr.turn.Truncated)
			checkGolden(t, tr, whole)
			for _, n := range []int{1, 2, 3, 7, 16} {
				if diff := cmp.Diff(whole, play(p.TextParser(), tr.raw, n, tr.turn.Truncated)); diff != "" {
					t.Errorf("in pieces of %d (-whole +cut):\n%s", n, diff)
				}
			}
		})
	}
}

func checkGolden(t *testing.T, tr transcript, got message) {
	t.Helper()
	b, err := marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		rewrite(t, tr.path, b)
		return
	}
	var a, w any
	if json.Unmarshal(b, &a) != nil || json.Unmarshal(tr.want, &w) != nil {
		t.Fatalf("want.json: %s", tr.want)
	}
	if diff := cmp.Diff(w, a); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// transcripts are the golden files. They are read once: some tests ask for them once a family.
func transcripts(t testing.TB) []transcript {
	t.Helper()
	if len(goldens) > 0 {
		return goldens
	}
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		goldens = append(goldens, readTranscript(t, path))
	}
	return goldens
}

var goldens []transcript

func readTranscript(t testing.TB, path string) transcript {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr := transcript{path: path, family: filepath.Base(filepath.Dir(path)), tools: defaultTools(t)}
	for name, text := range archive(string(data)) {
		switch name {
		case "tools.json":
			tr.tools = readTools(t, []byte(text))
		case "turn.json":
			if err := json.Unmarshal([]byte(text), &tr.turn); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		case "raw.txt":
			tr.raw = strings.TrimSuffix(text, "\n") // the archive's own line end
		case "want.json":
			tr.want = json.RawMessage(text)
		}
	}
	return tr
}

// archive reads the files of a txtar archive.
func archive(data string) map[string]string {
	files := map[string]string{}
	name := ""
	for _, line := range strings.SplitAfter(data, "\n") {
		if n, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			continue
		}
		files[name] += line
	}
	return files
}

func rewrite(t *testing.T, path string, want []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(data), "-- want.json --\n")
	if err := os.WriteFile(path, []byte(head+"-- want.json --\n"+string(want)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func defaultTools(t testing.TB) []Tool {
	t.Helper()
	data, err := os.ReadFile("testdata/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	return readTools(t, data)
}

func readTools(t testing.TB, data []byte) []Tool {
	t.Helper()
	var wire []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		t.Fatal(err)
	}
	all := make([]Tool, len(wire))
	for i, w := range wire {
		all[i] = Tool{Name: w.Function.Name, Description: w.Function.Description, Parameters: w.Function.Parameters}
	}
	return all
}
